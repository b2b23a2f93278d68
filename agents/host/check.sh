#!/bin/sh
# Tests of predict-agent through its command line: sh check.sh DIR, with the built programs in DIR.
# Needs root (network namespaces of its own), takes about a minute, and leaves nothing behind.
set -u
agent=$1/predict-agent
work=$(mktemp -d)
space_a=agent-test-$$-a space_b=agent-test-$$-b
failures=0 facts=0

clean_up() {
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

check_usage() {
  for command in facts sample ranks link keep shape probe hold group relay guard install; do
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
  expect "facts tells the qdisc of the data interface and how TCP sends" \
    has '"congestionControl":"[a-z0-9_-]*","defaultQdisc":["a-z_]*,"dataQdisc":"noqueue"' "$work/facts"
  expect "facts lists the address with its prefix" has '"10.77.0.1/24"' "$work/facts"
  ip netns exec "$space_a" "$agent" facts --interface lo >"$work/facts"
  expect "facts takes the interface named" has '"dataInterface":"lo"' "$work/facts"
  ip -n "$space_a" addr add 10.78.0.1/24 dev left
  ip netns exec "$space_a" "$agent" facts --interface left --network 10.78.0.0/24 >"$work/facts"
  expect "facts takes the interface by name and its address by network" \
    has '"dataInterface":"left","dataAddress":"10.78.0.1"' "$work/facts"
  ip netns exec "$space_a" "$agent" facts --interface left --network 10.79.0.0/24 >"$work/facts"
  expect "facts says when the interface has no address in the network" \
    has '"dataInterface":"left","dataAddress":null' "$work/facts"
  ip -n "$space_a" addr del 10.78.0.1/24 dev left
  "$agent" facts --interface absent0 >"$work/facts"
  expect "an absent interface is null" has '"dataInterface":null,"dataAddress":null' "$work/facts"
  expect "a malformed network is wrong usage" exits 2 "$agent" facts --network 10.0.0.0/99
  if command -v python3 >/dev/null; then
    unshare -u sh -c 'printf "%s" "odd\"\\name" >/proc/sys/kernel/hostname; exec "$1" facts' - "$agent" >"$work/facts"
    expect "facts is JSON for any host name" python3 -c 'import json,sys; f=json.load(open(sys.argv[1])); assert f["hostname"]=="odd\"\\name", f["hostname"]' "$work/facts"
  fi
}

# What rank 7 has computed between its first reading and its last.
risen_ns() {
  awk -F'\t' '$2 == "rank.cpu_ns" && $3 == 7 { if (!first) first = $4; last = $4 } END { printf "%.0f\n", last - first }' "$work/samples"
}
ranks_are_told() {
  within "$(risen_ns)" 100000000 60000000000 && has "rank.cpu_ns	9	" "$work/samples" &&
    has "launcher.cpu_ns	$(cat "$work/launcher")	" "$work/samples"
}

# As many samples taken and missed as hz, which is 20, times the time between the stamps.
counts_periods() {
  awk -F'\t' '/^#end/ { split($0, counts, /[= ]/); taken = counts[3] + counts[5] } !/^#/ { if (!first) first = $1; last = $1 }
    END { due = (last - first) / 5e7 + 1; print taken, due; exit !(taken > 10 && taken - due < 2 && due - taken < 2) }' "$work/samples"
}

check_sample() {
  mkfifo "$work/stopped"
  "$agent" sample --hz 20 <"$work/stopped" >"$work/samples" & sampler=$!
  exec 9>"$work/stopped"
  sleep 0.3; kill -STOP $sampler
  exec 9>&-
  sleep 0.5; kill -CONT $sampler
  wait $sampler
  expect "sample counts as missed what passes while it is stopped, at its end too" counts_periods
  sleep 2.02 | timeout 20 "$agent" sample --hz 20 >"$work/samples"
  expect "sample ends at the end of stdin, with all its periods" counts_periods
  expect "the header comes first" sh -c "head -1 '$work/samples' | grep -q '^#predict-samples 1 host=.* clock=realtime hz=20 cores='"
  expect "every line between has four columns" awk -F'\t' '!/^#/ && (NF != 4 || $1 !~ /^[0-9]+$/ || $4 !~ /^[0-9]+$/) { print; bad = 1 } END { exit bad }' "$work/samples"
  for metric in cpu.steal_ns cpu.interrupts_ns memory.oom_kills; do
    expect "the machine's $metric is told" has "$metric	all	" "$work/samples"
  done
  : >"$work/samples" # or the end of the run before is taken for this one's
  sleep 30 | timeout 20 "$agent" sample --duration 0.5 >"$work/samples" &
  until_true 30 has "^#end" "$work/samples"
  expect "--duration ends it" has "^#end" "$work/samples"
  mkfifo "$work/open"
  sleep 20 >"$work/open" & holder=$!
  "$agent" sample <"$work/open" >"$work/samples" & sampler=$!
  sleep 0.5
  kill -TERM $sampler; wait $sampler
  expect "SIGTERM ends it with its last block" has "^#end" "$work/samples"
  kill $holder
  echo 'int main(void) { for (volatile unsigned long n = 0;;) n++; }' >"$work/rank.c"
  cc -O1 -o "$work/rank" "$work/rank.c"
  # a variable of their own, for other programs' ranks may run beside
  : >"$work/samples"
  until_true 60 ranks_are_told | timeout 120 "$agent" sample --rank-env CHECK_RANK >"$work/samples" &
  sampler=$!
  CHECK_RANK=7 "$work/rank" & rank=$!
  cp "$work/rank" "$work/orted"
  "$work/orted" & launcher=$!
  echo $launcher >"$work/launcher"
  printf '#include <unistd.h>\nint main(int n, char **words) { (void)n; usleep(600000); return execv(words[1], words + 1); }\n' >"$work/later.c"
  mkdir "$work/child" && cc -O1 -o "$work/child/orted" "$work/later.c"
  CHECK_RANK=9 "$work/child/orted" "$work/rank" & child=$!
  wait $sampler
  kill $rank $launcher $child; wait $rank $launcher $child
  expect "a launcher's CPU time is told beside the ranks'" has "launcher.cpu_ns	$launcher	" "$work/samples"
  expect "a launcher's child that execs later is the rank then" has "rank.cpu_ns	9	" "$work/samples"
  expect "a rank is found by its environment" has "rank.cpu_ns	7	" "$work/samples"
  expect "a rank's CPU time rises as it computes" within "$(risen_ns)" 100000000 60000000000
  CHECK_RANK=3 "$work/rank" & rank=$!
  sleep 0.1
  "$agent" sample --rank-env CHECK_RANK </dev/null >"$work/samples"
  expect "one sample is taken even when stdin has ended already" has "rank.running	3	1" "$work/samples"
  sleep 0.5 | "$agent" ranks --rank-env CHECK_RANK >"$work/samples"
  expect "ranks tells a rank's process as soon as it runs" has "^3	$rank$" "$work/samples"
  expect "and nothing else" [ "$(wc -l <"$work/samples")" = 1 ]
  kill $rank; wait $rank
  sh -c "sleep 0.5; CHECK_RANK=4 exec '$work/rank'" & rank=$!
  (until_true 10 has "^4	$rank$" "$work/samples") | "$agent" ranks --rank-env CHECK_RANK >"$work/samples"
  expect "ranks sees one that was there before, and execs its program later" has "^4	$rank$" "$work/samples"
  kill $rank; wait $rank
  sleep 0.2 | "$agent" ranks --rank-env CHECK_RANK --count 2 2>"$work/samples" >/dev/null
  expect "ranks fails at the end of stdin, saying how many there were" has "0 of 2 ranks were seen" "$work/samples"
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
  until_true 3 has "memory.oom_kills" "$work/samples"
  kill -KILL $sampler; wait $sampler
  expect "the first readings are out at once, so that a killed sampler leaves them" has "memory.oom_kills" "$work/samples"
  # A pipe holds 64 KiB, fewer than 100 samples: one that had stopped there would have no more. How many a busy machine takes is its affair.
  sleep 3 | "$agent" sample --hz 1000 --duration 2 | { sleep 2.5; cat; } >"$work/samples"
  expect "a reader that stands still does not stop the sampling" \
    within "$(sed -n 's/^#end samples=\([0-9]*\).*/\1/p' "$work/samples")" 110 2003
  expect "sample ends when stdin is closed" exits 0 sh -c "timeout 5 '$agent' sample <&- >/dev/null"
  group=/sys/fs/cgroup/cpuacct
  [ -d $group ] || group=/sys/fs/cgroup
  "$agent" sample --cgroup $group </dev/null >"$work/samples"
  expect "a cgroup's own CPU accounting is read" has "cpu.busy_ns	cgroup" "$work/samples"
  expect "no disks are counted for a cgroup" lacks "disk\." "$work/samples"
  ip netns exec "$space_a" "$agent" sample </dev/null >"$work/samples"
  expect "interfaces are those of the network namespace" has "net.rx_bytes	left" "$work/samples"
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
  ip netns exec "$space_a" "$agent" probe --listen 10.77.0.1:5302 --seconds 2 --warm-bytes 100000000 >"$work/slow" 2>/dev/null & receiver=$!
  ip netns exec "$space_b" "$agent" probe --connect 10.77.0.1:5302 --seconds 2 >/dev/null
  wait $receiver
  expect "a link that never passes the warm-up shows its rate" within "$(field bitsPerSecond "$work/slow")" 10e6 20e6
  ip netns exec "$space_a" "$agent" probe --listen 10.77.0.1:5301 --seconds 1 --warm-bytes 1 >/dev/null 2>&1 & receiver=$!
  sleep 0.3
  ip netns exec "$space_b" tc qdisc replace dev right root tbf rate 8bit burst 10 latency 1ms
  ip netns exec "$space_b" timeout 120 "$agent" probe --connect 10.77.0.1:5301 --seconds 1 >/dev/null 2>&1
  ended=$?
  wait $receiver
  expect "a blocked link cannot hang it" [ $ended != 124 ]
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
  cat >"$work/left.py" <<'PY'
import os, resource, signal, socket, subprocess, sys, time
agent, case = sys.argv[1:]
listener = socket.create_server(("127.0.0.1", 0))
ours, theirs = socket.socketpair()
stdin, stdin_end = os.pipe()
relay = subprocess.Popen([agent, "relay", "127.0.0.1", str(listener.getsockname()[1])], stdin=stdin, stdout=theirs)
theirs.close()
peer, _ = listener.accept()
if case == "reader-gone":  # stdin and the peer stay open
    ours.close()
    try:
        relay.wait(2)
    except subprocess.TimeoutExpired:
        print("it goes on")
else:  # the reader stands still, and the peer resets a full connection
    peer.settimeout(1)
    try:
        while True:
            peer.send(b"x" * 65536)
    except OSError:
        pass
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    peer.close()
    time.sleep(1)
relay.kill()
relay.wait()
spent = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{spent.ru_utime + spent.ru_stime:.2f} s of processor time")
sys.exit(relay.returncode != 1 if case == "reader-gone" else spent.ru_utime + spent.ru_stime > 0.3)
PY
  expect "a reader that goes away ends it on a socket too, without a word from anybody" \
    timeout 20 python3 "$work/left.py" "$agent" reader-gone
  expect "it does not spin while its reader stands still and its peer is gone" \
    timeout 20 python3 "$work/left.py" "$agent" peer-reset
  expect "a refused connection is an error" exits 1 "$agent" relay --netns "/run/netns/$space_a" 10.77.0.1 5400 </dev/null
  expect "a name is wrong usage" exits 2 "$agent" relay localhost 22 </dev/null
}

all_gone() { # FILE: of process ids
  for pid in $(cat "$1"); do case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) in '' | Z*) ;; *) echo "$pid lives"; return 1 ;; esac; done
}

