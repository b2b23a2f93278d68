import { describe, expect, it } from 'vitest';
import { listObservations } from '../../../experiments/store/observations.ts';
import { solve } from '../../../modeling/judge/compare-candidates.ts';
import { extrapolate } from '../../../modeling/judge/predict-unseen.ts';
import { filterRows, rowsFrom } from '../../../modeling/rows.ts';
import { answerAll } from '../../../report/answers/answers.ts';
import { type Answers, ASKED, answerLines, answersSchema } from '../../../report/answers/answers-schema.ts';
import { fitBasis } from '../../../report/answers/basis.ts';
import { buildReport } from '../../../report/content/build-report.ts';
import type { ReportInput } from '../../../report/content/page-facts.ts';
import { campaignOf, emulated, type Sweep, type Truth } from '../campaign.ts';

const sweep: Sweep = { ...emulated, bw: [5, 20, 100], roots: 8, reps: 1, noise: 0.02 };
/** As a report has them, without what else it holds. */
const answersFrom = (input: ReportInput): Answers => {
  const answers = answerAll(fitBasis(input), input);
  if (answers === null) throw new Error('no answers');
  return answers;
};
const told = (truth: Truth, other: Partial<Sweep> = {}) => answersFrom(campaignOf({ ...sweep, ...other, truth }));
const turning: Truth = ({ nodes, bw }) => 1 / nodes + 0.02 * Math.sqrt(nodes) + 0.1 / bw;
/** Falls and then jumps: what the smaller clusters show says nothing of the largest. */
const jumping: Truth = ({ nodes, bw }) => (nodes > 16 ? 3 : 1) / nodes + 0.1 / bw;
const ofJumping = buildReport(campaignOf({ ...sweep, truth: jumping, reps: 3, noise: 0.01 }));

