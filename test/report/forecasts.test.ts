import { describe, expect, it } from 'vitest';
import { withoutSecondAnswers } from '../../report/content/forecasts.ts';
import type { PathData } from '../../report/content/path-content.ts';
import type { ProjectionRow } from '../../report/content/predictions.ts';
import type { Why } from '../../report/content/why-content.ts';

const place = (nodes: number, bw = 100) => ({ nodes, scale: 20, bw });
/** The model: 1 s, 0.8 to 1.25 s, up to 100 nodes; of 256 it says nothing. */
const predictions = [49, 100].flatMap((nodes) =>
  [10, 100].map(
    (bw): ProjectionRow => ({
      ...{ fit: 'auto', ...place(nodes, bw), ct: 1, interval: { low: 0.8, high: 1.25 } },
      ...{ gteps: null, abstains: null },
    }),
  ),
);
const finding = (kind: string) => ({ kind, where: '', seconds: null, percent: null, interval: null, sentence: kind });

/** Two parts each, which add up to so many seconds. */
const forecast = (seconds: number, at: ReturnType<typeof place>) => ({
  ...{ ...at, dominant: 'cpu', isNamed: at.nodes === 100 },
  components: [
    { name: 'cpu', value: seconds * 0.75, low: 0, high: null },
    { name: 'network', value: seconds * 0.25, low: null, high: null },
    { name: 'unknown', value: null, low: null, high: null },
  ],
});
const why = (forecasts: Why['forecasts'], takeovers: Why['takeovers'] = []): Why => ({
  ...{ noun: 'search', model: 'graph500', warnings: [], components: [], rows: [], runs: [] },
  findings: [finding('across/forecast'), finding('across/growth')],
  ...{ forecasts, takeovers },
});
const path = (forecasts: Why['forecasts']): PathData => ({
  ...{ noun: 'search', components: [], rows: [], causes: [], picture: null, doubtful: { hops: 0, doubtful: 0 } },
  findings: [finding('path/forecast'), finding('path/largest')],
  forecasts: forecasts.map(({ components, nodes, scale, bw, isNamed }) => ({
    ...{ nodes, scale, bw, isNamed },
    components: components.map((one) => ({ ...one, percent: null })),
  })) as unknown as PathData['forecasts'],
});
const kinds = (findings: readonly { readonly kind: string }[] | undefined) => findings?.map(({ kind }) => kind);

describe('what analyses forecast beside the model', () => {
  it.each([
    ['inside its interval', 1.1, true],
    ['at its low end', 0.8, true],
    ['at its high end', 1.25, true],
    ['below it', 0.79, false],
    ['above it', 1.26, false],
  ])('is kept only where its parts add up to a time %s', (_, seconds, isKept) => {
    const all = [forecast(seconds, place(100))];
    const said = withoutSecondAnswers({ why: why(all), path: path(all) }, predictions);
    expect(said.why?.forecasts).toEqual(isKept ? all : []);
    expect(said.path?.forecasts).toHaveLength(isKept ? 1 : 0);
    expect(kinds(said.why?.findings)).toEqual([...(isKept ? ['across/forecast'] : []), 'across/growth']);
    expect(kinds(said.path?.findings)).toEqual([...(isKept ? ['path/forecast'] : []), 'path/largest']);
    if (isKept) expect(said.disagreement).toBeNull();
    else
      expect(said.disagreement).toEqual({
        ...place(100),
        sum: expect.closeTo(seconds, 9),
        ct: 1,
        low: 0.8,
        high: 1.25,
      });
  });

  it('is left out, without a word of disagreement, where the model has no prediction or one without an end', () => {
    const open = predictions.map((row) => ({ ...row, interval: { low: 0.8, high: null } }));
    const cases: [Why['forecasts'], readonly ProjectionRow[]][] = [
      [[{ ...forecast(1, place(256)), isNamed: true }], predictions],
      [[forecast(1, place(100, 50))], predictions],
      [[forecast(1, { ...place(100), scale: 21 })], predictions],
      [[forecast(1, place(100))], open],
      [[forecast(1, place(100))], []],
    ];
    for (const [all, rows] of cases) {
      const said = withoutSecondAnswers({ why: why(all), path: path(all) }, rows);
      expect([said.why?.forecasts, said.path?.forecasts, said.disagreement]).toEqual([[], [], null]);
      expect(kinds(said.why?.findings)).toEqual(['across/growth']);
    }
  });

  it('is judged one by one, and a finding about the cluster that is named goes with any forecast for it', () => {
    const small = forecast(1, place(49));
    const said = withoutSecondAnswers(
      { why: why([small, forecast(9, place(100)), forecast(1, place(100, 10))]), path: null },
      predictions,
    );
    expect(said.why?.forecasts.map(({ nodes, bw }) => [nodes, bw])).toEqual([
      [49, 100],
      [100, 10],
    ]);
    expect(kinds(said.why?.findings)).toEqual(['across/growth']);
    expect(said.path).toBeNull();
    const other = withoutSecondAnswers(
      { why: why([forecast(9, place(49)), forecast(1, place(100))]), path: null },
      predictions,
    );
    expect(kinds(other.why?.findings)).toEqual(['across/forecast', 'across/growth']);
  });

  it('disagrees on the largest cluster of all that do, at the most bandwidth', () => {
    const all = [forecast(9, place(49)), forecast(7, place(100, 10)), forecast(8, place(100))];
    expect(withoutSecondAnswers({ why: why(all), path: null }, predictions).disagreement).toMatchObject({
      ...place(100),
      sum: expect.closeTo(8, 9),
    });
  });

  it('names no take-over on a cluster of which nothing is predicted, but every one that was measured', () => {
    const measured = { scale: 20, nodes: 4, above: 10, below: 100, fitted: 33.3 };
    const predicted = { ...measured, nodes: 100, above: null, below: null };
    const beyond = { ...predicted, nodes: 256 };
    const said = withoutSecondAnswers({ why: why([], [measured, predicted, beyond]), path: null }, predictions);
    expect(said.why?.takeovers).toEqual([measured, predicted]);
  });

  it('is nothing where nothing was analysed', () => {
    const nothing = { why: null, path: null };
    expect(withoutSecondAnswers(nothing, predictions)).toEqual({ ...nothing, disagreement: null });
  });
});
