# Reads the options of a platform driver's script, each followed by a value, into variables; sourced with "$@".
# Unknown ones are passed over: the harness's drivers differ in what they say. root is the distribution folder.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd) || exit 1
agent=$root/bin/exe/predict-agent
kernel=${PREDICT_KERNEL:-$root/bin/exe/predict-graphalytics}
[ -z "${PREDICT_AGENT-}" ] || agent=$PREDICT_AGENT
job_id='' log_path='' algorithm='' source_vertex='' iterations='' damping='' input='' output='' machines=''
directed='' weighted='' graph_name='' vertex_path='' edge_path=''

fail() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit 2
}

# Starts the kernels on the hosts. The harness kills the one process of its script: the guard ends the ranks when its input
# ends, and that input is a pipe which only this process holds open.
run_kernel() {
  alive=$(mktemp -d "${TMPDIR:-/tmp}/predict-alive.XXXXXX") && mkfifo -m 600 -- "$alive/input" || exit
  exec 3<>"$alive/input" 4<"$alive/input"
  rm -r -- "$alive"
  "$agent" guard -- "$root/bin/sh/launch.sh" "$kernel" "$@" <&4 3>&- 4<&-
}

while [ $# -gt 0 ]; do
  option=$1
  shift
  case $option in
  --*) ;;
  *) continue ;;
  esac
  # An option without a value is one that is not ours.
  case ${1-} in
  '' | --*)
    [ $# -gt 0 ] && [ -z "$1" ] && shift
    continue
    ;;
  esac
  value=$1
  shift
  case $option in
  --job-id) job_id=$value ;;
  --log-path | --log-dir) log_path=$value ;;
  --algorithm) algorithm=$value ;;
  --source-vertex | --source) source_vertex=$value ;;
  --max-iteration | --max-iterations | --num-iterations | --iterations) iterations=$value ;;
  --damping-factor | --damping) damping=$value ;;
  --input-dir | --input-path) input=$value ;;
  --output-file | --output-path | --output-dir) output=$value ;;
  --num-machines | --num-nodes) machines=$value ;;
  --directed) directed=$value ;;
  --weighted) weighted=$value ;;
  --graph-name) graph_name=$value ;;
  --input-vertex-path | --vertex-path) vertex_path=$value ;;
  --input-edge-path | --edge-path) edge_path=$value ;;
  esac
done

# A cell of a sweep says how many hosts it uses; else the platform's configuration does, else all are used.
PREDICT_NODES=${PREDICT_NODES:-$machines}
export PREDICT_NODES
