import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  callParts,
  explainScaling,
  importCampaign,
  type ProfiledRun,
  profiledRun,
  readProfiledRuns,
  readStore,
  runsOfStore,
  type StackSeconds,
  shortFrames,
} from '../../../../analysis/index.ts';
import { type Cell, readRecords, type StackTable, writeCell } from '../../../../experiments/index.ts';
import { goodRecord, newCampaign, tempFolder } from '../../../experiments/make.ts';

const WORK = ['main', 'bfs', 'work'];
const LINK = ['main', 'bfs', 'exchange', 'MPI_Waitall'];
const MEET = ['main', 'bfs', 'MPI_Allreduce'];

/** Shared work, a volume that the link carries, and messages to partners, each by its own law. */
function stacksAt({ nodes, bw, rep }: { nodes: number; bw: number; rep: number }): StackSeconds[] {
  const noise = (seed: number): number => 1 + 0.01 * Math.sin(seed * 12.9898 + nodes * 78.233 + bw * 3.7 + rep * 9.1);
  const one = (frames: string[], kind: StackSeconds['kind'], phase: string, seconds: number): StackSeconds => {
    return { frames, kind, phase, seconds };
  };
  return [
    one(WORK, 'cpu', 'compute', (0.8 / nodes) * noise(1)),
    one(LINK, 'wait', 'exchange', ((0.02 * (100 / bw)) / Math.sqrt(nodes)) * noise(2)),
    one(MEET, 'wait', 'meet', 0.02 * Math.sqrt(nodes) * noise(3)),
    one(['main', 'tiny'], 'cpu', 'compute', 1e-4),
  ];
}

const settings = [4, 9, 16].flatMap((nodes) => [10, 100].flatMap((bw) => [1, 2].map((rep) => ({ nodes, bw, rep }))));
const runs = settings.map((setting): ProfiledRun => {
  const stacks = stacksAt(setting);
  return { ...setting, scale: 20, stacks, seconds: stacks.reduce((sum, { seconds }) => sum + seconds, 0) };
});
const found = explainScaling(runs, { ranksPerNode: 1, noun: 'search', atNodes: 64 });
const part = (frames: readonly string[]) => found.parts.find(({ path }) => path === frames.join(';'));

test('planted laws are told apart: shared work shrinks, a volume stops shrinking and is slowed, partners grow', () => {
  expect(part(WORK)?.judged).toMatchObject({ verdict: 'shrinks', isSlowed: false });
  expect(part(LINK)?.judged).toMatchObject({ verdict: 'stops-shrinking', isSlowed: true });
  expect(part(MEET)?.judged).toMatchObject({ verdict: 'grows', isSlowed: false });
  expect(part(WORK)?.judged?.exponent.value).toBeCloseTo(-1, 1);
  expect(part(LINK)?.judged?.exponent.value).toBeCloseTo(-0.5, 1);
  expect(part(MEET)?.judged?.exponent.value).toBeCloseTo(0.5, 1);
  expect(part(LINK)?.judged?.slowdown.value).toBeCloseTo(10, 0);
});

test('the one that exceeds its share most is what stops it, and findings say it with intervals', () => {
  // 0.02 * (4 - 2 * 4 / 16) seconds.
  expect(found.parts[0]?.path).toBe(MEET.join(';'));
  expect(found.parts[0]?.judged?.excess.value).toBeCloseTo(0.07, 2);
  expect(found.answer).toMatch(/^main;bfs;MPI_Allreduce stops it: on 16 nodes .* asleep for 100 % of it\.$/);
  expect(found.findings.map(({ kind }) => kind).sort()).toEqual([
    ...['profiles/grows', 'profiles/slowed-by-link', 'profiles/stops-shrinking'],
  ]);
  for (const { seconds, interval, percent } of found.findings) {
    expect(interval?.low).toBeLessThanOrEqual(seconds ?? 0);
    expect(interval?.high).toBeGreaterThanOrEqual(seconds ?? 0);
    expect(percent).toBeGreaterThan(0);
  }
});

test('other node counts are forecast, and phases open into their call paths', () => {
  expect(part(WORK)?.forecast?.highest.value).toBeCloseTo(0.8 / 64, 3);
  expect(part(MEET)?.forecast?.highest.value).toBeCloseTo(0.16, 2);
  expect(part(LINK)?.forecast?.lowest.value).toBeCloseTo(0.2 / 8, 2);
  expect(found.phases.map(({ phase, paths }) => [phase, paths[0]?.label])).toEqual([
    ['meet', 'main;bfs;MPI_Allreduce'],
    ['compute', 'main;bfs;work'],
    ['exchange', '..;bfs;exchange;MPI_Waitall'],
  ]);
});

test('one bandwidth alone is shown and not judged', () => {
  const alone = explainScaling(
    runs.filter(({ bw }) => bw === 100),
    { ranksPerNode: 1, noun: 'search' },
  );
  expect(alone.fits.kind).toBe('refused');
  expect([alone.answer, alone.findings]).toEqual([null, []]);
  expect(alone.parts.every(({ judged, onMost }) => judged === null && onMost > 0)).toBe(true);
});