describe('the answers of a campaign', () => {
  const ofTurning = told(turning);
  const ofHelping = told(({ nodes, bw }) => 10 / nodes + 1 / bw / nodes);
  it('are to questions in one order, and none where nothing was measured', () => {
    const answers = ofHelping;
    expect(answerLines(answers).map(({ id }) => id)).toEqual([
      ...['moreNodes', 'fasterLink', 'bandwidthNeeded', 'limit', 'trust', 'next'],
    ]);
    expect(answerLines(answers).map(({ question }) => question)).toEqual([
      'Do more nodes help?',
      'Does a faster link help?',
      'How much bandwidth is needed?',
      'What limits it?',
      'How far can predictions be trusted?',
      'What to measure next?',
    ]);
    expect(answers.setting).toEqual({ nodes: 25, scale: 19, bw: 100 });
    expect(buildReport(campaignOf({ ...sweep, nodes: [] })).answers).toBeNull();
  });

  it('keep to their schema, which knows every key and every verdict', () => {
    const answers = ofTurning;
    expect(answersSchema.parse(answers)).toEqual(answers);
    expect(JSON.parse(JSON.stringify(answers))).toEqual(answers);
    const isKept = (broken: unknown): boolean => answersSchema.safeParse(broken).success;
    expect(isKept({ ...answers, story: [] })).toBe(false);
    for (const id of ASKED) {
      const { [id]: own, ...others } = answers;
      expect(isKept(others), `without ${id}`).toBe(false);
      expect(isKept({ ...answers, [id]: { ...own, value: 1 } }), `${id} with more`).toBe(false);
      expect(isKept({ ...answers, [id]: { ...own, verdict: 'perhaps' } }), `${id} with another verdict`).toBe(false);
    }
    expect(isKept({ ...answers, moreNodes: { ...answers.moreNodes, within: Number.NaN } })).toBe(false);
    expect(isKept({ ...answers, level: 95 })).toBe(false);
  });

  it('see that more nodes help where they do, and that they do not where time has turned', () => {
    const helping = ofHelping.moreNodes;
    expect(helping.verdict).toBe('yes');
    expect(helping.saving?.nodes).toBe(50);
    expect(helping.saving?.percent.low ?? 0).toBeLessThan(50);
    expect(helping.saving?.percent.high ?? 0).toBeGreaterThan(45);
    expect(helping.upTo?.value ?? 256).toBeGreaterThan(25);
    const turned = told(({ nodes, bw }) => 1 / nodes + 0.05 * Math.sqrt(nodes) + 0.1 / bw).moreNodes;
    expect(['no', 'equal']).toContain(turned.verdict);
    expect(turned.upTo).toBeNull();
    // From 25 to 50 nodes 1/n + 0.05 sqrt(n) goes from 0.290 to 0.374 s: nothing is saved.
    expect(turned.saving?.percent.value ?? 0).toBeLessThan(5);
  });

  it('say how many nodes are enough, and name the times that they stand on', () => {
    const { moreNodes } = told(turning, { reps: 3, noise: 0.01 });
    expect(moreNodes.measured.map(({ nodes }) => nodes)).toEqual([4, 9, 16, 25]);
    for (const { nodes, seconds, low, high } of moreNodes.measured) {
      expect(seconds / turning({ nodes, scale: 19, bw: 100 })).toBeCloseTo(1, 1);
      expect([low ?? seconds + 1, seconds, high ?? 0]).toEqual(
        [low ?? seconds + 1, seconds, high ?? 0].sort((a, b) => a - b),
      );
    }
    // 1/n + 0.02 sqrt(n): 0.290, 0.171, 0.1425 and 0.140 s.
    expect(moreNodes.detail).toMatch(
      /^Measured at full bandwidth and scale 19: one search takes [\d.]+ ms \[.*\] on 4 nodes(?:,| and) .* on (?:16|25) nodes/,
    );
    expect([16, 25]).toContain(moreNodes.fewest);
    const wide = told(() => 1, { reps: 3, noise: 0.05, roots: 4 }).moreNodes;
    expect(wide.detail).toMatch(/nodes are equally fast within measurement noise, so \d+ nodes are enough\./);
    const first = /^.* (\d+)(?:,| and| to) .* nodes are equally fast/.exec(wide.detail ?? '')?.[1];
    expect(wide.detail).toContain(`so ${wide.fewest} nodes are enough`);
    expect(Number(first)).toBeGreaterThanOrEqual(wide.fewest);
    const clear = told(({ nodes }) => (nodes === 9 ? 1 : 2), { reps: 3, noise: 0.01 }).moreNodes;
    expect(clear).toMatchObject({
      fewest: 9,
      detail: expect.stringContaining('The fastest measured size is 9 nodes.'),
    });
  });

  it('say how long it takes on the largest size that has a prediction', () => {
    const { moreNodes } = ofHelping;
    expect(moreNodes.within).toBeGreaterThan(25);
    expect(moreNodes.detail).toMatch(
      new RegExp(` Predicted on ${moreNodes.within} nodes: .* per search \\(90 % interval .* to .*\\)\\.$`),
    );
  });

  it('take nothing from a model that does not describe what was measured', () => {
    for (const broken of [
      told(({ nodes }) => (nodes === 25 ? 0.3 : 1 / nodes), { bw: [100] }),
      told(({ nodes, bw }) => (nodes === 25 ? 8 : 1 / nodes) + 0.1 / bw, { noise: 0.3, reps: 2 }),
    ]) {
      expect(broken.moreNodes).toMatchObject({ verdict: 'unknown', upTo: null, saving: null, within: 25 });
      expect(broken.fasterLink).toMatchObject({ verdict: 'unknown', twice: null, unlimited: null });
      expect(broken.limit.witnesses.map(({ by }) => by)).not.toContain('model');
    }
  });

  it('recommend nothing by a model whose blind predictions were wrong', () => {
    const answers = answersSchema.parse(ofJumping.answers);
    expect(answers.trust.verdict).toBe('disbelieved');
    expect(answers.trust.insidePercent).toBeLessThan(50);
    expect(answers.trust.detail).toContain('Nothing is recommended on such predictions.');
    expect(answers.moreNodes).toMatchObject({ verdict: 'unknown', upTo: null, saving: null, within: 25 });
    expect(answers.moreNodes.reason).toMatch(/^(?:none|only \d+ %) of the times predicted blind/);
    expect(answers.fasterLink).toMatchObject({ verdict: 'unknown', reason: answers.moreNodes.reason });
    expect(answers.next.short).toBe('repetitions');
    expect(ofJumping.decisions).toEqual([]);
    // What was measured on two bandwidths is told without a model.
    expect(answers.bandwidthNeeded).toMatchObject({ verdict: 'known', basis: 'measured' });
  });

  it('tell the error of a choice that saw nothing of the node counts that were added later', () => {
    const input = campaignOf({ ...sweep, truth: ({ nodes, bw }) => 1 / nodes + 0.02 * Math.sqrt(nodes) + 0.5 / bw });
    const { trust } = answersFrom({
      ...input,
      planned: { ...input.planned, sweep: { ...input.planned.sweep, nodes: [4, 9] } },
    });
    const rows = rowsFrom(listObservations(input.records));
    const part = (counts: number[]) => rowsFrom(counts.flatMap((nodes) => observationsAt(rows, nodes)));
    const options = { ranksPerNode: 1, errors: 'relative', traffic: [] } as const;
    const blind = extrapolate(solve('auto', part([4, 9]), options), part([16, 25]), {});
    expect(trust).toMatchObject({ trainedOn: [4, 9], predicted: [16, 25], insidePercent: blind.insidePercent });
    expect(trust.medianErrorPercent).toBe(blind.medianErrorPercent);
    expect(trust.worstErrorPercent).toBe(blind.maxErrorPercent);
    expect(trust.skill).toEqual(blind.skill);
    expect(trust.detail).toMatch(
      /auto errs by [\d.]+ % \(median\), a straight line in logs by .* and Eq 6 by .*: skill score/,
    );
    expect(trust.sentence).toMatch(/made from 4 and 9 nodes alone .* on 16 and 25 nodes\.$/);
    const inside = Math.round(((blind.insidePercent ?? 0) / 100) * blind.cells.length);
    expect(trust.detail).toContain(`${inside} of ${blind.cells.length} measured times lay inside`);
  });

  it('say beside the error what a perfect model would show for noise, and that two sizes test nothing', () => {
    const noisy = (noise: number) => told(turning, { reps: 4, noise, roots: 4 }).trust.noisePercent ?? 0;
    expect(noisy(0.2)).toBeGreaterThan(2 * noisy(0.02));
    expect(told(turning, { nodes: [4, 9] }).trust).toMatchObject({
      ...{
        verdict: 'untested',
        short: 'not tested',
        medianErrorPercent: null,
        insidePercent: null,
        noisePercent: null,
      },
      ...{ trainedOn: [], predicted: [] },
    });
  });

  it('find the bandwidth that was planted, with its rate, in an interval that holds the measured one', () => {
    // (1 + 4/bw') slows by 10 % from 100 % where 0.04 (100/bw - 1) = 0.104, at 27.8 %.
    const { percent, bitsPerSecond, measuredPercent, ...needed } = told(
      ({ nodes, bw }) => (1 + 4 / bw) / nodes,
    ).bandwidthNeeded;
    expect(percent?.value).toBeGreaterThan(20);
    expect(percent?.value).toBeLessThan(36);
    expect(percent?.low ?? 0).toBeLessThan(27.8);
    expect(percent?.high ?? 0).toBeGreaterThan(27.8);
    expect(needed).toMatchObject({ verdict: 'known', atMost: false, basis: 'model', increasePercent: 10 });
    // Of 200 Mbit/s.
    for (const end of ['low', 'value', 'high'] as const)
      expect(bitsPerSecond?.[end]).toBeCloseTo((percent?.[end] ?? 0) * 2e6, 3);
    expect(needed.sentence).toMatch(
      /^\d+ % \(90 % interval \d+ to \d+ %\) of the link keeps a search on 25 nodes within 10 % of its time on the full link\. That is [\d.]+ Mbit\/s per host\.$/,
    );
    expect(measuredPercent ?? 0).toBeGreaterThanOrEqual(percent?.low ?? 100);
    expect(measuredPercent ?? 100).toBeLessThanOrEqual(percent?.high ?? 0);
    expect(needed.detail).toMatch(/Without the model the measured times give \d+ %/);
  });

  it('claim no bandwidth below the lowest that was measured', () => {
    const least = told(({ nodes }) => 1 / nodes, { noise: 0.001 }).bandwidthNeeded;
    expect(least).toMatchObject({ short: '5.0 % or less', atMost: true, percent: { value: 5, low: null } });
    expect(least.sentence).toContain('the lowest level measured');
    const one = told(({ nodes }) => 1 / nodes, { bw: [100] }).bandwidthNeeded;
    expect(one).toMatchObject({ verdict: 'unknown', short: 'cannot tell', percent: null, bitsPerSecond: null });
  });

  it('say of the link nothing that the parts of the time contradict', () => {
    const slow = told(({ nodes, bw }) => 0.2 / nodes + (20 / bw) * nodes ** -0.5);
    expect(slow.limit).toMatchObject({ verdict: 'link', name: 'the link' });
    expect(slow.fasterLink.verdict).toBe('yes');
    const quick = told(({ nodes }) => 1 / nodes, { noise: 0.005 });
    expect(quick.limit.verdict).toBe('not the link');
    expect(quick.fasterLink.verdict).toBe('no');
  });
});

