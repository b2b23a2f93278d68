import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cell, TimedRun } from '../../experiments/records.ts';
import { readEvents, readInParallel, type SweepEvent } from '../../experiments/store/campaign-events.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { compareAlone, ParallelSizes } from '../../orchestrator/in-parallel.ts';
import { stepFor } from '../../orchestrator/probe-switch.ts';
import { LOST, Trial } from './fake/trial.ts';
import { FakeWorld } from './fake/world.ts';
import { cells } from './queue/cells.ts';

const runs = (...times: number[]): TimedRun[] =>
  times.map((ct, index) => ({ index, ct, teps: null, nedge: null, validateS: null }));
const NETWORK = 'network: {interface: eth0, blocking: no}\n';
/** Two runs of two at once. */
const pairs = (extra = ''): Trial => new Trial(new FakeWorld(4, `${NETWORK}${extra}`));

/**
 * The most runs that the program saw at once, itself among them, at each start. Where another is expected beside it (by how many
 * starts were before), it waits for that one.
 */
function watch(
  trial: Trial,
  { slowerBy = 1, isBeside }: { readonly slowerBy?: number; readonly isBeside: (start: number) => boolean },
): { readonly seen: number[] } {
  const seen: number[] = [];
  const { program } = trial.world;
  let now = 0;
  let starts = 0;
  trial.world.program = async (launched) => {
    now += 1;
    let most = now;
    const longest = isBeside(starts++) ? 5_000 : 20;
    for (let wait = 0; wait < longest && most < 2; wait += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      most = Math.max(most, now);
    }
    seen.push(most);
    const ms = 10 * (most > 1 ? slowerBy : 1);
    const end = await program({ ...launched, print: () => launched.print(`took ${ms} ms\n`) });
    now -= 1;
    return end;
  };
  return { seen };
}
const afterFirst = (start: number): boolean => start > 0;

describe('a run alone and others at once', () => {
  it('are compared search by search, and differ by more than noise only beyond the scatter of those at once', () => {
    const alone = runs(1, 2, 4);
    const same = compareAlone(4, alone, [runs(1, 2, 4), runs(1.01, 2.02, 4.04), runs(0.99, 1.98, 3.96)]);
    expect(same).toMatchObject({ nodes: 4, runs: 3, aloneS: 2, isAlone: false });
    expect(Math.abs(same.percent)).toBeLessThan(same.noisePercent);
    const slower = compareAlone(4, alone, [runs(1.2, 2.4, 4.8), runs(1.21, 2.42, 4.84)]);
    expect(slower.percent).toBeCloseTo(20.5, 1);
    expect(slower).toMatchObject({ isAlone: true });
    // Runs that differ by half from each other tell nothing of a fifth.
    expect(compareAlone(4, alone, [runs(1, 2, 4), runs(1.5, 3, 6)])).toMatchObject({ isAlone: false });
  });

  it('differ by the same percentage in any unit', () => {
    const time = fc.double({ min: 0.1, max: 10, noNaN: true });
    const property = fc.property(time, fc.array(time, { minLength: 2, maxLength: 9 }), time, (a, others, unit) => {
      const found = compareAlone(
        4,
        runs(a),
        others.map((one) => runs(one)),
      );
      const scaled = compareAlone(
        4,
        runs(a * unit),
        others.map((one) => runs(one * unit)),
      );
      expect(scaled.percent).toBeCloseTo(found.percent, 6);
      expect(scaled.noisePercent / found.noisePercent).toBeCloseTo(1, 6);
    });
    fc.assert(property);
  });

  it('begin with the most bandwidth of each size that is open', () => {
    const [a, b, c, d] = cells(4) as [Cell, Cell, Cell, Cell];
    const plan = [{ ...a, bw: 20 }, { ...b, nodes: 9, bw: 60 }, c, { ...d, nodes: 9 }];
    const order = (sizes: ParallelSizes, done: string[] = []): number[] =>
      sizes.inOrder(plan, new Set(done)).map((cell) => plan.indexOf(cell));
    expect(order(new ParallelSizes(18, []))).toEqual([2, 0, 3, 1]);
    expect(order(new ParallelSizes(18, []), [c.id])).toEqual([0, 3, 1, 2]);
    // Of nine nodes there is no room for two.
    expect(order(new ParallelSizes(17, []))).toEqual([2, 0, 1, 3]);
  });
});

