import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { type AgentLine, parseAgentLine } from '../../orchestrator/dag/pipes/agent-lines.ts';

/** Watches a command to its end, or what runs already for a while. */
async function watched(words: readonly string[], forMs?: number): Promise<AgentLine[]> {
  const { agent } = await buildHostPrograms();
  const running = execa(agent, ['pipes', '--slice', '0.2', ...words], {
    reject: false,
    timeout: 300_000,
    stdin: 'pipe',
  });
  if (forMs !== undefined) setTimeout(() => running.stdin?.end(), forMs);
  const { stdout } = await running;
  return stdout.split('\n').map((line) => {
    const parsed = parseAgentLine(line);
    if (parsed === null) throw new Error(`no line of the agent: ${line}`);
    return parsed;
  });
}

function of<Kind extends AgentLine['kind']>(lines: readonly AgentLine[], kind: Kind): (AgentLine & { kind: Kind })[] {
  return lines.filter((line): line is AgentLine & { kind: Kind } => line.kind === kind);
}

/** Samples of a process: all, and those blocked by way. */
function samples(lines: readonly AgentLine[], pid: number) {
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const waits = of(lines, 'waited').filter((line) => line.pid === pid);
  return {
    seen: sum(
      of(lines, 'did')
        .filter((line) => line.pid === pid)
        .map(({ seen }) => seen),
    ),
    reads: sum(waits.filter(({ way }) => way === 'r').map(({ count }) => count)),
    writes: sum(waits.filter(({ way }) => way === 'w').map(({ count }) => count)),
  };
}

/** Descriptors of a process, none of one that has ended. */
function descriptorsOf(pid: number | undefined): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

/** Ids of what a process has started, once these programs run. */
async function children(pid: number | undefined, names: readonly string[]): Promise<string[]> {
  for (;;) {
    const { stdout } = await execa('pgrep', ['-l', '-P', String(pid)], { reject: false });
    const found = stdout.split('\n').map((line) => line.split(' '));
    if (found.map(([, name]) => name).join() === names.join()) return found.map(([id = '']) => id);
    await sleep(20);
  }
}

