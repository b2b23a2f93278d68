import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';

let agent = '';
beforeAll(async () => {
  ({ agent } = await buildHostPrograms());
});

/** What a script of the tests finds: an empty /run of root's, $agent, and the folders of its own control groups. */
const PROLOGUE = [
  'umask 022',
  'mount -t tmpfs -o mode=755 tmpfs /run',
  'until_true() { for i in $(seq 250); do "$@" && return 0; sleep 0.02; done; echo "never: $*" >&2; return 1; }',
  // Whatever its number was: a zombie has ended.
  'ended() { case $(sed "s/.*) //" "/proc/$1/stat" 2>/dev/null) in ""|Z*) ;; *) return 1 ;; esac; }',
  'enter() { "$agent" group enter --run run12345 --pid "$1"; }',
  'end() { "$agent" group end --run run12345; }',
  'registered() { ls /run/predict/runs | grep -vx lock; }',
  // A rank that starts something in the background once it was moved, when $1 exists.
  'rank() { sh -c \'until [ -e "$0" ]; do sleep 0.01; done; shift 0; eval "$1"\' "$1" "$2" & rank=$!; }',
].join('\n');

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a shell script in mounts and process numbers of its own; its processes end with it. */
async function run(script: string, version: Version = 'version 2'): Promise<Ran> {
  const words = ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child', '--propagation', 'private'];
  const { stdout, stderr } = await execa(
    'unshare',
    [...words, 'sh', '-uc', [PROLOGUE, HIDE[version], script].join('\n')],
    {
      env: { agent },
      reject: false,
      timeout: 300_000,
    },
  );
  return { stdout, stderr };
}

type Version = 'version 2' | "version 1's freezer";

/** Version 1 is what is left without the mount of version 2. */
const HIDE: Readonly<Record<Version, string>> = {
  'version 2': '',
  "version 1's freezer": 'for at in $(findmnt -rn -t cgroup2 -o TARGET); do umount "$at" || exit; done',
};

const freezes = (await execa('findmnt', ['-rn', '-t', 'cgroup', '-O', 'freezer'], { reject: false })).stdout !== '';
const VERSIONS: readonly Version[] = freezes ? ['version 2', "version 1's freezer"] : ['version 2'];

