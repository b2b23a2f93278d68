#!/bin/sh
# Runs one algorithm on a loaded graph, on the hosts of launch.sh; the kernel prints when its processing starts and ends.
# --job-id ID --log-path FOLDER --algorithm bfs|pr|wcc|cdlp|lcc|sssp [--source-vertex ID] [--max-iteration N]
# [--damping-factor D] --input-dir FOLDER --output-file FILE --directed BOOL [--num-machines N]
set -u
. "$(dirname -- "$0")/options.sh"

conf=$input/graph.conf
[ -r "$conf" ] || fail "there is no graph in '$input': load-graph.sh puts it there"
{
  IFS= read -r sign && IFS= read -r vertices && IFS= read -r edges && IFS= read -r loaded_directed && IFS= read -r weighted &&
    IFS= read -r cache
} <"$conf" || fail "$conf is cut off: load the graph again"
[ "$sign" = '# predict graph' ] || fail "$conf is not of this driver"
[ -n "$output" ] || fail 'there is no --output-file'
mkdir -p -- "$(dirname -- "$output")" || exit
[ ! -d "$output" ] || output=$output/result

set -- --algorithm "$algorithm" --vertices "$vertices" --edges "$edges" --directed "${directed:-$loaded_directed}" \
  --weighted "$weighted" --output "$output" --graph-cache "$cache"
case $algorithm in
bfs | sssp) set -- "$@" --source "$source_vertex" ;;
pr) set -- "$@" --iterations "$iterations" --damping "$damping" ;;
cdlp) set -- "$@" --iterations "$iterations" ;;
wcc | lcc) ;;
*) fail "'$algorithm' is no algorithm of the benchmark: bfs, pr, wcc, cdlp, lcc or sssp" ;;
esac

if [ -n "$log_path" ]; then
  mkdir -p -- "$log_path" && printf '%s\n' $$ >"$log_path/executable.pid" || exit
fi
run_kernel "$@"
