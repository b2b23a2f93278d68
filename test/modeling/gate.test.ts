import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { judgeGate } from '../../modeling/judge/gate.ts';
import { computeUnsureness, type LogTime, unsurenessOfMean } from '../../modeling/judge/ratio.ts';
import { compareCampaigns } from '../../modeling/questions/compare-campaigns.ts';
import { resampler, SIZES, slowed, type Told, wandering } from './resampled-campaigns.ts';

const LIMIT = 5;

/** A time of so many visits, whose timed runs tell nothing. */
function timeOf(log: number, visitScatter: LogTime['visitScatter'], visits = 1): LogTime {
  return { log, visits, visitScatter, dayScatter: null, timedRuns: [] };
}

function compared(place: number, one: LogTime, other: LogTime) {
  return { place, log: one.log - other.log, known: computeUnsureness(one, other) };
}

describe('the gate', () => {
  // Student's t by the NIST table: 2.228 leaves 2.5 % above it with 10 degrees of freedom, 1.812 leaves 5 %, 1.372 leaves 10 %.
  const scatter = { sd: 0.01, freedom: 5 };
  const single = (percent: number) => {
    const time = timeOf(Math.log1p(percent / 100), scatter);
    const gate = judgeGate([compared(1, time, timeOf(0, { ...scatter }))], LIMIT);
    if (gate === null) throw new Error('no gate');
    return gate;
  };
  const sd = 0.01 * Math.SQRT2;
  const slower = 100 * (1.05 * Math.exp(2.228 * sd) - 1);
  const allowed = 100 * (1.05 * Math.exp(-1.812 * sd) - 1);

  test.each([
    [slower + 0.02, 'slower'],
    [slower - 0.02, 'undecided'],
    [allowed + 0.02, 'undecided'],
    [allowed - 0.02, 'allowed'],
  ])('calls a ratio that is %f percent above 1 %s', (percent, verdict) => {
    const { mean, cells } = single(percent);
    expect([mean.verdict, cells.map((cell) => cell.verdict)]).toEqual([verdict, [verdict]]);
    expect(mean.seesPercent).toBeCloseTo(100 * (1.05 * Math.exp((2.228 + 1.372) * sd) - 1), 1);
  });

  test('knows a mean no better than the scatter behind all its cells, however many they are', () => {
    const [here, there] = [
      { sd: 0.05, freedom: 4 },
      { sd: 0.05, freedom: 4 },
    ];
    const all = Array.from({ length: 48 }, () => computeUnsureness(timeOf(0, here, 3), timeOf(0, there, 3)));
    const { variance, freedom } = unsurenessOfMean(all.flatMap((each) => each ?? []));
    expect(variance).toBeCloseTo((2 * 0.05 ** 2) / 3 / 48, 12);
    expect(freedom).toBe(8);
    const borrowed = computeUnsureness(timeOf(0, here), timeOf(0, null));
    expect(borrowed?.freedom).toBe(4);
  });

  test('knows a mean no better than the speed of the machines on either day', () => {
    const day = { sd: 0.03, freedom: 4 };
    const time = { ...timeOf(0, { sd: 1e-6, freedom: 4 }), dayScatter: day };
    const all = Array.from({ length: 48 }, () => computeUnsureness(time, timeOf(0, { sd: 1e-6, freedom: 4 })));
    const { variance } = unsurenessOfMean(all.flatMap((each) => each ?? []));
    expect(Math.sqrt(variance)).toBeCloseTo(0.03, 6);
  });

  test('has false alarms in one of twenty at most, and finds nine of ten of what it sees', () => {
    const random = createRandom(11);
    const [count, visits, freedom, truth] = [12, 3, 20, 0.05];
    let [alarms, found] = [0, 0];
    const TIMES = 500;
    for (let time = 0; time < TIMES; time += 1) {
      const side = () => {
        const own = { sd: truth * Math.sqrt(random.chiSquared(freedom) / freedom), freedom };
        return () => timeOf((truth / Math.sqrt(visits)) * random.normal(), own, visits);
      };
      const [here, there] = [side(), side()];
      const cells = Array.from({ length: count }, (_, place) => compared(place, here(), there()));
      const gate = (percent: number) =>
        judgeGate(
          cells.map((cell) => ({ ...cell, log: cell.log + Math.log1p(percent / 100) })),
          LIMIT,
        );
      const edge = gate(LIMIT);
      if (edge?.mean.verdict === 'slower' || edge?.cells.some(({ verdict }) => verdict === 'slower')) alarms += 1;
      if (gate(edge?.mean.seesPercent ?? 0)?.mean.verdict === 'slower') found += 1;
    }
    expect(alarms / TIMES).toBeLessThanOrEqual(0.055);
    expect(found / TIMES).toBeGreaterThan(0.87);
    expect(found / TIMES).toBeLessThan(0.93);
  });

  test('says nothing where a cell does not tell how it scatters, or there is none', () => {
    const known = compared(1, timeOf(1, scatter), timeOf(0, scatter));
    expect(judgeGate([known, { ...known, known: null }], LIMIT)).toBeNull();
    expect(judgeGate([], LIMIT)).toBeNull();
    expect(judgeGate([known], LIMIT)?.cells).toMatchObject([{ place: 1, verdict: 'slower' }]);
  });
});

describe('between campaigns that scatter as a stored one does', async () => {
  const open = await openCampaign(join(projectRoot(), 'test/fixtures/campaigns/alltoall'));
  const make = resampler(open, { ...SIZES[12], reps: '3' });
  const pairs = Array.from(
    { length: 6 },
    (_, seed) => [make('after', { seed: 2 * seed + 1 }), make('before', { seed: 2 * seed + 2 })] as const,
  );
  const gate = (after: Told, before: Told) => {
    const { gate: found } = compareCampaigns(after, before, { level: 0.9, limitPercent: LIMIT });
    if (found === null) throw new Error('no gate');
    return found;
  };
  const isSlow = ({ mean, cells }: ReturnType<typeof gate>): boolean =>
    [mean, ...cells].some(({ verdict }) => verdict === 'slower');

  test('nothing planted is no alarm', () => {
    expect(pairs.filter(([after, before]) => isSlow(gate(after, before)))).toEqual([]);
  });

  test.each([15, 20])('%d percent everywhere is found by the mean', (percent) => {
    const found = pairs.map(([after, before]) =>
      gate(
        slowed(after, () => 1 + percent / 100),
        before,
      ),
    );
    expect(found.map(({ mean }) => mean.verdict)).toEqual(pairs.map(() => 'slower'));
  });

  test('one cell that is twice as slow is found, and no other', () => {
    const [after, before] = pairs[0] ?? [];
    if (!after || !before) throw new Error('no pair');
    const slow = slowed(after, ({ nodes, bw }) => (nodes === 1 && bw === 20 ? 2 : 1));
    const above = gate(slow, before).cells.filter(({ verdict }) => verdict === 'slower');
    expect(above.map(({ place }) => [place.nodes, place.bw])).toEqual([[1, 20]]);
  });

  test('machines that wander by 10 % hide a mean slowdown of as much', () => {
    const drift = wandering({ sd: 0.1, lastsS: 200, seed: 3 });
    const [calm] = pairs;
    const wild = [make('after', { seed: 1, startS: 50_000, drift }), make('before', { seed: 2, drift })] as const;
    if (!calm) throw new Error('no pair');
    expect(gate(...wild).mean.seesPercent).toBeGreaterThan(2 * gate(...calm).mean.seesPercent);
  });
});