describe.skipIf(process.getuid?.() !== 0)('predict-agent group (needs root)', () => {
  describe.each(VERSIONS)('of %s', (version) => {
    it('ends a daemon that left its session, its parent and its process group and is deaf to SIGTERM', async () => {
      const daemon = `setsid sh -c "trap \\"\\" TERM; (setsid sleep 30 & echo \\$! >/run/daemon) & exit 0"`;
      const { stdout, stderr } = await run(
        [
          `rank /run/go '${daemon}; sleep 30'`,
          'group=$(enter $rank); : >/run/go; until_true test -s /run/daemon; daemon=$(cat /run/daemon)',
          'kill $daemon; kill -0 $daemon && echo deaf; until_true sh -c "! ps -o pgid= -p $daemon | grep -qw $rank"',
          'grep -qx "$daemon" "$group/cgroup.procs" && echo inside',
          'end >/run/ended; grep -qE "^ended [2-4]$" /run/ended && echo counted || cat /run/ended',
          'ended $daemon && ended $rank && echo gone; ls -d "$group" 2>&1 | grep -c cannot; registered',
        ].join('\n'),
        version,
      );
      expect([stdout.split('\n'), stderr]).toEqual([['deaf', 'inside', 'counted', 'gone', '1'], '']);
    });

    it('ends hundreds of processes that go on forking', async () => {
      // Ten generations of two, each of which forks before it waits: a thousand at most.
      const bomb = 'bomb() { [ $1 = 0 ] && exec sleep 30; bomb $(($1-1)) & bomb $(($1-1)) & wait; }; bomb 9';
      const { stdout, stderr } = await run(
        [
          `rank /run/go '${bomb}'`,
          'group=$(enter $rank); : >/run/go',
          'until_true sh -c "[ \\$(wc -l <$group/cgroup.procs) -gt 200 ]"',
          'end | { read -r word count; echo "$word $((count > 200))"; }',
          'ls -d "$group" 2>&1 | grep -c cannot; pgrep -c sleep; registered',
        ].join('\n'),
        version,
      );
      expect([stdout.split('\n'), stderr]).toEqual([['ended 1', '1', '0'], '']);
    });

    it('ends what is in groups below it, which it removes', async () => {
      const { stdout } = await run(
        [
          'sleep 30 & inner=$!; sleep 30 & outer=$!',
          'group=$(enter $outer); enter $inner >/dev/null; mkdir -p "$group/a/b"; echo $inner >"$group/a/b/cgroup.procs"',
          'end; ended $inner && ended $outer && echo gone; ls -d "$group" 2>&1 | grep -c cannot',
        ].join('\n'),
        version,
      );
      expect(stdout.split('\n')).toEqual(['ended 2', 'gone', '1']);
    });

    it('makes one group of a run below the group that its processes are in, and moves none twice', async () => {
      const { stdout } = await run(
        [
          'sleep 30 & first=$!; sleep 30 & second=$!',
          'group=$(enter $first); for pid in $second $first; do [ "$(enter $pid)" = "$group" ] && echo same; done',
          'wc -l <"$group/cgroup.procs"; grep -qx $$ "$(dirname "$group")/cgroup.procs" && echo below',
          'basename "$group" | cut -c 1-17; cat /run/predict/runs/run12345 | sed "s|$group|GROUP|"; end',
        ].join('\n'),
        version,
      );
      expect(stdout.split('\n')).toEqual(['same', 'same', '2', 'below', 'predict-run12345-', '0', 'GROUP', 'ended 2']);
    });

    it('is of one host alone where hosts share the groups of a machine, as in a lab', async () => {
      const { stdout } = await run(
        [
          'sleep 30 & here=$!; sleep 30 & there=$!; enter $here >/dev/null',
          'other() { unshare --mount sh -c \'mount -t tmpfs -o mode=755 tmpfs /run; "$agent" group enter --run run12345 --pid "$1" >/dev/null; echo entered; read -r _; "$agent" group end --run run12345\' - $there; }',
          'mkfifo /run/go; other </run/go >/run/said & host=$!; exec 9>/run/go; until_true grep -q entered /run/said',
          'end; ended $here && ! ended $there && echo "the other lives"; echo >&9; wait $host; tail -n 1 /run/said; ended $there && echo gone',
        ].join('\n'),
        version,
      );
      expect(stdout.split('\n')).toEqual(['ended 1', 'the other lives', 'ended 1', 'gone']);
    });

    it('ends with the holder of the lock, also what a holder left that was killed', async () => {
      const { stdout } = await run(
        [
          'mkfifo /run/end; hold() { "$agent" hold --token 11112222 --owner anna </run/end >/run/held & holder=$!; exec 7>/run/end; until_true grep -q held /run/held; }',
          'hold; sleep 30 7>&- & rank=$!; enter $rank >/dev/null; exec 7>&-; wait $holder; ended $rank && echo "ended by its holder"; registered',
          ': >/run/held; hold; sleep 30 7>&- & rank=$!; enter $rank >/dev/null; kill -9 $holder; wait $holder 2>/dev/null; ended $rank || echo "left by a killed one"',
          'exec 7>&-; : >/run/held; hold; ended $rank && echo "ended by the next"; registered; exec 7>&-; wait $holder',
        ].join('\n'),
        version,
      );
      expect(stdout.split('\n')).toEqual(['ended by its holder', 'left by a killed one', 'ended by the next']);
    });
  });

  it('ends a process of another PID namespace, which has no number here', async () => {
    const { stdout } = await run(
      'sleep 30 & rank=$!; group=$(enter $rank); unshare --pid --fork --mount-proc sh -c \'cat "$1/cgroup.procs"; "$agent" group end --run run12345\' - "$group"; ended $rank && echo gone',
    );
    expect(stdout.split('\n')).toEqual(['0', 'ended 1', 'gone']);
  });

  it('moves for sudo only processes that are wholly of the user who asks', async () => {
    const { stdout, stderr } = await run(
      [
        'sleep 30 & roots=$!; setpriv --reuid 65534 --clear-groups sleep 30 & own=$!; setpriv --ruid 65534 --clear-groups sleep 30 & half=$!',
        'until_true sh -c "grep -q Uid:.65534.65534 /proc/$own/status && grep -q Uid:.65534.0 /proc/$half/status"',
        'for pid in $roots $half; do SUDO_UID=65534 enter $pid; echo "code $?"; done; ls /run/predict 2>/dev/null',
        'group=$(SUDO_UID=65534 enter $own); grep -cx $own "$group/cgroup.procs"; head -n 1 /run/predict/runs/run12345',
        'SUDO_UID=1000 end; echo "code $?"; SUDO_UID=65534 end; ended $own && ! ended $roots && echo "own alone"',
      ].join('\n'),
    );
    expect(stdout.split('\n')).toEqual(['code 1', 'code 1', '1', '65534', 'code 1', 'ended 1', 'own alone']);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^predict-agent group: process \d+ does not belong to user 65534, who asks; /),
      expect.stringMatching(/^predict-agent group: process \d+ does not belong to user 65534, who asks; /),
      expect.stringMatching(/^predict-agent group: the run run12345 is of user 65534, not of user 1000; /),
    ]);
  });

  it('lets go of the process that it moved, and neither stops nor wakes it', async () => {
    const { stdout, stderr } = await run(
      [
        'setpriv --reuid 65534 --clear-groups sleep 30 & own=$!',
        'until_true grep -q Uid:.65534.65534 /proc/$own/status',
        'SUDO_UID=65534 enter $own >/dev/null; echo "code $?"; grep TracerPid /proc/$own/status; kill -STOP $own; until_true grep -q "T (stopped)" /proc/$own/status',
        'SUDO_UID=65534 enter $own >/dev/null; echo "code $?"; until_true grep -q "T (stopped)" /proc/$own/status; grep -c "T (stopped)" /proc/$own/status; end',
      ].join('\n'),
    );
    expect([stdout.split('\n'), stderr]).toEqual([['code 0', 'TracerPid:\t0', 'code 0', '1', 'ended 1'], '']);
  });

  it.each([
    ['a short token', 'enter --run abc1234 --pid $$', 2],
    ['a token that is a path', 'enter --run ../../../etc --pid $$', 2],
    ['a token of 65 letters', `end --run ${'a'.repeat(65)}`, 2],
    ['no token', 'enter --pid $$', 2],
    ['no process', 'enter --run run12345', 2],
    ['process 1', 'enter --run run12345 --pid 1', 2],
    ['a process that is no number', 'enter --run run12345 --pid 12x', 2],
    ['a negative process', 'enter --run run12345 --pid -1', 2],
    ['a process beyond all', 'enter --run run12345 --pid 4194305', 2],
    ['a process for the end', 'end --run run12345 --pid $$', 2],
    ['no verb', '--run run12345', 2],
    ['a process that is not there', 'enter --run run12345 --pid 4194304', 1],
  ])('rejects %s before anything is touched', async (_, words, code) => {
    const { stdout, stderr } = await run(`"$agent" group ${words}; echo "code $?"; ls /run`);
    expect(stdout).toBe(`code ${code}`);
    expect(stderr).toMatch(/^predict-agent group: .+$/);
  });

  it.each(['x', '-1', '', '4294967295', '1000 0'])('rejects the SUDO_UID "%s"', async (user) => {
    const { stdout } = await run(`sleep 30 & SUDO_UID='${user}' enter $!; echo "code $?"; ls /run`);
    expect(stdout).toBe('code 1');
  });

  it('says so where no group can be made, and leaves nothing', async () => {
    const { stdout, stderr } = await run(
      'for at in $(findmnt -rn -t cgroup,cgroup2 -o TARGET); do mount -o remount,bind,ro "$at" || exit; done; sleep 30 & enter $!; echo "code $?"; registered; end',
    );
    expect(stdout.split('\n')).toEqual(['code 1', 'ended 0']);
    expect(stderr).toMatch(/^predict-agent group: no control group can be made below \/.+ \(Read-only file system\); /);
  });

  it('says so where no control groups are mounted', async () => {
    const { stdout, stderr } = await run('umount -l /sys/fs/cgroup; sleep 30 & enter $!; echo "code $?"');
    expect([stdout, stderr]).toEqual([
      'code 1',
      expect.stringMatching(/: no control groups of process \d+ are mounted/),
    ]);
  });

  it('is for root, and has nothing to end where there is no run', async () => {
    const { stdout, stderr } = await run(
      'end; ls /run; cp "$agent" /run/a; setpriv --reuid 65534 --clear-groups /run/a group end --run run12345; echo "code $?"',
    );
    expect([stdout.split('\n'), stderr]).toEqual([['ended 0', 'code 1'], expect.stringContaining('this is for root')]);
  });

  it('does not trust a list of groups that names something else', async () => {
    const { stdout, stderr } = await run(
      'mkdir -p /run/predict/runs; printf "0\\n/sys/fs/cgroup\\n" >/run/predict/runs/run12345; end; echo "code $?"; sleep 30 & enter $!; echo "code $?"',
    );
    expect(stdout).toBe('code 1\ncode 1');
    expect(stderr).toMatch(/runs\/run12345 cannot be understood/);
  });
});
