import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { asSeconds } from '../../base/units.ts';
import { appendEvents, readEvents, type SweepEvent } from '../../experiments/store/campaign-events.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { listPrograms } from '../../experiments/store/programs.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { AS_ROOT, planSweep } from '../../orchestrator/run-sweep.ts';
import { FLAGS, Trial, WORKLOAD } from './fake/trial.ts';
import { FakeWorld } from './fake/world.ts';
import { noRedis } from './queue/cells.ts';

describe.skipIf(noRedis)('a sweep on fake hosts (needs redis-server)', () => {
  it('ends with a record of each cell, in the order of the plan, and leaves nothing on the hosts', async () => {
    const trial = new Trial(new FakeWorld(4));
    const result = await trial.sweep({ nodes: '2,4' });
    expect(result).toMatchObject({ planned: 8, done: 8, failed: [], unmeasured: [] });
    const records = (await openCampaign(trial.out)).records;
    expect(records).toHaveLength(8);
    for (const { cell, status, proof } of records) {
      expect([status, proof?.rateBps]).toEqual(['ok', 1e6 * cell.bw]);
    }
    const started = readEvents(trial.out).flatMap((event) => (event.kind === 'cell-started' ? [event.id] : []));
    expect(started).toEqual(result.campaign.cells.map(({ id }) => id));
    expect(trial.left).toEqual([]);
  });

  it('measures each latency at each bandwidth, and its records have the proof of it', async () => {
    const trial = new Trial();
    const { done } = await trial.sweep({ flags: { latency: '0,0.5ms' } });
    const { campaign, records } = await openCampaign(trial.out);
    expect([done, records.length]).toEqual([8, 8]);
    for (const { cell, proof } of records) {
      const latencyMs = cell.params?.latency;
      expect([proof?.latencyMs ?? 0, proof?.rateBps]).toEqual([latencyMs, 1e6 * cell.bw]);
      expect(proof?.probes.map(({ roundTripMs }) => roundTripMs)).toEqual(latencyMs === 0 ? [0.1, 0.1] : [1.1, 1.1]);
    }
    expect(listPrograms({ campaign, records })).toEqual(['latency=0', 'latency=0.5']);
    expect(trial.left).toEqual([]);
  });

  it('refuses a latency behind a queue that is not fair', () => {
    const { inventory } = new FakeWorld(2, 'network: {interface: eth0, queue: 5ms}\n');
    const asked = (latency: string) => () =>
      planSweep({ sweep: parseSweep({ ...FLAGS, latency }), workload: WORKLOAD, inventory });
    expect(asked('0,2ms')).toThrow(
      '--latency: latency is added to fair queues only, but network.queue in the inventory is 5ms.',
    );
    expect(asked('0')()).toHaveLength(4);
  });

  it('tells what happens, to the file and to its listener alike', async () => {
    const trial = new Trial();
    const told: SweepEvent[] = [];
    const { campaign } = await trial.sweep({ onEvent: (event) => void told.push(event) });
    const ids = campaign.cells.map(({ id }) => id);
    expect(ids).toHaveLength(4);
    const bwOf = (id: string): number => campaign.cells.find((cell) => cell.id === id)?.bw ?? 0;
    // Before it has begun, notes are handed on alone.
    expect(readEvents(trial.out)).toEqual(told.slice(1));
    expect(told.map(({ at: _, ...news }) => news)).toEqual([
      { kind: 'note', text: AS_ROOT },
      { kind: 'sweep-begun', planned: ids, done: [] },
      ...ids.flatMap((id) => [
        { kind: 'cell-started', id, attempt: 1 },
        {
          ...{ kind: 'level-proved', id, bw: bwOf(id), rateBps: 1e6 * bwOf(id), isNew: true },
          probes: expect.objectContaining({ count: 2, lowestBps: 0.95e6 * bwOf(id), lowestHost: 'n1' }),
        },
        {
          ...{ kind: 'cell-finished', id, status: 'ok', reason: null, runs: 1, medianS: 0.0125, marks: [] },
          timing: expect.objectContaining({ totalMs: expect.any(Number) }),
        },
      ]),
      { kind: 'sweep-ended', how: 'complete', reason: null },
    ]);
  });

  it('refuses a graph that the hosts cannot hold as they tell, before anything is measured or throttled', async () => {
    const trial = new Trial(new FakeWorld(4));
    const workload = workloadOf({
      ...{ kind: 'graph500-external', name: 'theirs', binary: '/opt/bfs', args: ['{scale}'], ranks: 'any' },
    });
    await expect(trial.sweep({ nodes: '2,4', flags: { scales: '20,40' }, workload })).rejects.toThrow(
      'Scale 40 needs about 800 TiB of memory on each of 2 nodes, but a host has 4 GiB. Use scale 22 or less there',
    );
    expect([trial.world.count('set'), trial.world.count('guard'), trial.left]).toEqual([0, 0, []]);
  });

  it('visits cells again as long as its budget of time lasts, which began with the sweep', async () => {
    // A controller that has been up for long.
    const now = performance.now.bind(performance);
    const spied = vi.spyOn(performance, 'now').mockImplementation(() => now() + 1e8);
    onTestFinished(() => spied.mockRestore());
    const aims = { repeats: 0, precisionPercent: 0.001, mostRoots: 3, towards: null };
    const trial = new Trial();
    const result = await trial.sweep({ aims: { ...aims, budgetS: asSeconds(3600) } });
    expect(result.planned).toBeGreaterThan(4);
    expect(await new Trial().sweep({ aims: { ...aims, budgetS: asSeconds(1e-6) } })).toMatchObject({ planned: 4 });
  });

  it('keeps the facts of hosts, and tells which differ from the others or changed since', async () => {
    const trial = new Trial(new FakeWorld(3));
    const notes: string[] = [];
    const onEvent = (event: SweepEvent): void => void (event.kind === 'note' && notes.push(event.text));
    const link = (mtu: number) => ({
      interfaces: [{ name: 'eth0', mtu, speedMbit: null }],
      ...{ dataQdisc: 'mq', defaultQdisc: 'fq_codel', congestionControl: 'cubic' },
    });
    for (const host of trial.world.hosts) host.facts = link(host.host === 'n3' ? 1500 : 9000);
    const { campaign } = await trial.sweep({ nodes: '3', onEvent });
    expect(campaign.inventory.hosts[2]?.facts).toMatchObject({
      ...{ mtu: 1500, speedMbit: null, qdisc: 'mq', defaultQdisc: 'fq_codel', congestionControl: 'cubic' },
    });
    expect(notes).toEqual(['n3: the MTU is 1500, but 9000 on the other hosts.', AS_ROOT]);
    notes.length = 0;
    for (const host of trial.world.hosts) host.facts = { ...link(9000), congestionControl: 'bbr' };
    await trial.sweep({ nodes: '3', onEvent });
    expect(notes).toEqual([
      'n3: the MTU is 9000, but was 1500 when cells of this campaign were measured.',
      'n1, n2 and n3: the TCP congestion control is bbr, but was cubic when cells of this campaign were measured.',
      AS_ROOT,
    ]);
  });

  it('measures nothing again', async () => {
    const trial = new Trial();
    await trial.sweep();
    const runs = trial.world.count('guard');
    expect(await trial.sweep()).toMatchObject({ planned: 4, done: 4 });
    expect(trial.world.count('guard')).toBe(runs);
    expect(trial.kinds().slice(-2)).toEqual(['sweep-begun', 'sweep-ended']);
    expect(readEvents(trial.out).at(-2)).toMatchObject({ done: expect.arrayContaining([expect.any(String)]) });
  });

  it('records a workload that fails and goes on', async () => {
    const trial = new Trial();
    trial.at(2, async () => ({ exitCode: 7, stdout: '', stderr: 'no\n' }));
    const result = await trial.sweep();
    expect(result).toMatchObject({ planned: 4, done: 4, unmeasured: [] });
    expect(result.failed).toMatchObject([{ reason: expect.stringContaining('exit status 7') }]);
    expect(
      readEvents(trial.out).filter((event) => event.kind === 'cell-finished' && event.status === 'failed'),
    ).toHaveLength(1);
    expect(trial.left).toEqual([]);
  });

  it('goes on without call stacks where perf is missing, and says so', async () => {
    const trial = new Trial();
    const told: SweepEvent[] = [];
    const result = await trial.sweep({ flags: { profile: 'wall' }, onEvent: (event) => void told.push(event) });
    expect(result).toMatchObject({ planned: 4, done: 4, failed: [], unmeasured: [] });
    expect(result.campaign.cells.map(({ role }) => role)).not.toContain('profile');
    const notes = told.flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    expect(notes).toEqual([
      'no call stacks are recorded, and the sweep continues without them: n1 and n2: perf is not installed there (on Debian: linux-perf).',
      AS_ROOT,
    ]);
    // The same sweep without them has nothing left to do.
    expect(await trial.sweep()).toMatchObject({ planned: 4, done: 4 });
    expect(readEvents(trial.out).filter(({ kind }) => kind === 'cell-started')).toHaveLength(4);
  });

  it('measures all the same when its events cannot be noted, and says so once', async () => {
    const trial = new Trial();
    mkdirSync(join(trial.out, 'events.jsonl'), { recursive: true });
    const told: SweepEvent[] = [];
    expect(await trial.sweep({ onEvent: (event) => void told.push(event) })).toMatchObject({ done: 4 });
    const notes = told.flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    expect(notes).toEqual([AS_ROOT, expect.stringMatching(/events\.jsonl \(.*; the sweep continues\.$/)]);
  });

  it('appends to the events of earlier sweeps of the campaign', async () => {
    const trial = new Trial(new FakeWorld(3));
    await trial.sweep({ nodes: '2' });
    appendEvents(trial.out)({ kind: 'note', at: new Date().toISOString(), text: 'between' });
    await trial.sweep({ nodes: '3' });
    const ends = readEvents(trial.out).flatMap((event) => (event.kind === 'sweep-ended' ? [event.how] : []));
    expect(ends).toEqual(['complete', 'complete']);
    expect(trial.kinds()).toContain('note');
  });

  it('refuses node counts that the inventory cannot give before it opens any host', async () => {
    const trial = new Trial();
    await expect(trial.sweep({ nodes: '9' })).rejects.toMatchObject({ kind: 'badInput' });
    expect(trial.world.asked).toEqual([]);
    expect(() =>
      planSweep({ sweep: parseSweep({ ...FLAGS, nodes: '9' }), workload: WORKLOAD, inventory: trial.world.inventory }),
    ).toThrow('too few for 9 nodes');
  });
});
