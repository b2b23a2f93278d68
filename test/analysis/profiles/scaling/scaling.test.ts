import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ComponentFit } from '../../../../analysis/across/fit-components.ts';
import { findCallParts } from '../../../../analysis/profiles/scaling/call-parts.ts';
import { importCampaign, readProfiledRuns, runsOfStore } from '../../../../analysis/profiles/scaling/campaign-runs.ts';
import { explainScaling } from '../../../../analysis/profiles/scaling/explain-scaling.ts';
import {
  computeStackShares,
  layoutScalingFlames,
  type ProfiledRun,
  profiledRun,
  shortFrames,
} from '../../../../analysis/profiles/scaling/profiled-run.ts';
import { judgeScaling } from '../../../../analysis/profiles/scaling/verdicts.ts';
import { readStore } from '../../../../analysis/profiles/store/read-store.ts';
import { openCampaign } from '../../../../experiments/store/open-campaign.ts';
import { tempFolder } from '../../../experiments/make.ts';
import { LINK, MEET, profiledCampaign, stacksAt, WORK } from './planted.ts';

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
  expect(found.answer).toMatch(/^main;bfs;MPI_Allreduce stops scaling: on 16 nodes .* asleep for 100 % of it\.$/);
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

function fitOf(frames: readonly string[]): ComponentFit {
  if (found.fits.kind !== 'fitted') throw new Error('the planted laws can be fitted');
  return found.fits.components.find(({ name }) => name === frames.join(';')) ?? expect.fail('it is a part');
}

test('a part whose excess is small beside the run has no verdict, even where single runs exceeded it', () => {
  const judged = (seconds: number) =>
    judgeScaling(fitOf(MEET), {
      range: { ...found.range, seconds },
      measured: { onFewest: 0.2, onMost: 0.5, atLowest: 1 },
    });
  // By the fit 0.07 s: more than a hundredth of a run of 1 s, less than one of 40 s.
  expect(judged(1).verdict).toBe('grows');
  expect(judged(40).verdict).toBe('not-known');
});

test('a verdict does not contradict what was measured', () => {
  const fit = fitOf(WORK);
  const judged = (onMost: number, atLowest: number) =>
    judgeScaling(fit, { range: found.range, measured: { onFewest: 0.2, onMost, atLowest } });
  expect(judged(0.05, 0.05)).toMatchObject({ verdict: 'shrinks', isSlowed: false });
  expect(judged(0.15, 0.15)).toMatchObject({ verdict: 'not-known', isSlowed: false });
});

test('flame graphs of the smallest and the largest cluster, and of the lowest bandwidth against the highest', () => {
  const flames = layoutScalingFlames(runs, found.range);
  expect(flames.map(({ nodes, bw, against }) => [nodes, bw, against?.bw ?? null])).toEqual([
    [4, 100, null],
    [16, 100, null],
    [16, 10, 100],
  ]);
  for (const { nodes, bw, layout } of flames) {
    const own = runs.filter((run) => run.nodes === nodes && run.bw === bw);
    expect(layout.total).toBeCloseTo(own.reduce((sum, { seconds }) => sum + seconds, 0) / own.length, 9);
  }
  const change = (name: string): number => {
    const frame = flames[2]?.layout.frames.find((one) => one.name === name);
    return (frame?.share ?? 0) - (frame?.before ?? 0);
  };
  expect(change('MPI_Waitall')).toBeGreaterThan(0.1);
  expect(change('work')).toBeLessThan(-0.05);
});

test('what ranks were seen in sums up to the run', () => {
  const shares = computeStackShares(runs.filter(({ nodes, bw }) => nodes === 16 && bw === 10));
  const { computing = 0, messages = 0, asleep = 0 } = shares ?? {};
  expect(computing + messages + asleep).toBeCloseTo(100, 9);
  // Both calls of MPI sleep.
  expect([messages, asleep > computing]).toEqual([0, true]);
  expect(computeStackShares([])).toBeNull();
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
      const parts = findCallParts(some, { least: 0.1 });
      for (const [run, { seconds }] of some.entries()) {
        const own = parts.flatMap(({ stacks }) => stacks.filter((one) => one.run === run));
        expect(own.reduce((total, one) => total + one.seconds, 0)).toBeCloseTo(seconds, 9);
      }
      expect(new Set(parts.map(({ path }) => path.join(';'))).size).toBe(parts.length);
    }),
  );
});

test('from a campaign and from a store of its profiles come the same runs, and measurements stay alone', async () => {
  const dir = await profiledCampaign({ nodes: '1,4' });
  const measured = (await openCampaign(dir)).records.map(({ cell }) => cell.role);
  expect(new Set(measured)).toEqual(new Set(['measure', 'drift']));
  const { runs: own, kind, empty } = await readProfiledRuns(await openCampaign(dir));
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
  const added = await importCampaign(store, await openCampaign(dir));
  expect(added.map(({ key, metricMean }) => [key, metricMean])).toContainEqual([
    'graph500, scale 10/4 nodes, 50 %, rep 1',
    0.375,
  ]);
  const back = await runsOfStore(store);
  expect(inOrder(back)).toEqual(inOrder(own));
  expect(new Set(back.flatMap(({ stacks }) => stacks.map((one) => one.kind)))).toEqual(new Set(['cpu', 'wait']));
  const { names } = await readStore(store);
  expect(names.find('[asleep]')).toBeDefined();
  await expect(importCampaign(store, await openCampaign(dir))).rejects.toThrow(/already/);
  const [later] = await importCampaign(store, await openCampaign(dir), { run: 'later' });
  expect(later?.testRun).toMatch(/, rep 1, later$/);
  expect(await runsOfStore(store)).toHaveLength(8);
});

test('a run without stacks is none', () => {
  expect(profiledRun({ nodes: 1, scale: 1, bw: 100, rep: 1, ranks: 1 }, { stacks: [], rows: [] })).toBeNull();
  expect(() => explainScaling([], { ranksPerNode: 1, noun: 'run' })).toThrow(/no profiled run/);
});
