#!/bin/sh
# Ends a job that runs: --job-id ID --log-path FOLDER. One that has ended is no error.
set -u
. "$(dirname -- "$0")/options.sh"

[ -n "$log_path" ] || fail 'there is no --log-path'
[ -r "$log_path/executable.pid" ] || exit 0
read -r pid <"$log_path/executable.pid" || exit 0
# A number that another process has by now is not ours to kill.
tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -q '/\{0,1\}execute-job\.sh$' || exit 0
kill -9 "$pid"