test('paths end where MPI or the kernel begins', () => {
  expect(shortFrames(['main', 'f', 'PMPI_Isend', 'ob1', 'write'])).toEqual(['main', 'f', 'MPI_Isend']);
  expect(shortFrames(['main', 'read', 'entry_SYSCALL_64_after_hwframe', 'do'])).toEqual(['main', 'read']);
  expect(shortFrames(['main', 'f', 'asm_sysvec_apic_timer_interrupt', 'x'])).toEqual(['main', 'f']);
  expect(shortFrames(['MPI_Foo_bar'])).toEqual(['MPI_Foo_bar']);
  expect(shortFrames(['ret_from_fork', 'kthread'])).toEqual(['ret_from_fork', 'kthread']);
});

test('parts sum up to every run, whatever the stacks', () => {
  const frame = fc.constantFrom('a', 'b', 'c');
  const stack = fc.record({
    frames: fc.array(frame, { maxLength: 6 }),
    seconds: fc.double({ min: 0, max: 5, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(fc.array(stack, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }), (all) => {
      const some = all.map((stacks, rep): ProfiledRun => {
        const told = stacks.map((one) => ({ ...one, kind: 'wait' as const, phase: null }));
        const seconds = told.reduce((sum, one) => sum + one.seconds, 0);
        return { nodes: 1, scale: 1, bw: 100, rep, seconds, stacks: told };
      });
      const parts = callParts(some, { least: 0.1 });
      for (const [run, { seconds }] of some.entries()) {
        const sum = parts.reduce((total, one) => total + (one.seconds[run] ?? 0), 0);
        expect(sum).toBeCloseTo(seconds, 9);
        for (const one of parts) {
          const kinds = (one.kinds.cpu[run] ?? 0) + (one.kinds.wait[run] ?? 0) + (one.kinds.queued[run] ?? 0);
          expect(kinds).toBeCloseTo(one.seconds[run] ?? 0, 9);
        }
      }
      expect(new Set(parts.map(({ path }) => path.join(';'))).size).toBe(parts.length);
    }),
  );
});

/** Of two ranks and two searches, twice what `stacksAt` says in each. */
function tableOf(cell: Cell): StackTable {
  const stacks = stacksAt(cell);
  return {
    stacks: stacks.map(({ frames }) => frames.join(';')),
    rows: stacks.flatMap(({ kind, phase, seconds }, stack) =>
      Array.from({ length: cell.ranks }, (_, rank) => rank).flatMap((rank) => [
        ...[0, 1].map((search) => ({ host: 'a', rank, search, phase, kind, stack, samples: 1, seconds })),
        { host: 'a', rank, search: null, phase: null, kind, stack, samples: 1, seconds: 99 },
      ]),
    ),
  };
}

test('from a campaign and from a store of its profiles come the same runs, and measurements stay alone', async () => {
  const { dir, cells } = await newCampaign({ nodes: '1,4', profile: 'wall' });
  for (const cell of cells) {
    const stacks = cell.role === 'profile' ? tableOf(cell) : undefined;
    await writeCell(dir, goodRecord(cell), { stdout: '', stderr: '', stacks });
  }
  const measured = [...(await readRecords(dir)).values()].map(({ cell }) => cell.role);
  expect(new Set(measured)).toEqual(new Set(['measure', 'drift']));
  const { runs: own, kind, empty } = await readProfiledRuns(dir);
  expect([own.length, kind, empty]).toEqual([4, 'wall', 0]);
  const inOrder = (some: readonly ProfiledRun[]) =>
    some
      .map(({ nodes, bw, rep, scale, seconds }) => ({ nodes, bw, rep, scale, seconds: +seconds.toFixed(9) }))
      .sort((a, b) => a.nodes - b.nodes || a.bw - b.bw);
  const [first] = inOrder(own);
  expect(first?.seconds).toBeCloseTo(
    stacksAt({ nodes: 1, bw: 50, rep: 1 }).reduce((sum, one) => sum + one.seconds, 0),
    9,
  );
  const store = join(tempFolder(), 'store');
  const added = await importCampaign(store, dir);
  expect(added.map(({ key, metricMean }) => [key, metricMean])).toContainEqual([
    'graph500, scale 10/4 nodes, 50 %, rep 1',
    0.375,
  ]);
  const back = await runsOfStore(store);
  expect(inOrder(back)).toEqual(inOrder(own));
  expect(new Set(back.flatMap(({ stacks }) => stacks.map((one) => one.kind)))).toEqual(new Set(['cpu', 'wait']));
  const { names } = await readStore(store);
  expect(names.find('[asleep]')).toBeDefined();
  await expect(importCampaign(store, dir)).rejects.toThrow(/already/);
});

test('a run without stacks is none', () => {
  expect(profiledRun({ nodes: 1, scale: 1, bw: 100, rep: 1, ranks: 1 }, { stacks: [], rows: [] })).toBeNull();
  expect(() => explainScaling([], { ranksPerNode: 1, noun: 'run' })).toThrow(/no profiled run/);
});