check_guard() {
  # What mpirun does with its ssh processes: groups of their own, and here deaf to TERM too.
  printf '%s\n' 'trap "" TERM' 'echo $$ >>"$1"' '(setsid sh -c "trap : TERM; echo \$\$ >>$1; while :; do sleep 1; done") &' \
    'sleep 0.3; if [ "$2" = ends ]; then exit 4; fi; while :; do sleep 0.05; done' >"$work/family.sh"
  : >"$work/family"
  sleep 1 | "$agent" guard --grace 0.5 -- sh "$work/family.sh" "$work/family" stays
  expect "guard ends all that ignores TERM, in any process group" all_gone "$work/family"
  expect "and there was something to end" [ "$(wc -l <"$work/family")" = 2 ]
  : >"$work/family"
  sleep 20 | exits 4 "$agent" guard -- sh "$work/family.sh" "$work/family" ends
  expect "what a command leaves when it ends is ended too" all_gone "$work/family"
  : >"$work/family"
  echo 'echo $$ >"$1"; while :; do sleep 0.05; done' >"$work/child.sh"
  sleep 20 | "$agent" guard -- sh "$work/child.sh" "$work/family" &
  until_true 5 [ -s "$work/family" ]
  kill -KILL "$(awk '{ print $4 }' "/proc/$(cat "$work/family")/stat")"
  expect "a guard that is killed takes its command along" until_true 3 all_gone "$work/family"
  expect "the grace is shorter than the 5 s that a controller waits" sh -c "'$agent' guard --help | grep -q -- '--grace 3'"
}

ip netns add "$space_a" && ip netns add "$space_b" || exit 1
ip -n "$space_a" link add left type veth peer name right netns "$space_b"
ip -n "$space_a" addr add 10.77.0.1/24 dev left
ip -n "$space_b" addr add 10.77.0.2/24 dev right
for end in "$space_a lo" "$space_a left" "$space_b right"; do ip -n "${end% *}" link set "${end#* }" up; done
for part in ${2:-usage facts sample probe relay guard}; do "check_$part"; done
echo "$facts facts checked, $failures not so"
[ $failures = 0 ]
