#!/bin/sh
# Tests of predict-agent through its command line: sh check.sh DIR, with the built programs in DIR.
# Needs root (network namespaces of its own), takes about a minute, and leaves nothing behind.
set -u
agent=$1/predict-agent
work=$(mktemp -d /tmp/agent-check-XXXXXX)
space_a=agent-test-$$-a space_b=agent-test-$$-b
failures=0 facts=0

clean_up() {
  for lease in "$work"/lease*; do rm -f "$lease/deadline"; done
  sleep 0.2
  ip netns del "$space_a" 2>/dev/null
  ip netns del "$space_b" 2>/dev/null
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# expect FACT COMMAND...: the command must succeed.
expect() {
  fact=$1
  shift
  facts=$((facts + 1))
  if "$@" >"$work/output" 2>&1; then return; fi
  failures=$((failures + 1))
  echo "not so: $fact"
  sed 's/^/    /' "$work/output"
}
exits() { wanted=$1; shift; "$@"; code=$?; [ $code = "$wanted" ] || { echo "exit code $code"; return 1; }; }
has() { grep -q -- "$1" "$2" || { echo "no '$1' in:"; cat "$2"; return 1; }; }
lacks() { ! grep -q -- "$1" "$2"; }
within() { awk -v v="$1" -v a="$2" -v b="$3" 'BEGIN { print v; exit !(v >= a && v <= b) }'; }
until_true() { # SECONDS COMMAND...
  tries=$(($1 * 20)); shift
  while [ $tries -gt 0 ]; do "$@" >/dev/null 2>&1 && return 0; sleep 0.05; tries=$((tries - 1)); done
  echo "never: $*"; return 1
}
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2"; }
uptime_plus() { awk -v d="$1" '{ printf "%.2f\n", $1 + d }' /proc/uptime; }
is_gone() { [ ! -e "$1" ]; }

check_usage() {
  for command in facts sample keep probe hold relay guard; do
    "$agent" $command --help >"$work/help"
    expect "$command --help ends well and shows an example" has "^Example: " "$work/help"
    expect "$command refuses an unknown option with 2" exits 2 "$agent" $command --no-such-option
  done
  expect "no command is wrong usage" exits 2 "$agent"
  expect "an unknown command is wrong usage" exits 2 "$agent" nothing
}

check_facts() {
  ip netns exec "$space_a" "$agent" facts --network 10.77.0.0/24 >"$work/facts"
  expect "facts finds the data interface by network" has '"dataInterface":"left","dataAddress":"10.77.0.1"' "$work/facts"
  expect "facts lists the address with its prefix" has '"10.77.0.1/24"' "$work/facts"
  ip netns exec "$space_a" "$agent" facts --interface lo >"$work/facts"
  expect "facts takes the interface named" has '"dataInterface":"lo"' "$work/facts"
  "$agent" facts --interface absent0 >"$work/facts"
  expect "an absent interface is null" has '"dataInterface":null,"dataAddress":null' "$work/facts"
  expect "a malformed network is wrong usage" exits 2 "$agent" facts --network 10.0.0.0/99
  if command -v python3 >/dev/null; then
    unshare -u sh -c 'printf "%s" "odd\"\\name" >/proc/sys/kernel/hostname; exec "$1" facts' - "$agent" >"$work/facts"
    expect "facts is JSON for any host name" python3 -c 'import json,sys; f=json.load(open(sys.argv[1])); assert f["hostname"]=="odd\"\\name", f["hostname"]' "$work/facts"
  fi
}

check_sample() {
  sleep 2.02 | timeout 20 "$agent" sample --hz 20 >"$work/samples"
  expect "sample ends at the end of stdin with a sample count near hz times the time" \
    within "$(sed -n 's/^#end samples=\([0-9]*\).*/\1/p' "$work/samples")" 30 43
  expect "the header comes first" sh -c "head -1 '$work/samples' | grep -q '^#predict-samples 1 host=.* clock=realtime hz=20 cores='"
  expect "every line between has four columns" awk -F'\t' '!/^#/ && (NF != 4 || $1 !~ /^[0-9]+$/ || $4 !~ /^[0-9]+$/) { print; bad = 1 } END { exit bad }' "$work/samples"
  for metric in cpu.steal_ns cpu.interrupts_ns memory.oom_kills; do
    expect "the machine's $metric is told" has "$metric	all	" "$work/samples"
  done
  : >"$work/samples" # or the end of the run before is taken for this one's
  sleep 30 | timeout 20 "$agent" sample --duration 0.5 >"$work/samples" &
  until_true 5 has "^#end" "$work/samples"
  expect "--duration ends it" has "^#end" "$work/samples"
  mkfifo "$work/open"
  sleep 20 >"$work/open" & holder=$!
  "$agent" sample <"$work/open" >"$work/samples" & sampler=$!
  sleep 0.5
  kill -TERM $sampler; wait $sampler
  expect "SIGTERM ends it with its last block" has "^#end" "$work/samples"
  kill $holder
  printf '#include <time.h>\nint main(void) { volatile unsigned long n = 0; time_t end = time(0) + 3; while (time(0) < end) n++; }\n' >"$work/rank.c"
  cc -O1 -o "$work/rank" "$work/rank.c"
  sleep 2.5 | timeout 20 "$agent" sample >"$work/samples" &
  sampler=$!
  sleep 0.3
  OMPI_COMM_WORLD_RANK=7 "$work/rank" & rank=$!
  OMPI_COMM_WORLD_RANK=8 sh -c 'sleep 2; :' & shell=$!
  cp "$work/rank" "$work/orted"
  "$work/orted" & launcher=$!
  printf '#include <unistd.h>\nint main(int n, char **words) { (void)n; usleep(600000); return execv(words[1], words + 1); }\n' >"$work/later.c"
  mkdir "$work/child" && cc -O1 -o "$work/child/orted" "$work/later.c"
  OMPI_COMM_WORLD_RANK=9 "$work/child/orted" "$work/rank" & child=$!
  wait $sampler
  wait $rank $shell $launcher $child
  expect "a launcher's CPU time is told beside the ranks'" has "launcher.cpu_ns	$launcher	" "$work/samples"
  expect "a launcher's child that execs later is the rank then" has "rank.cpu_ns	9	" "$work/samples"
  expect "a rank is found by its environment" has "rank.cpu_ns	7	" "$work/samples"
  expect "a rank's CPU time rises as it computes" within "$(awk -F'\t' '$2 == "rank.cpu_ns" && $3 == 7 { if (!first) first = $4; last = $4 } END { print last - first }' "$work/samples")" 100000000 3000000000
  PMI_RANK=3 "$work/rank" & rank=$!
  sleep 0.1
  "$agent" sample --rank-env PMI_RANK </dev/null >"$work/samples"
  expect "one sample is taken even when stdin has ended already" has "rank.running	3	1" "$work/samples"
  kill $rank
  expect "a cgroup without accounting is an error" exits 1 "$agent" sample --cgroup "$work"
  mkdir "$work/v2" "$work/v1"
  printf 'usage_usec 5000\nuser_usec 1\nnr_throttled 2\nthrottled_usec 7\n' >"$work/v2/cpu.stat"
  echo "6000 20000" >"$work/v2/cpu.max"
  echo 4096 >"$work/v2/memory.current"
  "$agent" sample --cgroup "$work/v2" </dev/null | cut -f 2- >"$work/samples"
  for value in "cpu.busy_ns	cgroup	5000000" "cpu.throttled_ns	cgroup	7000" "cpu.capacity_mcores	cgroup	300" "memory.used_bytes	cgroup	4096"; do
    expect "a version 2 cgroup gives $value" has "^$value$" "$work/samples"
  done
  printf 'nr_periods 3\nnr_throttled 2\nthrottled_time 77\n' >"$work/v1/cpu.stat"
  echo 1200 >"$work/v1/cpu.cfs_quota_us"; echo 20000 >"$work/v1/cpu.cfs_period_us"
  mkdir "$work/v1/acct" && echo 123456789 >"$work/v1/acct/cpuacct.usage"
  "$agent" sample --cgroup "$work/v1" --cgroup "$work/v1/acct" </dev/null | cut -f 2- >"$work/samples"
  for value in "cpu.busy_ns	cgroup	123456789" "cpu.throttled_ns	cgroup	77" "cpu.capacity_mcores	cgroup	60"; do
    expect "version 1 cgroups in two folders give $value" has "^$value$" "$work/samples"
  done
  : >"$work/samples"
  sleep 3 | "$agent" sample >"$work/samples" & sampler=$!
  until_true 1 has "memory.oom_kills" "$work/samples"
  kill -KILL $sampler; wait $sampler
  expect "the first readings are out at once, so that a killed sampler leaves them" has "memory.oom_kills" "$work/samples"
  sleep 3 | "$agent" sample --hz 1000 --duration 2 | { sleep 2.5; cat; } >"$work/samples"
  expect "a reader that stands still does not stop the sampling" \
    within "$(sed -n 's/^#end samples=\([0-9]*\).*/\1/p' "$work/samples")" 1000 2003
  expect "sample ends when stdin is closed" exits 0 sh -c "timeout 5 '$agent' sample <&- >/dev/null"
  group=/sys/fs/cgroup/cpuacct
  [ -d $group ] || group=/sys/fs/cgroup
  "$agent" sample --cgroup $group </dev/null >"$work/samples"
  expect "a cgroup's own CPU accounting is read" has "cpu.busy_ns	cgroup" "$work/samples"
  expect "no disks are counted for a cgroup" lacks "disk\." "$work/samples"
  ip netns exec "$space_a" "$agent" sample </dev/null >"$work/samples"
  expect "interfaces are those of the network namespace" has "net.rx_bytes	left" "$work/samples"
}

new_lease() { # NAME SECONDS SCRIPT
  mkdir -p "$work/$1"
  echo "$3" >"$work/$1/release.sh"
  uptime_plus "$2" >"$work/$1/deadline.new"
  mv "$work/$1/deadline.new" "$work/$1/deadline"
}
keeps() { "$agent" keep --status "$1" | grep -q '"running":true'; }
ended() { "$agent" keep --status "$1" | grep -q '"running":false'; }

check_keep() {
  lease=$work/lease1
  new_lease lease1 1.5 "echo released >>$work/lease1/trace"
  expect "keep returns at once" timeout 5 "$agent" keep --state "$lease"
  expect "the status says running" keeps "$lease"
  "$agent" keep --state "$lease" >"$work/second"
  expect "a second keeper ends, saying so" has "one is enough" "$work/second"
  sleep 0.3
  expect "nothing is released before the deadline" is_gone "$lease/trace"
  uptime_plus 2.5 >"$lease/deadline.new"; mv "$lease/deadline.new" "$lease/deadline"
  sleep 1.7
  expect "a renewed deadline is followed" is_gone "$lease/trace"
  expect "the link is released at the deadline" until_true 5 has released "$lease/trace"
  expect "the keeper ends" until_true 5 ended "$lease"
  expect "the mark tells when" grep -qE '^[0-9.]+ [0-9]{19}$' "$lease/expired"
  expect "the deadline is removed" is_gone "$lease/deadline"
  expect "release.sh ran once" sh -c "[ \$(wc -l <$lease/trace) = 1 ]"

  new_lease lease2 30 "echo released >>$work/lease2/trace"
  "$agent" keep --state "$work/lease2" >/dev/null
  rm "$work/lease2/deadline"
  expect "a lease that the controller removed ends the keeper" until_true 5 ended "$work/lease2"
  expect "and leaves no mark and no release" sh -c "[ ! -e $work/lease2/expired ] && [ ! -e $work/lease2/trace ]"

  new_lease lease3 30 "echo released >>$work/lease3/trace"
  echo "12x" >"$work/lease3/deadline"
  "$agent" keep --state "$work/lease3" >/dev/null
  expect "a malformed deadline releases" until_true 5 has released "$work/lease3/trace"
  new_lease lease4 -5 "[ -e $work/lease4/once ] && echo released >>$work/lease4/trace && exit 0; touch $work/lease4/once; echo not yet; exit 3"
  "$agent" keep --state "$work/lease4" >/dev/null
  expect "a past deadline releases at once, and a failing release is tried again" until_true 6 has released "$work/lease4/trace"
  expect "the log holds the script's words and code" has "exit code 3" "$work/lease4/release.log"

  new_lease lease5 30 "echo released >>$work/lease5/trace"
  "$agent" keep --state "$work/lease5" >/dev/null
  kill -HUP "$(cat "$work/lease5/keeper.pid")"
  sleep 0.2
  expect "SIGHUP does not end the keeper" keeps "$work/lease5"
  kill -TERM "$(cat "$work/lease5/keeper.pid")"
  expect "SIGTERM releases" until_true 5 has released "$work/lease5/trace"
  new_lease lease6 30 "true"
  "$agent" keep --state "$work/lease6" >/dev/null
  kill -KILL "$(cat "$work/lease6/keeper.pid")"
  expect "a killed keeper shows" until_true 2 ended "$work/lease6"
  "$agent" keep --state "$work/lease6" >/dev/null
  expect "and another can follow it" keeps "$work/lease6"
  pid=$(cat "$work/lease6/keeper.pid")
  rm -rf "$work/lease6"
  expect "a vanished directory ends the keeper" until_true 3 is_gone "/proc/$pid"
  expect "no lease is an error" exits 1 "$agent" keep --state "$work"

  new_lease lease7 1 "echo released >>$work/lease7/trace; sleep 1.5"
  "$agent" keep --state "$work/lease7" >/dev/null
  until_true 5 has released "$work/lease7/trace"
  uptime_plus 3 >"$work/lease7/deadline.new"; mv "$work/lease7/deadline.new" "$work/lease7/deadline"
  sleep 1.7
  expect "a deadline renewed during the release is kept, though marked" sh -c "[ -e $work/lease7/deadline ] && [ -e $work/lease7/expired ]"
  expect "and its keeper stays" keeps "$work/lease7"
  expect "until it has run out too" until_true 6 ended "$work/lease7"
  new_lease lease8 20 true
  starters=
  for i in 1 2 3 4 5 6 7 8; do "$agent" keep --state "$work/lease8" >"$work/start-$i" & starters="$starters $!"; done
  wait $starters
  expect "of eight keepers started at once, one keeps" sh -c "[ \$(cat $work/start-* | grep -c 'keeping with') = 1 ] && [ \$(cat $work/start-* | grep -c 'one is enough') = 7 ]"
  expect "keep lets go of its caller's files" timeout 5 sh -c "rm $work/lease8/deadline; sleep 0.3; awk '{ print \$1 + 5 }' /proc/uptime >$work/lease8/deadline; '$agent' keep --state $work/lease8 | cat"
}

check_hold() {
  sleep 3 | "$agent" hold --lock "$work/lock" --owner "anna, sweep 1" >"$work/held" & holder=$!
  expect "hold says that it holds" until_true 3 has "^held$" "$work/held"
  "$agent" hold --lock "$work/lock" --owner other </dev/null 2>"$work/refusal"; code=$?
  expect "a second one is refused with 3" [ $code = 3 ]
  expect "and told by whom" has "anna, sweep 1" "$work/refusal"
  wait $holder
  expect "the lock file is empty afterwards" sh -c "[ ! -s $work/lock ]"
  expect "and the lock is free" exits 0 "$agent" hold --lock "$work/lock" --owner next </dev/null
}

check_probe() {
  ip netns exec "$space_a" "$agent" probe --listen 10.77.0.1:0 --seconds 1 --warm-bytes 100000 --warm-seconds 0.2 \
    >"$work/received" 2>"$work/port" & receiver=$!
  until_true 3 has "^listening " "$work/port"
  port=$(sed -n 's/^listening //p' "$work/port")
  ip netns exec "$space_b" "$agent" probe --connect "10.77.0.1:$port" --bind 10.77.0.2 --seconds 1 >"$work/sent"
  wait $receiver
  expect "every byte sent is received" [ "$(field totalBytes "$work/received")" = "$(field totalBytes "$work/sent")" ]
  expect "the measured time leaves out the warm-up" within "$(field seconds "$work/received")" 0.3 1.2
  ip netns exec "$space_b" tc qdisc add dev right root tbf rate 20mbit burst 32kb latency 50ms
  for side in a:1:2 b:2:1; do
    eval "space=\$space_${side%%:*}"
    here=${side#*:}; here=${here%:*}
    ip netns exec "$space" "$agent" probe --both --listen "10.77.0.$here:5300" --connect "10.77.0.${side##*:}:5300" \
      --seconds 2 --warm-bytes 200000 --warm-seconds 0.3 >"$work/both-$here" 2>"$work/both-error-$here" &
    eval "both_$here=$!"
  done
  wait "$both_1" "$both_2"
  expect "both directions at once: the throttled one shows its rate" \
    within "$(sed 's/"sent".*//' "$work/both-1" >"$work/one"; field bitsPerSecond "$work/one")" 15e6 20e6
  start=$(date +%s)
  ip netns exec "$space_a" "$agent" probe --listen 10.77.0.1:5301 --seconds 1 --warm-bytes 1 >/dev/null 2>&1 & receiver=$!
  sleep 0.3
  ip netns exec "$space_b" tc qdisc replace dev right root tbf rate 8bit burst 10 latency 1ms
  ip netns exec "$space_b" timeout 30 "$agent" probe --connect 10.77.0.1:5301 --seconds 1 >/dev/null 2>&1
  wait $receiver
  expect "a blocked link cannot hang it" within $(($(date +%s) - start)) 1 14
  ip netns exec "$space_b" tc qdisc del dev right root
  expect "no sender within the time is an error" exits 1 "$agent" probe --listen 127.0.0.1:0 --seconds 1 --accept-timeout 0.2
  expect "no listener within the time is an error" exits 1 "$agent" probe --connect 127.0.0.1:1 --seconds 1 --connect-timeout 0.3
}

check_relay() {
  command -v python3 >/dev/null || return
  cat >"$work/echo.py" <<'PY'
import socket
listener = socket.create_server(("10.77.0.1", 5400))
for _ in range(2):
    peer, _ = listener.accept()
    peer.settimeout(20)
    data = b""
    while part := peer.recv(65536):
        data += part
    peer.sendall(data[::-1])
    peer.close()
PY
  ip netns exec "$space_a" timeout 30 python3 "$work/echo.py" 2>/dev/null & server=$!
  until_true 5 sh -c "ip netns exec $space_a ss -ltn | grep -q :5400"
  head -c 5000000 /dev/urandom >"$work/there"
  timeout 20 "$agent" relay --netns "/run/netns/$space_a" 10.77.0.1 5400 <"$work/there" >"$work/back"
  expect "relay carries both ways and half-closes" \
    python3 -c 'import sys; a,b=(open(p,"rb").read() for p in sys.argv[1:]); assert a==b[::-1], (len(a),len(b))' "$work/there" "$work/back"
  timeout 20 "$agent" relay --netns "/run/netns/$space_a" 10.77.0.1 5400 <"$work/there" 2>/dev/null | head -c 1000 >"$work/back"
  expect "a reader that goes away ends it" [ "$(wc -c <"$work/back")" = 1000 ]
  wait $server
  expect "a refused connection is an error" exits 1 "$agent" relay --netns "/run/netns/$space_a" 10.77.0.1 5400 </dev/null
  expect "a name is wrong usage" exits 2 "$agent" relay localhost 22 </dev/null
}

ip netns add "$space_a" && ip netns add "$space_b" || exit 1
ip -n "$space_a" link add left type veth peer name right netns "$space_b"
ip -n "$space_a" addr add 10.77.0.1/24 dev left
ip -n "$space_b" addr add 10.77.0.2/24 dev right
for end in "$space_a lo" "$space_a left" "$space_b right"; do ip -n "${end% *}" link set "${end#* }" up; done
for part in ${2:-usage facts sample keep hold probe relay}; do "check_$part"; done
echo "$facts facts checked, $failures not so"
[ $failures = 0 ]
