import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jobFault, readKills } from '../../../orchestrator/cell/why-ended.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import type { CommandResult } from '../../../orchestrator/hosts/executor.ts';
import { LAUNCHERS } from '../../../orchestrator/launchers/launchers.ts';
import { FakeWorld } from '../fake/world.ts';

/** What Open MPI 4.1.4 printed when such a process of a job on n1 and n2 was ended. */
const openmpi = (name: string): string =>
  readFileSync(new URL(`../../fixtures/launchers/openmpi-${name}.stderr`, import.meta.url), 'utf8');

const MPICH_KILLED = [
  '===================================================================================',
  '=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES',
  '=   PID 22211 RUNNING AT n2',
  '=   EXIT CODE: 9',
  '=   CLEANING UP REMAINING PROCESSES',
  '===================================================================================',
  'YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)',
].join('\n');
const MPICH_SEGFAULT = MPICH_KILLED.replace('CODE: 9', 'CODE: 139').replace(
  'Killed (signal 9)',
  'Segmentation fault (signal 11)',
);
const SRUN_OOM =
  'slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.\nsrun: error: n2: task 1: Out Of Memory\n';
const SRUN_SEGFAULT = 'srun: error: n2: task 1: Segmentation fault (core dumped)\nsrun: error: n1: task 0: Killed\n';
const SRUN_ENDED = 'srun: error: n2: tasks 1,3: Terminated\nsrun: error: n1: tasks 0,2: Killed\n';

/** 6.18's own line for a process that outgrew its control group. */
const KILLED_LINE =
  '[12212.502409] Memory cgroup out of memory: Killed process 10215 (python3) total-vm:118956kB, anon-rss:30464kB, file-rss:6624kB, shmem-rss:0kB, UID:0 pgtables:124kB oom_score_adj:0\n';

const ended = (exitCode: number | null, stderr = '', change: Partial<CommandResult> = {}): CommandResult => ({
  ...{ host: 'n1', exitCode, signal: null, stdout: '', stderr, durationMs: 1, timedOut: false, printedTooMuch: false },
  ...change,
});

function faultOf(
  result: CommandResult,
  { launcher = 'openmpi', world = new FakeWorld(2, `mpi: {launcher: ${launcher}}\n`) } = {},
) {
  const cluster = new Cluster(world.inventory, world.open);
  const killsBefore = new Map(world.inventory.hosts.map(({ name }) => [name, 0]));
  return jobFault(cluster, world.inventory.hosts, { result, killsBefore, program: '/opt/bin/predict-graphalytics' });
}

describe('a job that a signal from outside ended', () => {
  it.each([
    [
      'a rank is killed',
      'openmpi',
      ended(137, openmpi('rank-killed')),
      'n2',
      /^n2: rank 1 \(pid \d+\) was killed from outside by SIGKILL\.$/,
    ],
    [
      'a rank is terminated',
      'openmpi',
      ended(143, openmpi('rank-terminated')),
      'n2',
      /^n2: rank 1 \(pid \d+\) .* SIGTERM/,
    ],
    [
      'the child of a shell is killed',
      'openmpi',
      ended(137, openmpi('wrapped-rank-killed')),
      undefined,
      /^rank 1 .* SIGKILL/,
    ],
    [
      'the child of a shell is terminated',
      'openmpi',
      ended(143, openmpi('wrapped-rank-terminated')),
      undefined,
      /^rank 1 .* SIGTERM/,
    ],
    ['mpirun is killed', 'openmpi', ended(137, 'BFS 3 took 0.1 s\n'), 'n1', /^n1: the launcher .* SIGKILL/],
    ['mpirun is terminated', 'openmpi', ended(1, 'BFS 3 took 0.1 s\n'), 'n1', /^n1: the launcher .* SIGTERM/],
    [
      'the guard is killed',
      'openmpi',
      ended(null, '', { signal: 'KILL' }),
      'n1',
      /^n1: the launcher's guard .* SIGKILL/,
    ],
    [
      'orted is killed',
      'openmpi',
      ended(205, openmpi('orted-killed')),
      'n2',
      /^n2: The launcher could not start or keep the run: ORTE has lost communication with a remote daemon\.$/,
    ],
    [
      'mpirun cannot start the job and says so in a line',
      'openmpi',
      ended(1, 'ORTE was unable to reliably start one or more daemons.\n'),
      undefined,
      /could not start or keep the run: ORTE was unable/,
    ],
    ['a rank is killed', 'mpich', ended(9, MPICH_KILLED), 'n2', /^n2: a rank \(pid 22211\) .* SIGKILL/],
    ['a task is out of memory', 'srun', ended(137, SRUN_OOM), 'n2', /^n2: rank 1 .* SIGKILL/],
    ['tasks are terminated', 'srun', ended(143, SRUN_ENDED), 'n2', /^n2: rank 1 .* SIGTERM/],
  ] as const)('is told with whom and where: %s (%s)', async (_, launcher, result, host, text) => {
    expect(await faultOf(result, { launcher })).toEqual({ host, text: expect.stringMatching(text), outgrew: false });
  });

  it('tells the first cause, not the last lines of the program', async () => {
    const fault = await faultOf(ended(205, openmpi('orted-killed')));
    expect(fault?.text).not.toContain('BFS');
  });
});

