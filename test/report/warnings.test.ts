import { describe, expect, it } from 'vitest';
import { buildReport, type ReportData } from '../../report/content/build-report.ts';
import { withoutSecondAnswers } from '../../report/content/forecasts.ts';
import { findWarnings } from '../../report/content/warnings.ts';
import { campaignOf, emulated } from './campaign.ts';
import { warned } from './page.ts';

const facts = buildReport(
  campaignOf({ ...emulated, bw: [20, 100], roots: 4, noise: 0.02, truth: ({ nodes, bw }) => 1 / nodes + 0.5 / bw }),
);
const row = facts.projections.find(({ nodes, bw }) => nodes === 100 && bw === 100);
if (row?.interval.low == null || row.interval.high === null || row.abstains !== null) throw new Error('no projection');
const { low, high } = row.interval;

type Why = NonNullable<ReportData['why']>;

/** Searches of so many seconds, sampled every 0.1 s, whose parts are forecast to add to `sum` on 100 nodes. */
const why = (seconds: number, sum: number): Why => ({
  ...{ noun: 'search', model: 'graph500', warnings: [], findings: [], takeovers: [] },
  components: [{ name: 'cpu', label: 'the processors' }],
  rows: [{ nodes: 25, scale: 19, bw: 100, seconds, isClipped: false, parts: [seconds], helps: '' }],
  forecasts: [
    ...[
      {
        nodes: 100,
        scale: 19,
        bw: 100,
        dominant: 'cpu',
        isNamed: true,
        components: [{ name: 'cpu', value: sum, low: 0, high: null }],
      },
    ],
  ],
  runs: [
    {
      ...{ nodes: 25, scale: 19, bw: 100, seconds, count: 4, issues: [], reports: [], attributions: [] },
      sampling: [1, 2].map((every) => ({
        ...{ metric: 'the processors', intervalSeconds: 0.1 * every, constantPercent: 1, phaseAwarePercent: null },
      })),
    },
  ],
});
const predictions = facts.projections.filter(({ fit, abstains }) => fit === row.fit && abstains === null);
const said = (one: Why): string => {
  const shown = { ...facts, ...withoutSecondAnswers({ why: one, path: null }, predictions) };
  return warned({ warnings: findWarnings(shown) }).join(' ');
};

describe('what a page is to be read with care for', () => {
  it('is samples that are too far apart for its searches, and not where they are not', () => {
    expect(said(why(0.29, row.ct))).toMatch(/In 1 of 1 runs a search has fewer than 3 samples .*\(shortest 290 ms/);
    expect(said(why(0.31, row.ct))).not.toContain('samples');
  });

  it('is that parts and whole are forecast differently, beyond the interval of the whole alone', () => {
    const differ =
      /On 100 nodes the component forecasts add up to .*, but the model predicts .*These forecasts are left out\./;
    for (const sum of [low * 0.99, high * 1.01]) expect(said(why(1, sum))).toMatch(differ);
    for (const sum of [low * 1.01, high * 0.99]) expect(said(why(1, sum))).not.toMatch(differ);
  });

  it('is one sentence for several doubts of a kind, with each of them below', () => {
    const cells = { ...facts.campaign.cells, planned: facts.campaign.cells.done + 5, failed: 2 };
    const [first, ...others] = findWarnings({ ...facts, campaign: { ...facts.campaign, cells } });
    expect(first?.sentence).toBe('This campaign is incomplete: 2 cells failed and 3 cells have not run.');
    expect(first?.details).toHaveLength(2);
    expect(others.length).toBeLessThanOrEqual(2);
  });
});