describe('what else a report says', () => {
  it.each([
    ['a model that is in use', buildReport(campaignOf({ ...sweep, truth: turning }))],
    ['one that is not believed', ofJumping],
  ])('of the bandwidth needed is the same, and of no cluster beyond the last prediction: %s', (_, report) => {
    const { answers } = report;
    if (answers === null) throw new Error('no answers');
    const { setting, moreNodes, bandwidthNeeded } = answers;
    const fitted = report.demand.filter(({ source, scale }) => source === 'fit' && scale === setting.scale);
    const here = fitted.filter(({ nodes, ctiPercent }) => nodes === setting.nodes && ctiPercent === 10);
    expect(here).toHaveLength(bandwidthNeeded.basis === 'model' ? 1 : 0);
    for (const { bw, atMost } of here)
      expect({ bw, atMost }).toEqual({ bw: bandwidthNeeded.percent?.value, atMost: bandwidthNeeded.atMost });
    for (const { nodes } of fitted) expect(nodes).toBeLessThanOrEqual(moreNodes.within);
  });
});

function observationsAt(rows: ReturnType<typeof rowsFrom>, nodes: number) {
  const own = filterRows(rows, { nodes });
  return Array.from({ length: own.length }, (_, index) => ({
    nodes,
    scale: own.scale[index] ?? 0,
    bw: own.bw[index] ?? 0,
    ct: own.ct[index] ?? 0,
  }));
}