/** What SLURM 22.05 printed when such a step on n1 and n2 ended. */
const step = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;
const SCANCELLED = step(
  'slurmstepd-n1: error: *** STEP 9.2 ON n1 CANCELLED AT 2026-11-22T07:41:34 ***',
  'srun: Job step aborted: Waiting up to 5 seconds for job step to finish.',
  'srun: error: n2: task 1: Killed',
);
const OVER_TIME = SCANCELLED.replace('07:41:34', '07:41:34 DUE TO TIME LIMIT').replace('Killed', 'Terminated');
const PREEMPTED = OVER_TIME.replace('TIME LIMIT', 'PREEMPTION');
const LOST = step(
  'srun: error: Node failure on n2',
  'srun: Job step aborted: Waiting up to 5 seconds for job step to finish.',
);
const EXITED = step(
  'srun: error: n2: task 1: Exited with exit code 3',
  'srun: launch/slurm: _step_signal: Terminating StepId=9.1',
  'slurmstepd-n1: error: *** STEP 9.1 ON n1 CANCELLED AT 2026-11-22T07:41:33 ***',
  'srun: error: n1: task 0: Terminated',
  'srun: Force Terminated StepId=9.1',
);
const ABORTED = step(
  'MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD',
  'slurmstepd-n1: error: *** STEP 13.0 ON n1 CANCELLED AT 2026-11-22T07:43:19 ***',
  'srun: Job step aborted: Waiting up to 5 seconds for job step to finish.',
  'srun: error: n2: task 1: Exited with exit code 7',
  'srun: error: n1: task 0: Killed',
);
const CRASHED = readFileSync(new URL('../../fixtures/launchers/srun-crash-at-start.stderr', import.meta.url), 'utf8');

describe('a step of srun', () => {
  it.each([
    ['scancelled', ended(137, SCANCELLED), /STEP 9\.2 ON n1 CANCELLED AT/],
    ['over its time', ended(143, OVER_TIME), /DUE TO TIME LIMIT/],
    ['preempted', ended(143, PREEMPTED), /DUE TO PREEMPTION/],
    ['whose node is lost', ended(143, LOST), /^n2: .*Node failure on n2/],
    ['whose only node is lost, with exit 0', ended(0, LOST), /^n2: .*Node failure on n2/],
    [
      'not launched',
      ended(1, 'srun: error: task 1 launch failed: Unspecified error\n'),
      /task 1 launch failed: Unspecified error/,
    ],
  ] as const)('%s is no result of its program', async (_, result, text) => {
    expect((await faultOf(result, { launcher: 'srun' }))?.text).toMatch(text);
  });

  it.each([
    ['a task exits, and srun ends the others', ended(143, EXITED), 3],
    ['a task aborts the job', ended(7, ABORTED), null],
    [
      'a task crashes, and srun ends the others',
      ended(143, EXITED.replace('Exited with exit code 3', 'Aborted (core dumped)')),
      134,
    ],
  ] as const)('ended by itself: %s', async (_, result, own) => {
    expect(await faultOf(result, { launcher: 'srun' })).toBeNull();
    if (own !== null) expect(LAUNCHERS.srun.ownExit?.(result.stderr)).toBe(own);
  });

  it('that crashes before the program has said anything is tried again, and believed on the last try', async () => {
    expect(await faultOf(ended(143, CRASHED), { launcher: 'srun' })).toMatchObject({
      text: expect.stringMatching(/^rank 2 crashed \(SIGSEGV\) before any output/),
      maybeOwn: true,
    });
    const lostPeer =
      '[node01][[60838,15203],0][../../opal/mca/btl/tcp/btl_tcp.c:559:mca_btl_tcp_recv_blocking] recv(21) failed: Connection reset by peer (104)\n';
    expect(await faultOf(ended(143, CRASHED + lostPeer), { launcher: 'srun' })).toMatchObject({ maybeOwn: true });
    expect(await faultOf(ended(143, CRASHED, { stdout: 'graph made\n' }), { launcher: 'srun' })).toBeNull();
    expect(await faultOf(ended(143, `step 3 of 9\n${CRASHED}`), { launcher: 'srun' })).toBeNull();
  });

  it('that can never start ends the sweep', async () => {
    const never = 'srun: error: Unable to allocate resources: Invalid partition name specified\n';
    expect(await faultOf(ended(1, never), { launcher: 'srun' })).toMatchObject({ final: 'badInput' });
  });
});