describe.skipIf(process.platform !== 'linux')('predict-agent pipes', () => {
  it('finds who is blocked on which pipe, and how full it is', async () => {
    const lines = await watched(['--', 'sh', '-c', 'yes | sleep 1.5; exit 5']);
    const [yes] = of(lines, 'process').filter(({ args }) => args === 'yes');
    const [pipe] =
      of(lines, 'ends')
        .filter(({ pid }) => pid === yes?.pid)
        .at(-1)?.ends ?? [];
    expect(pipe).toMatchObject({ fd: 1, writes: true, reads: false, channel: expect.stringMatching(/^pipe:\d+$/) });
    const { seen, writes, reads } = samples(lines, yes?.pid ?? 0);
    expect(reads).toBe(0);
    // yes fills the pipe at once and is blocked from then on.
    expect(writes / seen).toBeGreaterThan(0.8);
    const levels = of(lines, 'level').filter(({ channel }) => channel === pipe?.channel);
    expect(levels.at(-2)).toMatchObject({ capacity: 65536 });
    expect(levels.at(-2)?.full).toBe(levels.at(-2)?.samples);
    expect(of(lines, 'exit')).toEqual([{ kind: 'exit', code: 5 }]);
  });

  it('a reader of an empty pipe waits, a shell that waits for its child holds, and later children are followed', async () => {
    const lines = await watched(['--', 'sh', '-c', '(sleep 0.6; exec sh -c "sleep 1; true") | cat']);
    const [cat] = of(lines, 'process').filter(({ args }) => args === 'cat');
    const { seen, reads } = samples(lines, cat?.pid ?? 0);
    expect(reads / seen).toBeGreaterThan(0.9);
    const [shell] = of(lines, 'process').filter(({ args }) => args.startsWith('sh -c (sleep'));
    const held = of(lines, 'did').filter(({ pid }) => pid === shell?.pid);
    expect(held.reduce((sum, did) => sum + did.holding, 0)).toBeGreaterThan(0);
    expect(of(lines, 'process').some(({ args }) => args === 'sleep 1')).toBe(true);
  });

  it('an event loop waits for an empty pipe, and not where it sleeps by a timer though there is data', async () => {
    const loop = (first: string, script: string): Promise<AgentLine[]> =>
      watched(['--', 'sh', '-c', `${first} | ${process.execPath} -e '${script}' | cat`]);
    const shares = async (lines: AgentLine[]): Promise<Record<string, number>> => {
      const [node] = of(lines, 'process').filter(({ args }) => args.startsWith(process.execPath));
      const { seen, reads, writes } = samples(lines, node?.pid ?? 0);
      const polling = of(lines, 'did').filter(({ pid }) => pid === node?.pid);
      const running = polling.reduce((sum, did) => sum + did.running, 0);
      return {
        waits: (reads + writes + polling.reduce((sum, did) => sum + did.polling, 0)) / seen,
        running: running / seen,
      };
    };
    let empty: Record<string, number> = {};
    // On a busy machine most of two seconds passes until it has started.
    for (const seconds of [2, 10]) {
      empty = await shares(await loop(`sleep ${seconds}`, 'process.stdin.resume()'));
      if ((empty.waits ?? 0) > 0.7) break;
    }
    expect((empty.waits ?? 0) + (empty.running ?? 0)).toBeGreaterThan(0.9);
    expect(empty.waits).toBeGreaterThan(0.5);
    const timed = await shares(await loop('yes', 'setTimeout(() => process.exit(), 2000)'));
    expect(timed.waits).toBeLessThan(0.1);
  });

  it('holds no end of a pipe itself: a writer whose reader dies gets its signal', async () => {
    const { agent } = await buildHostPrograms();
    const running = execa(agent, [
      'pipes',
      '--hz',
      '200',
      '--',
      'sh',
      '-c',
      'yes 2>&1 | head -c 10000000 | sleep 0.7; sleep 0.5',
    ]);
    await once(running.stdout, 'data');
    const looks: string[] = [];
    for (let look = 0; look < 40 && existsSync(`/proc/${running.pid}/exe`); look += 1) {
      for (const fd of descriptorsOf(running.pid)) {
        try {
          // What is opened with O_PATH (proc_pid_fdinfo(5)) is no end of a pipe.
          const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/${running.pid}/fdinfo/${fd}`, 'utf8'))?.[1];
          if ((Number.parseInt(flags ?? '0', 8) & 0o10000000) !== 0) continue;
          looks.push(readlinkSync(`/proc/${running.pid}/fd/${fd}`).replace(/[[\]]/g, ''));
        } catch {
          // Closed in between.
        }
      }
      await sleep(20);
    }
    const { stdout, exitCode } = await running;
    const lines = stdout.split('\n').flatMap((line) => parseAgentLine(line) ?? []);
    expect(exitCode).toBe(0);
    const [yes] = of(lines, 'process').filter(({ args }) => args === 'yes');
    const channels = of(lines, 'ends')
      .filter(({ pid }) => pid === yes?.pid)
      .at(-1)
      ?.ends.map(({ channel }) => channel);
    // A look may fall into one of its own.
    expect(looks.filter((target) => channels?.includes(target)).length).toBeLessThan(10);
    // It ended by SIGPIPE long before the command did.
    expect(of(lines, 'gone')).toContainEqual({ kind: 'gone', pid: yes?.pid, why: 'ended' });
  });

  it('watches processes that run already, says who is outside, and ends with them', async () => {
    const pipeline = execa('sh', ['-c', 'sleep 2.5 | cat | cat'], { reject: false });
    const [, first] = await children(pipeline.pid, ['sleep', 'cat', 'cat']);
    const lines = await watched(['--pid', String(first)]);
    expect(of(lines, 'process').map(({ args }) => args)).toEqual(['cat']);
    const outside = of(lines, 'outside').map(({ way, name }) => `${way} ${name}`);
    expect(outside).toEqual(expect.arrayContaining(['r cat', 'w sleep']));
    await pipeline;
  });

  it('refuses a process that is not there', async () => {
    const { agent } = await buildHostPrograms();
    const { exitCode, stderr } = await execa(agent, ['pipes', '--pid', '999999999'], { reject: false });
    expect([exitCode, stderr]).toEqual([1, 'predict-agent pipes: there is no process 999999999']);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'sees own processes without root, and says of others that it may not',
    async () => {
      const { agent } = await buildHostPrograms();
      const other = execa('sleep', ['3']);
      const command = `cp ${agent} /tmp/predict-pipes-$$ && trap 'rm -f /tmp/predict-pipes-$$' EXIT && chmod 755 /tmp/predict-pipes-$$ && sleep 1.5 | setpriv --reuid 65534 --regid 65534 --clear-groups /tmp/predict-pipes-$$ pipes --slice 0.2 --pid ${other.pid} -- sh -c 'yes | sleep 1'`;
      const { stdout } = await execa('sh', ['-c', command], { reject: false });
      other.kill();
      await other.catch(() => undefined);
      const lines = stdout.split('\n').flatMap((line) => parseAgentLine(line) ?? []);
      expect(of(lines, 'denied')).toEqual([{ kind: 'denied', pid: other.pid }]);
      const [yes] = of(lines, 'process').filter(({ args }) => args === 'yes');
      expect(samples(lines, yes?.pid ?? 0).writes).toBeGreaterThan(10);
    },
  );
});
