#!/bin/sh
# Loads a graph for execute-job.sh: its files are read and checked, and kept in parts on the hosts.
# --graph-name NAME --input-vertex-path FILE --input-edge-path FILE --output-path FOLDER --directed BOOL --weighted BOOL
set -u
. "$(dirname -- "$0")/options.sh"

[ -n "$output" ] || fail 'there is no --output-path for the loaded graph'
absolute() {
  [ -r "$1" ] || fail "the file '$1' cannot be read"
  printf '%s/%s\n' "$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)" "${1##*/}"
}
vertices=$(absolute "$vertex_path") || exit 2
edges=$(absolute "$edge_path") || exit 2

mkdir -p -- "$output" || exit
folder=$(CDPATH='' cd -- "$output" && pwd) || exit
# The parts lie beside the driver, a folder that every host has.
cache=$root/cache-$(printf '%s' "$folder" | cksum | cut -d ' ' -f 1)
printf '%s\n' '# predict graph' "$vertices" "$edges" "${directed:-false}" "${weighted:-false}" "$cache" >"$folder/graph.conf" || exit
# A first run reads the files on every host, so that jobs find the graph loaded.
run_kernel --algorithm wcc --vertices "$vertices" --edges "$edges" --directed "${directed:-false}" \
  --weighted "${weighted:-false}" --graph-cache "$cache" && exit
# The harness unloads no graph that failed to load.
status=$?
"$root/bin/sh/unload-graph.sh" --graph-name "$graph_name" --output-path "$folder"
exit "$status"