describe('a job that ended by itself', () => {
  it.each([
    ['a segmentation fault', 'openmpi', ended(139, openmpi('rank-segfault'))],
    ['a segmentation fault', 'mpich', ended(139, MPICH_SEGFAULT)],
    [
      'a segmentation fault, for which srun killed the others',
      'srun',
      ended(139, SRUN_SEGFAULT, { stdout: 'graph made\n' }),
    ],
    [
      'an exit code',
      'openmpi',
      ended(9, `${'-'.repeat(70)}\nmpirun detected ...\n  Process name: [[1,1],1]\n  Exit code:    9\n`),
    ],
    ['an exit code of its own above 128', 'openmpi', ended(200)],
    ['success', 'openmpi', ended(0, openmpi('rank-killed'))],
    ['its time-out', 'openmpi', ended(143, '', { timedOut: true })],
  ] as const)('is no fault of the cluster: %s (%s)', async (_, launcher, result) => {
    expect(await faultOf(result, { launcher })).toBeNull();
  });
});

describe('the kernel', () => {
  it('is asked what it ended where a rank was killed', async () => {
    const world = new FakeWorld(2);
    world.host('n2').killed = `oom_kill 1\n${KILLED_LINE}`;
    expect(await faultOf(ended(137, openmpi('rank-killed')), { world })).toEqual({
      host: 'n2',
      text: "n2: the kernel's OOM killer ended python3 (pid 10215, 36.2 MiB).",
      outgrew: false,
    });
  });

  it('is asked of all hosts where the launcher names none', async () => {
    const world = new FakeWorld(2);
    world.host('n2').killed = `oom_kill 1\n${KILLED_LINE}`;
    expect(await faultOf(ended(137, openmpi('wrapped-rank-killed')), { world })).toMatchObject({
      host: 'n2',
      text: "n2: the kernel's OOM killer ended python3 (pid 10215, 36.2 MiB).",
    });
  });

  it('tells of the program itself first, by the 15 letters of its name that it keeps', async () => {
    const world = new FakeWorld(2);
    const own = KILLED_LINE.replace('10215 (python3)', '10216 (predict-graphal)');
    world.host('n2').killed = `oom_kill 2\n${KILLED_LINE}${own}`;
    expect(await faultOf(ended(137, openmpi('rank-killed')), { world })).toEqual({
      host: 'n2',
      text: "n2: the kernel's OOM killer ended predict-graphal (pid 10216, 36.2 MiB).",
      outgrew: true,
    });
  });

  it('is believed by its count alone where its log is not to be read', async () => {
    const world = new FakeWorld(2);
    world.host('n1').killed = 'oom_kill 1\n';
    const fault = await faultOf(ended(137), { world });
    expect(fault?.text).toBe("n1: the kernel's OOM killer ended a process of the run.");
  });

  it('is not asked of a rank that was terminated, and its silence costs nothing', async () => {
    const world = new FakeWorld(2);
    world.host('n2').killed = `oom_kill 1\n${KILLED_LINE}`;
    expect((await faultOf(ended(143, openmpi('rank-terminated')), { world }))?.text).toContain('SIGTERM');
    expect(world.count('kills')).toBe(0);
    world.host('n2').down = true;
    expect((await faultOf(ended(137, openmpi('rank-killed')), { world }))?.text).toContain('SIGKILL');
  });

  it('told of earlier kills has ended nothing of this run', () => {
    expect(readKills('n1', `oom_kill 3\n${KILLED_LINE}`, 3)).toEqual([]);
    expect(readKills('n1', KILLED_LINE, 0)).toEqual([]);
    const two = `oom_kill 5\n${KILLED_LINE}${KILLED_LINE.replace('10215', '10216')}`;
    expect(readKills('n1', two, 4).map(({ program }) => program?.pid)).toEqual([10216]);
  });
});
