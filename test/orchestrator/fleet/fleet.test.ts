import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { visitAgain } from '../../../experiments/plan.ts';
import type { SweepEvent } from '../../../experiments/store/campaign-events.ts';
import { isCampaign } from '../../../experiments/store/campaign-folders.ts';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';
import { cellsOfOrder } from '../../../orchestrator/fleet/cell-routes.ts';
import { CAMPAIGNS, cellsQueue, orderSchema } from '../../../orchestrator/fleet/fleet-records.ts';
import { FleetServer } from '../../../orchestrator/fleet/fleet-server.ts';
import { enqueueCells } from '../../../orchestrator/fleet/queue-cells.ts';
import { readQueue } from '../../../orchestrator/fleet/read-queue.ts';
import { CellQueue } from '../../../orchestrator/queue/cell-queue.ts';
import { tempFolder } from '../../experiments/make.ts';
import { runPredict, runPredictJson } from '../../run-predict.ts';
import { LOST } from '../fake/trial.ts';
import { FakeWorld, solve } from '../fake/world.ts';
import { noRedis } from '../queue/cells.ts';
import { ALLOWS, follow, SOLVER, server, TIMES, work } from './fleet.ts';

/** A redis-server that keeps nothing, once it takes connections. */
async function started(socket: string): Promise<ChildProcess> {
  const child = spawn('redis-server', ['--port', '0', '--save', '', '--unixsocket', socket], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await vi.waitFor(() => expect(existsSync(socket)).toBe(true), 20_000);
  return child;
}

function signalled(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** A world whose n-th run, from 1, waits until it is let go on. */
function gated(n = 1): {
  readonly world: FakeWorld;
  readonly reached: Promise<void>;
  readonly letGo: () => void;
  readonly runs: () => number;
} {
  const world = new FakeWorld(2, ALLOWS);
  const [gate, arrival] = [signalled(), signalled()];
  let runs = 0;
  world.program = async (launched) => {
    runs += 1;
    if (runs === n) {
      arrival.give();
      await gate.given;
    }
    return await solve(launched);
  };
  onTestFinished(gate.give);
  return { world, reached: arrival.given, letGo: gate.give, runs: () => runs };
}

async function storedIds(out: string): Promise<readonly string[]> {
  return (await openCampaign(join(out, 'site-a'))).records.map(({ cell }) => cell.id);
}

/** The only campaign of a server. */
async function onlyOrder(socket: string) {
  const fleet = await FleetServer.open(socket);
  onTestFinished(() => fleet.close());
  const [job] = await fleet.queue(CAMPAIGNS).getJobs();
  return { fleet, order: orderSchema.parse(job?.data) };
}

it('plans the sites of a sweep by the flags alone', async () => {
  const { stdout } = await runPredict(['sweep', '--nodes', '4', '--bw', '100', '--on', 'site-a', '--dry-run']);
  expect(stdout).toMatch(/^site-a: no worker responds\ncell .*\n[\s\S]*\n2 cells$/);
});

describe.skipIf(noRedis)('a fleet (needs redis-server)', () => {
  it('gives each worker the cells that it can measure, and says which ones nobody can', async () => {
    const { socket } = await server();
    const owner = follow(socket, { flags: { nodes: '2,4', bw: '100' } });
    const small = work(socket);
    const sentence = 'No worker of site-a can measure 2 cells on 4 nodes: site-a-1-';
    const { fleet } = await vi.waitFor(async () => {
      expect(small.events.filter((event) => event.endsWith('cell-finished'))).toHaveLength(2);
      expect(owner.notes.find((note) => note.startsWith(sentence))).toMatch(/ has 2 hosts\.$/);
      return await onlyOrder(socket);
    }, 20_000);
    const { stdout } = await runPredict(['queue', '--redis', socket]);
    expect(stdout).toContain(`campaign: ${sentence}`);
    const words = ['--nodes', '1,4', '--bw', '100', '--on', 'site-a,site-c', '--dry-run', '--out', 'planned'];
    const plans = await runPredictJson(['sweep', ...words, '--redis', socket]);
    expect(plans).toMatchObject({
      sites: [
        {
          site: 'site-a',
          cells: { length: 4 },
          workers: [expect.stringMatching(/^site-a-1-/)],
          unserved: expect.stringContaining(sentence),
        },
        { site: 'site-c', cells: { length: 4 }, workers: [], unserved: null },
      ],
    });
    expect(stdout).toMatch(/site-a +fake +2 +1 +openmpi +100 Mbit\/s +- +- +\d{4}-/);
    const large = work(socket, { world: new FakeWorld(4, ALLOWS) });
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, failed: [], unmeasured: [] }]);
    expect(large.events.filter((event) => event.endsWith('cell-finished'))).toHaveLength(2);
    expect((await readQueue(fleet)).campaigns).toMatchObject([{ sites: [{ done: 4, unserved: null }] }]);
  });

  it('measures two campaigns by two workers, each cell once, the first by priority first', async () => {
    const { socket } = await server();
    const { world, reached, letGo, runs } = gated();
    const other = gated(0);
    const started: string[] = [];
    const onEvent = ({ name }: { readonly name: string }, { kind }: { readonly kind: string }): void => {
      if (kind === 'cell-started') started.push(name);
    };
    const later = follow(socket);
    const one = work(socket, { world, onEvent });
    await reached;
    const out = join(later.out, '../urgent');
    const urgent = follow(socket, { out, priority: 5, flags: { seed: '6' } });
    await vi.waitFor(async () => {
      const state = await runPredictJson<{ campaigns: { name: string }[] }>(['queue', '--redis', socket]);
      expect(state.campaigns.map(({ name }) => name)).toEqual(['urgent', 'campaign']);
    }, 20_000);
    const two = work(socket, { world: other.world, onEvent });
    letGo();
    for (const { result } of [later, urgent]) expect(await result).toMatchObject([{ planned: 4, done: 4 }]);
    expect(started).toEqual(['campaign', ...Array(4).fill('urgent'), ...Array(3).fill('campaign')]);
    expect(runs() + other.runs()).toBe(8);
    expect([one.notes, two.notes]).toEqual([[], []]);
    const { campaign } = await openCampaign(join(later.out, 'site-a'));
    expect(campaign.inventory).toMatchObject({ cluster: 'fake', hosts: [{ name: 'n1' }, { name: 'n2' }] });
    expect(readdirSync(join(later.out, 'site-a')).filter((name) => name.startsWith('.incoming'))).toEqual([]);
  });

  it('repeats cells until they are known so well, and finds the repetitions stored when it is asked again', async () => {
    const { socket } = await server();
    const aims = { repeats: 1, precisionPercent: 0.001, mostRoots: 2, budgetS: null, towards: null };
    const events: SweepEvent[] = [];
    const owner = follow(socket, { aims, onEvent: (_, event) => void events.push(event) });
    const worker = work(socket);
    expect(await owner.result).toMatchObject([{ planned: 6, done: 6, failed: [], unmeasured: [] }]);
    const added = events.flatMap((event) => (event.kind === 'visits-added' ? event.cells : []));
    expect(added.map(({ bw, rep, role }) => [bw, rep, role])).toEqual([
      [60, 2, 'measure'],
      [20, 2, 'measure'],
    ]);
    const { campaign } = await openCampaign(join(owner.out, 'site-a'));
    expect(campaign).toMatchObject({ addedSweeps: [], cells: { length: 6 } });
    const again = follow(socket, { out: owner.out, aims });
    expect(await again.result).toMatchObject([{ planned: 6, done: 6, unmeasured: [] }]);
    expect(worker.events.filter((event) => event.endsWith('cell-finished'))).toHaveLength(6);
    expect(worker.notes).toEqual([]);
  });

  it('measures no repetition that was not asked for', async () => {
    const { socket } = await server();
    const { world, reached, letGo, runs } = gated();
    const owner = follow(socket);
    work(socket, { world });
    await reached;
    const { fleet, order } = await onlyOrder(socket);
    const [cell] = cellsOfOrder(order, SOLVER);
    if (cell === undefined) throw new Error('nothing is planned');
    const stranger = visitAgain(cell, 7, { sweep: order.sweep, workload: SOLVER });
    await enqueueCells(fleet, order, { cells: [stranger], plan: [stranger] });
    letGo();
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4 }]);
    await vi.waitFor(async () => {
      const [one] = (await readQueue(fleet)).campaigns;
      expect(one?.sites[0]?.failed).toMatchObject([
        { cell: { rep: 7 }, reason: expect.stringContaining('no such cell') },
      ]);
    }, 20_000);
    expect(runs()).toBe(4);
  });

  it('measures at two sites, each an ordinary campaign', async () => {
    const { socket } = await server();
    const owner = follow(socket, { sites: ['site-a', 'site-b'] });
    work(socket);
    work(socket, { site: 'site-b' });
    expect(await owner.result).toMatchObject([
      { site: 'site-a', done: 4 },
      { site: 'site-b', done: 4 },
    ]);
    for (const site of ['site-a', 'site-b']) expect(isCampaign(join(owner.out, site))).toBe(true);
  });

  it('measures what a dead worker had, whose old claim then changes nothing', async () => {
    const { socket, redis } = await server();
    const { world, reached, letGo } = gated();
    const events: SweepEvent[] = [];
    const owner = follow(socket, { onEvent: (_, event) => void events.push(event) });
    work(socket, { world, times: { ...TIMES, lockMs: 2000 } });
    await reached;
    const { fleet, order } = await onlyOrder(socket);
    const name = cellsQueue(order, { nodes: 2, dataset: null });
    const dead = await CellQueue.open(socket, name);
    onTestFinished(() => dead.close());
    const claim = await dead.claim();
    if (claim === null) throw new Error('nothing was waiting');
    await claim.job.updateProgress({ worker: 'dead', startedAt: new Date().toISOString(), attempt: 1, reason: null });
    // What is left of a worker that was killed once its lock has run out.
    await redis.del(`bull:${name}:${claim.job.id}:lock`);
    letGo();
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
    const tries = events.filter((event) => 'attempt' in event && event.id === claim.id);
    expect(tries).toMatchObject([
      { kind: 'cell-started', attempt: 1 },
      { kind: 'cell-retried', attempt: 1, reason: 'worker dead no longer responds' },
      { kind: 'cell-started', attempt: 2 },
    ]);
    const before = await storedIds(owner.out);
    await dead.settle(claim, { kind: 'hopeless', reason: 'I am back' });
    await fleet.handOver.announce(order, new Map([[claim.id, { worker: 'x', sha256: '0'.repeat(64), bytes: 9 }]]), {
      ...(await openCampaign(join(owner.out, 'site-a'))).campaign.inventory,
    });
    const again = await follow(socket, { out: owner.out }).result;
    expect(again).toMatchObject([{ done: 4, failed: [], unmeasured: [] }]);
    expect(await storedIds(owner.out)).toEqual(before);
  });

  it('says why a try failed, and which one follows', async () => {
    const { socket } = await server();
    const world = new FakeWorld(2, ALLOWS);
    let runs = 0;
    world.program = async (launched) => {
      runs += 1;
      return runs === 1 ? LOST : await solve(launched);
    };
    const events: SweepEvent[] = [];
    const lines: string[] = [];
    const owner = follow(socket, { onEvent: (_, event) => void events.push(event) });
    work(socket, { world, onEvent: (_, event, cell) => void lines.push(`${event.kind} ${cell}`) });
    expect(await owner.result).toMatchObject([{ done: 4, unmeasured: [] }]);
    expect(events.filter((event) => 'attempt' in event).slice(0, 3)).toMatchObject([
      { kind: 'cell-started', attempt: 1 },
      { kind: 'cell-retried', attempt: 1, reason: expect.stringContaining('lost communication') },
      { kind: 'cell-started', attempt: 2 },
    ]);
    expect(lines).toContain('cell-finished 2 nodes, scale 12, 60 %');
  });

  it('goes on after its server was emptied, and measures nothing twice', async () => {
    const { socket, redis } = await server();
    const { world, reached, letGo, runs } = gated(3);
    const owner = follow(socket);
    work(socket, { world });
    await reached;
    await redis.flushall();
    letGo();
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
    expect(runs()).toBe(4);
  });

  it('goes on after its server was killed and started anew without anything', async () => {
    const socket = join(tempFolder(), 'socket');
    const first = await started(socket);
    const { world, reached, letGo, runs } = gated(3);
    const owner = follow(socket);
    const worker = work(socket, { world });
    await reached;
    first.kill('SIGKILL');
    await once(first, 'exit');
    rmSync(socket);
    await started(socket);
    letGo();
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
    expect(runs()).toBe(4);
    for (const { notes } of [owner, worker])
      expect(notes.filter((text) => !text.includes('no worker'))).toEqual([expect.stringMatching(/was lost .*trying/)]);
  });

  it('goes on after its server had no memory left, which it says once', async () => {
    const { socket, redis } = await server();
    const { world, reached, letGo, runs } = gated(2);
    const owner = follow(socket);
    const worker = work(socket, { world });
    await reached;
    await redis.config('SET', 'maxmemory', '1');
    letGo();
    await vi.waitFor(() => expect(worker.notes).not.toEqual([]), 20_000);
    await redis.config('SET', 'maxmemory', '0');
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
    expect(runs()).toBe(4);
    expect(worker.notes.join()).toMatch(/OOM command not allowed/);
  });

  it('gives an owner that was away what waits, and again what was damaged or had expired', async () => {
    const { socket, redis } = await server();
    const { world, reached, letGo, runs } = gated();
    const away = new AbortController();
    const owner = follow(socket, { signal: away.signal });
    work(socket, { world });
    await reached;
    away.abort();
    await expect(owner.result).rejects.toMatchObject({ kind: 'interrupted' });
    letGo();
    const pieces = await vi.waitFor(async () => {
      const found = await redis.keys('predict:piece:*');
      expect(found).toHaveLength(4);
      return found.sort();
    }, 20_000);
    expect(await redis.ttl(String(pieces[0]))).toBeGreaterThan(6 * 24 * 3600);
    await redis.setrange(String(pieces[0]), 2000, 'damage');
    await redis.del(String(pieces[1]));
    const again = follow(socket, { out: owner.out });
    expect(await again.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
    expect(again.notes).toEqual([
      expect.stringMatching(/^site-a: The archive of a cell has a damaged .*asked again\.$/),
    ]);
    expect(runs()).toBe(4);
    expect(await redis.keys('predict:piece:*')).toEqual([]);
  });

  it('runs no program that the inventory of the site does not allow, and says so to the owner', async () => {
    const { socket } = await server();
    const owner = follow(socket);
    const worker = work(socket, { world: new FakeWorld(2) });
    const sentence =
      "The workload solver runs /opt/solve, but the site's inventory allows graph500 and graphalytics: add it there.";
    await expect(owner.result).rejects.toMatchObject({ kind: 'badInput', message: `site-a: ${sentence}` });
    expect(worker.world.asked).toEqual([]);
  });

  it('measures with two slots on two hosts at once, each run on its own host, after one alone', async () => {
    const { socket } = await server();
    const world = new FakeWorld(2, `${ALLOWS}network: {interface: eth0, blocking: no}\n`);
    const pairs: string[] = [];
    let first: { readonly host: string; readonly go: () => void } | undefined;
    let runs = 0;
    // From the second on, a run ends only beside another one.
    world.program = async (launched) => {
      const host = launched.hosts[0]?.host ?? '';
      runs += 1;
      if (first !== undefined) {
        pairs.push([first.host, host].sort().join());
        first.go();
        first = undefined;
      } else if (runs > 1) {
        await new Promise<void>((go) => {
          first = { host, go };
        });
      }
      return await solve(launched);
    };
    const owner = follow(socket, { flags: { nodes: '1', reps: '2' } });
    work(socket, { world, slots: 2 });
    expect(await owner.result).toMatchObject([{ planned: 7, done: 7, failed: [], unmeasured: [] }]);
    // Two of the comparison, and three pairs of cells.
    expect(pairs).toEqual(Array(4).fill('n1,n2'));
    expect(runs).toBe(9);
  });

  it('keeps no connection for a campaign that is over', async () => {
    const { socket, redis } = await server();
    work(socket);
    expect(await follow(socket).result).toMatchObject([{ done: 4 }]);
    await vi.waitFor(async () => {
      // This one, and of the worker that for commands, for events, for what is asked of it, and for campaigns.
      expect(await redis.info('clients')).toMatch(/^connected_clients:5\r$/m);
    }, 20_000);
  });

  it('shows its queue, pauses and resumes campaigns', async () => {
    const { socket } = await server();
    const { world, reached, letGo, runs } = gated();
    const owner = follow(socket);
    work(socket, { world });
    await reached;
    const { fleet } = await onlyOrder(socket);
    const state = await readQueue(fleet);
    expect(state).toMatchObject({
      campaigns: [
        { name: 'campaign', priority: 100, sites: [{ site: 'site-a', state: 'running', waiting: 3, done: 0 }] },
      ],
      workers: [{ site: 'site-a', hosts: 2, isAlive: true, doing: state.campaigns[0]?.key }],
    });
    expect(state.campaigns[0]?.sites[0]?.active).toMatchObject([{ cell: { bw: 100 }, worker: state.workers[0]?.id }]);
    const queue = async (...words: string[]) => (await runPredict(['queue', ...words, '--redis', socket])).stdout;
    expect(await queue('pause', 'campaign')).toBe('campaign pauses on site-a.');
    letGo();
    await vi.waitFor(async () => expect(await queue()).toMatch(/paused +3 +0 +1 +- +0/), 20_000);
    expect(runs()).toBe(1);
    expect(await queue('resume', 'campaign')).toBe('campaign goes on on site-a.');
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4 }]);
    await expect(queue('cancel', 'campaign')).resolves.toBe('');
  });

  it('begins no more runs in an hour than it may, until that is lifted', async () => {
    const { socket } = await server();
    const { world, reached, letGo, runs } = gated();
    const owner = follow(socket, { flags: { nodes: '1,2', bw: '100' } });
    work(socket, { world });
    await reached;
    const queue = async (...words: string[]) => (await runPredict(['queue', ...words, '--redis', socket])).stdout;
    expect(await queue('rate', 'campaign', '12')).toBe('campaign begins 12 runs per hour at most on site-a.');
    letGo();
    // The run that was there does not count: one more begins, and the next one 5 minutes later.
    const { fleet } = await onlyOrder(socket);
    await vi.waitFor(async () => {
      const [site] = (await readQueue(fleet)).campaigns[0]?.sites ?? [];
      const waitsFor = expect.stringMatching(/^its rate, (5 min|4 min .*|\d+ s) until the next run$/);
      expect(site).toMatchObject({ done: 2, waiting: 2, active: [], runsPerHour: 12, waitsFor });
    }, 20_000);
    expect(runs()).toBe(2);
    expect(await queue('rate', 'campaign', '0')).toBe('campaign begins runs without a limit on site-a.');
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4 }]);
  });

  it('cancels a campaign while a cell is measured, and takes it up again with what was measured', async () => {
    const { socket } = await server();
    const { world, reached, letGo, runs } = gated();
    const owner = follow(socket);
    work(socket, { world });
    await reached;
    const { stdout } = await runPredict(['queue', 'cancel', 'campaign', '--redis', socket]);
    expect(stdout).toBe('campaign was cancelled on site-a.');
    await expect(owner.result).rejects.toMatchObject({ kind: 'unfinished' });
    letGo();
    expect(await follow(socket, { out: owner.out }).result).toMatchObject([{ planned: 4, done: 4 }]);
    expect(runs()).toBe(4);
  });
});
