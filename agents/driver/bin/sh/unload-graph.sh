#!/bin/sh
# Forgets a graph: --graph-name NAME --output-path FOLDER. Only what load-graph.sh and the kernels put there goes.
set -u
. "$(dirname -- "$0")/options.sh"

[ -n "$output" ] && [ -r "$output/graph.conf" ] || exit 0
{
  IFS= read -r sign && IFS= read -r _ && IFS= read -r _ && IFS= read -r _ && IFS= read -r _ && IFS= read -r cache
} <"$output/graph.conf" || exit 0
[ "$sign" = '# predict graph' ] || exit 0
case $cache in
"$root"/cache-[0-9]*) "$root/bin/sh/launch.sh" rm -rf -- "$cache" </dev/null || rm -rf -- "$cache" || exit ;;
esac
rm -f -- "$output/graph.conf" || exit
# The folder goes if nothing else is in it.
rmdir -- "$output" 2>/dev/null
exit 0