describe('a sweep whose switch carries all links', () => {
  it('measures each cell once, on hosts of its own, after one alone and the same one beside itself', async () => {
    const trial = pairs();
    const { seen } = watch(trial, { isBeside: afterFirst });
    const result = await trial.sweep({ flags: { reps: '2' } });
    expect(result).toMatchObject({ planned: 7, done: 7, failed: [], unmeasured: [] });
    const { records } = await openCampaign(trial.out);
    expect(records).toHaveLength(7);
    expect([...new Set(records.map(({ hosts }) => hosts.join()))].sort()).toEqual(['n1,n2', 'n3,n4']);
    for (const { cell, proof, clocks, hosts } of records) {
      expect(proof?.rateBps).toBe(1e6 * cell.bw);
      expect(clocks.map(({ host }) => host)).toEqual(hosts);
    }
    // Two of the comparison, and three pairs of cells.
    expect(seen).toEqual([1, ...Array(8).fill(2)]);
    expect(readInParallel(trial.out)).toMatchObject([{ nodes: 2, runs: 2, percent: 0, isAlone: false }]);
    expect(trial.left).toEqual([]);
  });

  it('finds out by a probe of all links at once where the inventory does not know', async () => {
    const world = (goodput: number): FakeWorld => {
      const made = new FakeWorld(4, NETWORK.replace('no}', 'probe}'));
      made.host('n3').link.goodput = goodput;
      return made;
    };
    for (const [goodput, most, said] of [
      [0.95, 2, /^all links carry their full rate at once: runs go in parallel\.$/],
      [0.5, 1, /^not all links carry .*n3.*: runs go one at a time\.$/],
    ] as const) {
      const trial = new Trial(world(goodput));
      const { seen } = watch(trial, { isBeside: (start) => most > 1 && start > 0 && start < 5 });
      const notes: string[] = [];
      const onEvent = (event: SweepEvent): void => void (event.kind === 'note' && notes.push(event.text));
      expect(await trial.sweep({ flags: { bw: '100', reps: '3' }, onEvent })).toMatchObject({ planned: 4, failed: [] });
      expect([Math.max(...seen), notes]).toEqual([most, expect.arrayContaining([expect.stringMatching(said)])]);
      expect(trial.left).toEqual([]);
    }
  });

  it('are not next to each other alone that are probed, and every host is', () => {
    for (const [count, steps] of [
      [4, [1, 1, 1]],
      [25, [1, 8, 12]],
      [96, [1, 31, 47]],
    ] as const) {
      const found = [0, count / 3, count / 2].map((wanted) => stepFor(wanted, count));
      expect(found).toEqual(steps);
      for (const step of found) {
        expect(new Set(Array.from({ length: count }, (_, index) => (index * step) % count)).size).toBe(count);
      }
    }
  });

  it('measures a size alone that others hinder, and keeps to that when it is resumed', async () => {
    const trial = pairs();
    const { seen } = watch(trial, { slowerBy: 1.5, isBeside: (start) => start === 1 || start === 2 });
    expect(await trial.sweep()).toMatchObject({ planned: 4, done: 4 });
    expect(seen).toEqual([1, 2, 2, 1, 1, 1]);
    const [found] = readInParallel(trial.out);
    expect(found).toMatchObject({ nodes: 2, isAlone: true });
    expect(found?.percent).toBeCloseTo(50, 6);
    expect(await trial.sweep({ flags: { reps: '2' } })).toMatchObject({ planned: 7, done: 7 });
    expect(seen.slice(6)).toEqual([1, 1, 1, 1]);
    for (const { runs: own } of (await openCampaign(trial.out)).records) expect(own[0]?.ct).toBe(0.01);
  });

  it('measures on other hosts what a lost host ended', async () => {
    const trial = pairs();
    // The fourth start is the first of a cell beside another.
    trial.at(4, async () => {
      const lost = trial.world.host('n3');
      lost.down = true;
      lost.loseConnections();
      return LOST;
    });
    watch(trial, { isBeside: (start) => start === 1 || start === 2 });
    const result = await trial.sweep({ flags: { reps: '2' } });
    expect(result).toMatchObject({ planned: 7, done: 7, failed: [], unmeasured: [] });
  });

  it('leaves nothing on any host at an interrupt, and goes on with the missing cells', async () => {
    const trial = pairs();
    const controller = new AbortController();
    trial.at(5, async () => {
      controller.abort();
      return undefined;
    });
    watch(trial, { isBeside: afterFirst });
    await expect(trial.sweep({ signal: controller.signal })).rejects.toMatchObject({ kind: 'interrupted' });
    expect(trial.left).toEqual([]);
    expect(await trial.sweep()).toMatchObject({ planned: 4, done: 4 });
    expect(readEvents(trial.out).filter(({ kind }) => kind === 'in-parallel')).toHaveLength(1);
    expect(trial.left).toEqual([]);
  });

  it.each([
    ['its head computes', 'mpi: {head: n1}\n'],
    ['SLURM starts its runs', 'mpi: {launcher: srun}\n'],
  ])('still measures one at a time where %s', async (_, extra) => {
    const trial = pairs(extra);
    const { seen } = watch(trial, { isBeside: () => false });
    await trial.sweep().catch(() => undefined);
    expect(seen.filter((count) => count > 1)).toEqual([]);
    expect(readInParallel(trial.out)).toEqual([]);
  });
});
