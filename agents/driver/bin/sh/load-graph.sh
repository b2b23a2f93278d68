#!/bin/sh
# Makes a graph known to execute-job.sh: notes where its files are, once every host can read them.
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

"$root/bin/sh/launch.sh" sh -c '
  for file do
    [ -r "$file" ] || { printf "%s: %s cannot be read: graphs must be at the same path on every host\n" "$(hostname)" "$file" >&2; exit 2; }
  done' sh "$vertices" "$edges" </dev/null || exit

mkdir -p -- "$output" || exit
printf '%s\n' '# predict graph' "$vertices" "$edges" "${directed:-false}" "${weighted:-false}" >"$output/graph.conf" || exit
