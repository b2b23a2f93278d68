import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readEvents, type SweepEvent } from '../../experiments/store/campaign-events.ts';
import { readDoneCells } from '../../experiments/store/cells.ts';
import { readStatus } from '../../experiments/store/status.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { refuseIncomplete } from '../../orchestrator/cli/sweep-command.ts';
import { startPrivateRedis } from '../../orchestrator/queue/redis.ts';
import { planSweep } from '../../orchestrator/run-sweep.ts';
import { settled } from './fake/clock.ts';
import { FLAGS, LOST, Trial, WITH_INPUT, WORKLOAD } from './fake/trial.ts';
import { FakeWorld, solve } from './fake/world.ts';
import { noRedis } from './queue/cells.ts';

const NO_WAY_TO_N2 = expect.stringContaining('n2 cannot be reached');

describe.skipIf(noRedis)('a sweep in which something fails (needs redis-server)', () => {
  it('tries a cell again in which a host died, and keeps what that try printed', async () => {
    const trial = new Trial();
    trial.at(2, async () => {
      trial.world.host('n2').loseConnections();
      return { ...LOST, stdout: 'half a result\n' };
    });
    const result = await trial.sweep();
    expect(result).toMatchObject({ planned: 4, done: 4, unmeasured: [] });
    const retried = readEvents(trial.out).filter(({ kind }) => kind === 'cell-retried');
    expect(retried).toMatchObject([{ attempt: 1, reason: expect.stringContaining('n2') }]);
    const attempts = readdirSync(join(trial.out, 'attempts'));
    expect(attempts).toHaveLength(1);
    expect(readFileSync(join(trial.out, 'attempts', attempts[0] ?? '', 'stdout.txt'), 'utf8')).toBe('half a result\n');
    expect(trial.left).toEqual([]);
  });

  it('refuses a run during which the lock of a host was lost, takes the lock again and measures anew', async () => {
    const trial = new Trial();
    trial.at(2, async () => {
      trial.world.host('n2').lose('hold');
      return undefined;
    });
    expect(await trial.sweep()).toMatchObject({ planned: 4, done: 4, unmeasured: [] });
    const retried = readEvents(trial.out).filter(({ kind }) => kind === 'cell-retried');
    expect(retried).toMatchObject([{ reason: expect.stringMatching(/is invalid: .*lock of n2 was lost/) }]);
    expect(trial.world.count('n2 hold')).toBe(2);
    expect(trial.left).toEqual([]);
  });

  it('ends as busy when another controller took a host meanwhile', async () => {
    const trial = new Trial();
    const host = trial.world.host('n2');
    trial.at(2, async () => {
      host.lose('hold');
      await settled();
      host.lockedBy = 'bob@head pid 7 (sweep nightly)';
      return undefined;
    });
    await expect(trial.sweep()).rejects.toMatchObject({ kind: 'busy', exitCode: 5 });
    expect((await readDoneCells(trial.out)).size).toBe(1);
    expect(host.lockedBy).toBe('bob@head pid 7 (sweep nightly)');
  });

  it('goes on with cells that do without a host that died, though its cache cannot be removed', async () => {
    const trial = new Trial(new FakeWorld(3));
    trial.at(1, async () => {
      trial.world.host('n3').down = true;
      trial.world.host('n3').loseConnections();
      return undefined;
    });
    const workload = { ...WORKLOAD, cacheFolder: 'cache' };
    const result = await trial.sweep({ workload, flags: { nodes: '2,3', scales: '12,13', bw: '20' } });
    expect(result).toMatchObject({ planned: 12, done: 6 });
    expect(new Set(result.unmeasured.map(({ reason }) => reason))).toEqual(
      new Set([expect.stringContaining('n3 cannot be reached')]),
    );
  });

  it('is not complete, and says so, when its server lost the cells that were queued', async () => {
    const { socket, stop } = await startPrivateRedis();
    onTestFinished(stop);
    const redis = new Redis(socket);
    onTestFinished(() => redis.disconnect());
    const trial = new Trial();
    trial.at(2, async () => {
      await redis.flushall();
      return undefined;
    });
    const result = await trial.sweep({ redis: socket });
    expect(result).toMatchObject({ planned: 4, done: 2, unmeasured: [] });
    expect(() => refuseIncomplete(result)).toThrow(/^2 cells were not tried; the same command tries them again/);
    expect(await trial.sweep({ redis: socket })).toMatchObject({ done: 4 });
  });

  it('keeps its folder locked until it has said how it ended', async () => {
    const trial = new Trial();
    const holders: string[] = [];
    const onEvent = ({ kind }: SweepEvent): void => {
      if (kind === 'sweep-ended') holders.push(readFileSync(join(trial.out, '.lock'), 'utf8'));
    };
    await trial.sweep({ onEvent });
    await expect(trial.sweep({ onEvent, signal: AbortSignal.abort() })).rejects.toThrow('Interrupted');
    expect(holders).toEqual(Array(2).fill(expect.stringContaining(`pid ${process.pid}`)));
    expect(readFileSync(join(trial.out, '.lock'), 'utf8')).toBe('');
  });

  it('whose controller vanished is gone on with: only the missing cells are measured', async () => {
    const trial = new Trial();
    trial.at(3, async () => {
      // To the hosts a killed controller is a lost connection; none of them hears from it again.
      for (const host of trial.world.hosts) {
        host.down = true;
        host.loseConnections();
      }
      return LOST;
    });
    await expect(trial.sweep()).rejects.toMatchObject({ kind: 'infrastructure' });
    expect(trial.left).toEqual([20e6, 20e6]);
    // What a kill leaves in the folder.
    mkdirSync(join(trial.out, 'cells', '.00000000000000aa.partial'));
    writeFileSync(join(trial.out, 'events.jsonl'), '{"kind":"cell-sta', { flag: 'a' });
    for (const host of trial.world.hosts) host.down = false;
    trial.world.program = solve;
    const before = new Set((await readDoneCells(trial.out)).keys());
    expect(before.size).toBe(2);
    const again: SweepEvent[] = [];
    expect(await trial.sweep({ onEvent: (event) => void again.push(event) })).toMatchObject({ planned: 4, done: 4 });
    const measured = again.flatMap((event) => (event.kind === 'cell-finished' ? [event.id] : []));
    expect(measured).toHaveLength(2);
    for (const id of measured) expect(before.has(id)).toBe(false);
    expect(readdirSync(join(trial.out, 'cells'))).toHaveLength(4);
    // A note that programs run as root comes before it has begun.
    expect(readEvents(trial.out).slice(1 - again.length)).toEqual(again.slice(1));
    expect(trial.left).toEqual([]);
  });

  it('ends at an interrupt after the running cell was stopped, and keeps the finished ones', async () => {
    const trial = new Trial();
    const controller = new AbortController();
    trial.at(2, async () => {
      controller.abort();
      return undefined;
    });
    await expect(trial.sweep({ signal: controller.signal })).rejects.toMatchObject({ kind: 'interrupted' });
    expect((await readDoneCells(trial.out)).size).toBe(1);
    expect(readEvents(trial.out).at(-1)).toMatchObject({ kind: 'sweep-ended', how: 'interrupted' });
    expect(readdirSync(join(trial.out, 'attempts'))).toEqual([]);
    expect(trial.left).toEqual([]);
  });

  it('stops when no try could measure two cells for the same reason, and says where their output is', async () => {
    const trial = new Trial();
    trial.world.program = async () => LOST;
    const result = await trial.sweep();
    expect(result).toMatchObject({ planned: 4, done: 0 });
    expect(result.unmeasured).toHaveLength(2);
    const kinds = trial.kinds();
    expect(kinds.filter((kind) => kind === 'cell-given-up')).toHaveLength(2);
    expect(readEvents(trial.out).at(-1)).toMatchObject({
      ...{ kind: 'sweep-ended', how: 'incomplete' },
      reason: expect.stringMatching(
        /^2 cells could not be measured and 2 were not tried\. The launcher could not start/,
      ),
    });
    const id = result.unmeasured[0]?.id;
    expect(() => refuseIncomplete(result)).toThrow(`What it printed is in ${trial.out}/attempts/${id}-3.`);
    expect((await readStatus(trial.out)).failures).toMatchObject([
      { kind: 'not measured', reason: expect.stringContaining('lost communication') },
      { kind: 'not measured', folder: expect.stringContaining('/attempts/') },
    ]);
    expect(trial.left).toEqual([]);
    trial.world.program = solve;
    expect(await trial.sweep()).toMatchObject({ done: 4, unmeasured: [] });
  });

  it('stops when no run has worked and two cells failed in the same way; the same command goes on', async () => {
    const trial = new Trial();
    trial.world.program = async () => ({ exitCode: 3, stderr: 'cannot open grid.dat\n' });
    await expect(trial.sweep()).rejects.toMatchObject({
      kind: 'workload',
      message: expect.stringMatching(
        /^The sweep stops because no run succeeded and two cells .*: The command ended with exit status 3: cannot open grid\.dat\. Their output is in .*\/cells\//,
      ),
    });
    expect((await readDoneCells(trial.out)).size).toBe(2);
    trial.world.program = solve;
    const result = await trial.sweep();
    expect(result).toMatchObject({ done: 4, failed: [{ folder: expect.stringContaining('/cells/') }, {}] });
  });

  it.each<[string, (trial: Trial) => void, object]>([
    [
      'the store cannot be written',
      (trial) => {
        trial.at(2, async () => {
          rmSync(join(trial.out, 'cells'), { recursive: true });
          writeFileSync(join(trial.out, 'cells'), 'in the way');
          return undefined;
        });
      },
      { kind: 'unwritable' },
    ],
    [
      'something unexpected is thrown',
      (trial) => {
        trial.at(2, () => Promise.reject(new TypeError('x is not a function')));
      },
      { message: 'x is not a function' },
    ],
  ])('restores links and locks when %s, and says that it failed', async (_, harm, failure) => {
    const trial = new Trial();
    harm(trial);
    await expect(trial.sweep()).rejects.toMatchObject(failure);
    expect(trial.left).toEqual([]);
    expect(readEvents(trial.out).at(-1)).toMatchObject({ kind: 'sweep-ended', how: 'failed' });
    // The launcher's check, and two runs.
    expect(trial.world.count('guard')).toBe(3);
  });

  it('leaves a host that is gone at the end to its own keeper, restores the others and says so', async () => {
    const trial = new Trial();
    const lost = trial.world.host('n2');
    trial.at(2, async () => {
      lost.down = true;
      lost.loseConnections();
      return LOST;
    });
    expect(await trial.sweep()).toMatchObject({ done: 1, unmeasured: Array(3).fill({ reason: NO_WAY_TO_N2 }) });
    expect(trial.left).toEqual([60e6]);
    expect(lost.link.throttle?.rateBps).toBe(60e6);
    await trial.world.clock.advance(60_000);
    expect(trial.left).toEqual([]);
    const events = readEvents(trial.out);
    expect(events.at(-1)).toMatchObject({ how: 'incomplete', reason: NO_WAY_TO_N2 });
    expect(events.flatMap((event) => (event.kind === 'note' ? [event.text] : []))).toEqual([
      expect.stringMatching(/^restoring the links .* did not work: n2 cannot be reached/),
    ]);
  });

  it('gives up the cells of a host that is gone for good, and measures those without it', async () => {
    const trial = new Trial(new FakeWorld(4));
    const cells = '2:12:60,2:12:20,4:12:60,4:12:20';
    const flags = { nodes: undefined, bw: undefined, cells, param: ['input=a,b'] };
    const sweep = parseSweep({ ...FLAGS, ...flags });
    const order = planSweep({ sweep, workload: WITH_INPUT, inventory: trial.world.inventory });
    trial.at(1 + order.findIndex(({ nodes }) => nodes === 4), async () => {
      const lost = trial.world.host('n4');
      lost.down = true;
      lost.loseConnections();
      return LOST;
    });
    const result = await trial.sweep({ flags, workload: WITH_INPUT });
    expect(result).toMatchObject({ planned: 8, done: 4 });
    expect(result.unmeasured.map(({ reason }) => reason)).toEqual(
      Array(4).fill(expect.stringMatching(/^n4 cannot be/)),
    );
    const starved = result.unmeasured.map(({ id }) => result.campaign.cells.find((cell) => cell.id === id)?.nodes);
    expect(starved).toEqual([4, 4, 4, 4]);
    const retried = readEvents(trial.out).flatMap((event) => (event.kind === 'cell-retried' ? [event.id] : []));
    const small = result.campaign.cells.filter(({ nodes }) => nodes === 2);
    expect(small.filter(({ id }) => retried.includes(id))).toEqual([]);
    // n4's own keeper restores its link.
    expect(trial.left).toEqual([1e6 * (order.find(({ nodes }) => nodes === 4)?.bw ?? 0)]);
  });

  it('ends, naming it, when the host is gone that starts every run', async () => {
    const trial = new Trial(new FakeWorld(2, 'mpi: {head: login}\n'));
    trial.at(2, async () => {
      const head = trial.world.host('login');
      head.down = true;
      head.loseConnections();
      return LOST;
    });
    await expect(trial.sweep()).rejects.toMatchObject({
      kind: 'infrastructure',
      host: 'login',
      message: expect.stringMatching(/^The host that starts every run is unreachable: login /),
    });
    expect(trial.left).toEqual([]);
  });

  it('holds a head that is one of its hosts once', async () => {
    const trial = new Trial(new FakeWorld(2, 'mpi: {head: n1}\n'));
    expect(await trial.sweep()).toMatchObject({ done: 4 });
    expect(trial.world.count('n1 hold')).toBe(1);
  });

  it('frees the other hosts while one does not answer, and says what did not work', async () => {
    const trial = new Trial();
    const { clock } = trial.world;
    const controller = new AbortController();
    trial.at(3, async () => {
      trial.world.host('n2').fate('clear', { kind: 'hangs' });
      controller.abort();
      return undefined;
    });
    const ended = expect(trial.sweep({ signal: controller.signal })).rejects.toMatchObject({ kind: 'interrupted' });
    await trial.world.when('n2', 'clear');
    await settled();
    expect(trial.world.hosts.map(({ link }) => link.throttle?.rateBps)).toEqual([undefined, 20e6]);
    await clock.advance(60_000);
    await ended;
    expect(trial.left).toEqual([]);
    const notes = readEvents(trial.out).flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    expect(notes).toEqual([expect.stringMatching(/^restoring the links .* did not work: n2: .* in time\.$/)]);
  });

  it('does not begin on hosts that another controller holds', async () => {
    const trial = new Trial();
    trial.world.host('n2').lockedBy = 'bob';
    await expect(trial.sweep()).rejects.toMatchObject({ kind: 'busy' });
    expect([readEvents(trial.out), trial.world.count('set')]).toEqual([[], 0]);
    expect(trial.left).toEqual(['bob']);
  });

  it('does not begin in a folder that another sweep fills, also with other hosts', async () => {
    const first = new Trial();
    const second = new Trial(new FakeWorld(3), first.out);
    let refused: unknown;
    first.at(2, async () => {
      refused = await second.sweep({ nodes: '3' }).catch((error: unknown) => error);
      return undefined;
    });
    expect(await first.sweep()).toMatchObject({ done: 4, unmeasured: [] });
    expect(refused).toMatchObject({
      kind: 'busy',
      message: expect.stringMatching(/is in use by .* pid \d+ .* since /),
    });
    expect([second.left, second.world.count('set')]).toEqual([[], 0]);
    expect(first.kinds().filter((kind) => kind === 'sweep-begun')).toHaveLength(1);
    expect(await second.sweep({ nodes: '3' })).toMatchObject({ done: 4 });
  });

  it("changes nothing where a link carries somebody else's qdisc", async () => {
    const trial = new Trial();
    trial.world.host('n2').link.foreign = 'qdisc tbf 8001: root refcnt 2';
    await expect(trial.sweep()).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringContaining('n2 eth0'),
    });
    expect([readEvents(trial.out), trial.world.count('set'), trial.left]).toEqual([[], 0, []]);
  });

  it.each([
    [['n2'], 'n2 cannot add latency: its kernel has no netem (module sch_netem)', 'there'],
    [['n1', 'n2'], 'n1 and n2 cannot add latency: their kernels have no netem (module sch_netem)', 'on these hosts'],
  ])('with a latency changes nothing where kernels cannot add it: %j', async (without, what, where) => {
    const trial = new Trial();
    for (const name of without) trial.world.host(name).link.netem = false;
    await expect(trial.sweep({ flags: { latency: '0,2ms' } })).rejects.toMatchObject({
      kind: 'infrastructure',
      message: `${what}. Leave out --latency, or install the kernel's modules ${where} (on Debian: linux-image-amd64).`,
    });
    const { world, left } = trial;
    expect([world.count('set'), world.count('probe'), world.count('guard'), left]).toEqual([0, 0, 0, []]);
    expect(await trial.sweep({ flags: { latency: '0' } })).toMatchObject({ done: 4 });
  });

  it('with a latency that turns out to be impossible fails its cells with the sentence of the host', async () => {
    const trial = new Trial();
    Object.assign(trial.world.host('n2').link, { netem: false, tellsNetem: false });
    const { done, unmeasured } = await trial.sweep({ flags: { latency: '2ms', bw: '100' } });
    expect([done, unmeasured[0]?.reason]).toEqual([
      0,
      expect.stringMatching(/^n2: latency cannot be added here: the kernel has no netem .*; leave out --latency/),
    ]);
  });

  it('restores what a killed controller left before it measures', async () => {
    const trial = new Trial();
    const left = new Trial(trial.world);
    left.at(2, async () => {
      for (const host of trial.world.hosts) Object.assign(host, { down: true }).loseConnections();
      return LOST;
    });
    await expect(left.sweep()).rejects.toMatchObject({ kind: 'infrastructure' });
    expect(left.left).toEqual([60e6, 60e6]);
    for (const host of trial.world.hosts) host.down = false;
    trial.world.program = solve;
    expect(await trial.sweep()).toMatchObject({ done: 4 });
    expect(trial.kinds()).not.toContain('cell-retried');
  });

  it('takes away the mark of a lease that ran out days ago, and measures at 100 % at once', async () => {
    const trial = new Trial();
    for (const { link } of trial.world.hosts)
      link.run(['set', '--rate', '50000000', '--lease', '60', '--owner', 'ann']);
    await trial.world.clock.advance(3 * 86_400_000);
    expect(trial.world.host('n1').link.run(['show']).stdout).toContain('@expired');
    expect(await trial.sweep()).toMatchObject({ done: 4 });
    expect(trial.kinds()).not.toContain('cell-retried');
    const asked = trial.world.asked.filter((each) => /^n1 (clear|guard)$/.test(each));
    expect(asked[0]).toBe('n1 clear');
  });
});
