import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { programFile } from '../../../agents/host-programs.ts';
import type { Inventory } from '../../../inventory/inventory-schema.ts';
import { stacksOfRun } from '../../../orchestrator/cell/stacks-of-run.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import type { CommandResult, Executor } from '../../../orchestrator/hosts/executor.ts';
import { stacksProblem, startStackRecorders } from '../../../orchestrator/hosts/stack-recorder.ts';
import { FakeWorld } from '../fake/world.ts';

/** A place where no ranks of others are seen: how a command gets there. */
function ownProcesses(): readonly string[] {
  const holder = spawn('unshare', ['--pid', '--mount', '--fork', '--kill-child', '--mount-proc', 'sleep', '100']);
  onTestFinished(() => void holder.kill('SIGKILL'));
  const children = `/proc/${holder.pid}/task/${holder.pid}/children`;
  for (const end = Date.now() + 5000; Date.now() < end; ) {
    const child = existsSync(children) ? readFileSync(children, 'utf8').trim() : '';
    const name = child === '' ? '' : readFileSync(`/proc/${child}/comm`, 'utf8').trim();
    if (name === 'sleep') return ['nsenter', '-t', child, '-p', '-m', '--'];
  }
  throw new Error('no namespace was made');
}

/** This machine as a host with the agent in its work folder; `env` is that of every command. */
function here(env: Readonly<Record<string, string>> = {}, within: readonly string[] = []): Cluster {
  const folder = mkdtempSync(join(tmpdir(), 'stacks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'work'));
  copyFileSync(programFile('agent'), join(folder, 'work', 'predict-agent'));
  const run = (words: readonly string[]) =>
    execa('/usr/bin/env', [...within, '/bin/sh', ...words.slice(1)], {
      reject: false,
      env: { TMPDIR: folder, ...env },
      stdin: 'pipe',
    });
  const resultOf = async (running: ReturnType<typeof run>): Promise<CommandResult> => {
    const { stdout, stderr, exitCode = null, durationMs } = await running;
    const ended = { signal: null, timedOut: false, printedTooMuch: false };
    return { host: 'n1', exitCode, stdout: String(stdout), stderr: String(stderr), durationMs, ...ended };
  };
  const executor: Executor = {
    host: 'n1',
    sshPort: 22,
    exec: (command) => {
      const running = run(command);
      running.stdin?.end();
      return resultOf(running);
    },
    start: async (command) => {
      const running = run(command);
      return {
        done: resultOf(running),
        write: (text) => void running.stdin?.write(text),
        end: () => void running.stdin?.end(),
      };
    },
    send: () => Promise.reject(new Error('nothing is sent')),
    fetch: async (path) => (existsSync(path) ? readFileSync(path) : null),
    close: () => undefined,
  };
  const inventory: Inventory = { ...new FakeWorld(1).inventory, work: { folder: join(folder, 'work'), shared: false } };
  return new Cluster(inventory, () => executor);
}

const wall = { kind: 'wall', hz: 99 } as const;
const trial = ['record', '-e', 'context-switches', '-o', '/dev/null', '--', 'true'];
const canRecord = process.getuid?.() === 0 && spawnSync('perf', trial).status === 0;

test('a host without perf is told so, in one sentence with what to install', async () => {
  const cluster = here({ PATH: '/nowhere' });
  const said = await stacksProblem(cluster, cluster.inventory.hosts, wall);
  expect(said).toMatch(/^n1: perf is not installed there \(on Debian: linux-perf\)$/);
});

test.skipIf(!canRecord)('a rank is found, recorded while it runs, and leaves nothing behind', async () => {
  const within = ownProcesses();
  const cluster = here({}, within);
  const { hosts } = cluster.inventory;
  const recorders = await startStackRecorders(cluster, hosts, { profile: wall, ranksPerNode: 1, timeoutMs: 60_000 });
  const startedAt = new Date();
  // In turn 10 ms on a processor and 10 ms asleep, until it has had half a second of a processor, however busy that is.
  const script = `const nap = new Int32Array(new SharedArrayBuffer(4)); const used = () => process.cpuUsage().user;
    const end = used() + 5e5;
    while (used() < end) { const until = used() + 1e4; while (used() < until); Atomics.wait(nap, 0, 0, 10); }`;
  // A rank has a launcher, which outlives it: nsenter would stop with a child of its own that stands still.
  const launched = 'OMPI_COMM_WORLD_RANK=5 "$@"; exit $?';
  const from = performance.now();
  await execa('/usr/bin/env', [...within, 'sh', '-c', launched, 'sh', process.execPath, '-e', script]);
  const elapsedS = (performance.now() - from) / 1000;
  const recorded = await recorders.stop();
  expect(recorded.map(({ host, problem }) => [host, problem])).toEqual([['n1', null]]);
  expect([...(recorded[0]?.ranks.values() ?? [])]).toEqual([5]);
  const context = { profile: wall, phases: undefined, timed: null, ranks: 1, startedAt };
  const { table, marks } = await stacksOfRun(recorded, context);
  expect(marks.map(({ text }) => text).filter((text) => !/program's start/.test(text))).toEqual([]);
  const seconds = (kind: string): number =>
    table.rows.reduce((sum, row) => sum + (row.kind === kind ? row.seconds : 0), 0);
  // How much of each there is, is the machine's affair.
  expect(seconds('wait')).toBeGreaterThan(0.02);
  expect(seconds('cpu')).toBeGreaterThan(0.02);
  expect(seconds('wait') + seconds('cpu') + seconds('queued')).toBeLessThan(1.1 * elapsedS + 0.1);
  const uid = process.getuid?.();
  const left = await cluster
    .on(hosts[0] as (typeof hosts)[0])
    .exec(['sh', '-c', `ls -d "$TMPDIR"/predict-stacks-${uid}-*`]);
  expect(left.exitCode).not.toBe(0);
});

test.skipIf(!canRecord)('where no rank comes, the run has a mark and no stacks', async () => {
  const within = ownProcesses();
  const cluster = here({}, within);
  const { hosts } = cluster.inventory;
  const recorders = await startStackRecorders(cluster, hosts, { profile: wall, ranksPerNode: 3, timeoutMs: 60_000 });
  const recorded = await recorders.stop();
  const context = { profile: wall, phases: undefined, timed: null, ranks: 3, startedAt: new Date() };
  const { table, marks } = await stacksOfRun(recorded, context);
  expect(table.rows).toEqual([]);
  expect(marks.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^n1: call stacks: nothing was recorded \(.*0 of 3 ranks were seen\)\.$/),
    'Call stacks: 0 of 3 ranks were recorded.',
  ]);
});
