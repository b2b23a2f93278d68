#!/bin/sh
# Runs the Graphalytics harness of a distribution folder once, with a configuration of its own, and collects what it leaves.
# predict-run-harness --folder DISTRIBUTION --output FOLDER --graphs FOLDER [--validation FOLDER] --graph NAME
#   [--set FILE KEY=VALUE]...
# Graphs lie in their folder, or each in a folder of its name there.
# FOLDER/config is made of config-template and config of the distribution; --set replaces a key of one of its files.
# Leaves in FOLDER: results.json, benchmark.log, programs.log (the ends of what the runs' programs printed). Exits as the harness does.
set -u
distribution='' output='' graphs='' validation='' graph=''

fail() {
  printf 'predict-run-harness: %s\n' "$1" >&2
  exit 2
}

# set_property FILE KEY=VALUE
set_property() {
  path=$config/$1
  mkdir -p -- "$(dirname -- "$path")" && touch -- "$path" || exit
  key=${2%%=*} text=${2#*=} awk '
    BEGIN { key = ENVIRON["key"] }
    {
      name = $0
      sub(/^[ \t\f]+/, "", name)
      sub(/[ \t\f=:].*$/, "", name)
      gone = continued ? gone : name == key
      continued = $0 ~ /\\$/
      if (!gone) print
    }
    END { print key " = " ENVIRON["text"] }' "$path" >"$path.new" && mv -- "$path.new" "$path" || exit
}

config=''
while [ $# -gt 0 ]; do
  case $1 in
  --folder) distribution=$2 ;;
  --output) output=$2 && config=$2/config ;;
  --graphs) graphs=$2 ;;
  --validation) validation=$2 ;;
  --graph) graph=$2 ;;
  --set) break ;;
  *) fail "'$1' is no option" ;;
  esac
  shift 2 || fail "'$1' has no value"
done

cd -- "$distribution" 2>/dev/null || fail "the distribution folder '$distribution' is not on $(hostname), which starts the harness"
[ -f bin/sh/run-benchmark.sh ] || fail "$distribution has no bin/sh/run-benchmark.sh: name a distribution folder of the harness"
mkdir -p -- "$config/benchmarks" "$config/graphs" || exit
found=''
for base in config-template config; do
  if [ -d "$base" ]; then cp -R -- "$base/." "$config/" && found=yes || exit; fi
done
[ -n "$found" ] || fail "$distribution has neither config-template nor config"

if [ ! -e "$graphs/$graph.v" ] && [ -d "$graphs/$graph" ]; then graphs=$graphs/$graph; fi
# What lies beside the graph describes it best.
if [ -f "$graphs/$graph.properties" ]; then
  cp -- "$graphs/$graph.properties" "$config/graphs/$graph.properties" || exit
fi
[ -f "$config/graphs/$graph.properties" ] ||
  fail "nothing describes the graph '$graph': there is neither $graphs/$graph.properties nor $distribution/config-template/graphs/$graph.properties"
printf '%s\n' "graphs.names = $graph" "include = graphs/$graph.properties" >"$config/graphs.properties" || exit

touch -- "$config/benchmark.properties" "$config/platform.properties" "$config/environment.properties" \
  "$config/pricing.properties" "$config/benchmarks/custom.properties" || exit
{
  printf 'include = %s.properties\n' benchmarks/custom platform environment graphs pricing
  # Others that the platform's own configuration includes.
  sed -n 's/^[[:space:]]*include[[:space:]=:][[:space:]=:]*//p' "$config/benchmark.properties" | while read -r name; do
    case $name in
    benchmarks/* | platform.properties | environment.properties | graphs.properties | pricing.properties) ;;
    *) if [ -f "$config/$name" ]; then printf 'include = %s\n' "$name"; fi ;;
    esac
  done
  grep -v '^[[:space:]]*include[[:space:]=:]' "$config/benchmark.properties"
} >"$config/benchmark.new"
mv -- "$config/benchmark.new" "$config/benchmark.properties" || exit
# Commas would make a list of a path.
as_value() { printf '%s' "$1" | sed 's/[\\,]/\\&/g'; }
set_property benchmark.properties "graphs.root-directory=$(as_value "$graphs")"
set_property benchmark.properties "graphs.validation-directory=$(as_value "${validation:-$graphs}")"
set_property benchmark.properties "graphs.output-directory=$(as_value "$output/output")"
while [ $# -gt 0 ]; do
  [ "$1" = --set ] && [ $# -ge 3 ] || fail "'$1' is no --set FILE KEY=VALUE"
  set_property "$2" "$3"
  shift 3
done

# One that an earlier run left holds the port of the next one's.
for process in /proc/[0-9]*; do
  if tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -qE 'graphalytics\.execution\.(BenchmarkRunner|RunnerService)'; then
    fail "a runner of the harness is still there (process ${process#/proc/}), and a second one cannot listen: end it and try again"
  fi
done
ls -1 report >"$output/before" 2>/dev/null
if [ -x bin/sh/run-benchmark.sh ]; then
  bin/sh/run-benchmark.sh --config "$config" </dev/null
else
  bash bin/sh/run-benchmark.sh --config "$config" </dev/null
fi
status=$?

# The folder that was not there before; the newest, should there be several.
report=$(ls -1t report 2>/dev/null | grep -vxF -f "$output/before" | head -n 1)
if [ -n "$report" ]; then
  report=report/$report
  for file in "$report/json/results.json" "$report/results.json"; do
    if [ -f "$file" ]; then cp -- "$file" "$output/results.json"; fi
  done
  for file in "$report/log/benchmark-full.log" "$report/log/benchmark-summary.log"; do
    if [ -f "$file" ]; then cp -- "$file" "$output/benchmark.log"; fi
  done
  for file in "$report"/log/*/platform/runner.logs; do
    if [ -f "$file" ]; then
      printf '\n==> %s <==\n' "$file"
      tail -n 40 -- "$file"
    fi
  done >"$output/programs.log"
fi
exit "$status"
