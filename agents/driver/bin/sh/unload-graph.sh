#!/bin/sh
# Forgets a graph: --graph-name NAME --output-path FOLDER. Only what load-graph.sh and the kernels put there goes.
set -u
. "$(dirname -- "$0")/options.sh"

[ -n "$output" ] && [ -r "$output/graph.conf" ] || exit 0
IFS= read -r sign <"$output/graph.conf" || sign=''
[ "$sign" = '# predict graph' ] || exit 0
cache=$(CDPATH='' cd -- "$output" && pwd)/cache || exit
if [ -d "$cache" ]; then
  "$root/bin/sh/launch.sh" rm -rf -- "$cache" </dev/null || rm -rf -- "$cache" || exit
fi
rm -f -- "$output/graph.conf" || exit
rmdir -- "$output" 2>/dev/null || true
