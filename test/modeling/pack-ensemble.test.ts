import { describe, expect, it } from 'vitest';
import { tellClusters } from '../../modeling/answers/decide/tell-clusters.ts';
import type { Ensemble } from '../../modeling/judge/ensemble.ts';
import { packEnsemble, unpackEnsemble } from '../../modeling/judge/pack-ensemble.ts';
import { fitBasis } from '../../report/answers/basis.ts';
import { campaignOf, emulated, paper } from '../report/campaign.ts';

describe.each(Object.entries({ emulated, paper }))('the draws of the %s campaign, packed', (_, sweep) => {
  const { ensemble } = fitBasis(campaignOf(sweep));
  if (ensemble === null) throw new Error('no model');
  const { trainedOn } = ensemble.fit;
  const [nodes, bw, scales] = [[...trainedOn.nodes, 100], [25, 60, 100], [...trainedOn.scales]];
  const packed = packEnsemble(ensemble, [
    { nodes: Math.min(...nodes), bw: 25, scale: Math.min(...scales) },
    { nodes: 100, bw: 100, scale: Math.max(...scales) },
  ]);
  const ask = (one: Ensemble) => tellClusters(one, { nodes, bw, scales, deadline: 0.3, price: 2, linkPrice: 0.5 });

  it('say the same of every target between the ends, to six digits', () => {
    const again = ask(unpackEnsemble(JSON.parse(JSON.stringify(packed))));
    const numbers = (value: unknown): number[] =>
      JSON.stringify(value)
        .match(/-?\d+(\.\d+)?(e-?\d+)?/g)
        ?.map(Number) ?? [];
    const [was, is] = [numbers(ask(ensemble)), numbers(again)];
    expect(is).toHaveLength(was.length);
    expect(is.length).toBeGreaterThan(10 * nodes.length * bw.length * scales.length);
    expect(was.filter((one, index) => Math.abs((is[index] ?? Number.NaN) - one) > 1e-6 * Math.abs(one))).toEqual([]);
  });

  it('are small enough for a page', () => {
    expect(JSON.stringify(packed).length).toBeLessThan(200_000);
  });

  it('cost what nodes and links cost, and keep a deadline as often as their interval says', () => {
    for (const { ct, cost, nodeHours, withinDeadlinePercent: within } of ask(ensemble)) {
      expect(cost?.value).toBeCloseTo((nodeHours.value ?? Number.NaN) * 2.5, 12);
      if (ct.high !== null && ct.high < 0.3) expect(within).toBeGreaterThanOrEqual(94);
      if (ct.low !== null && ct.low > 0.3) expect(within).toBeLessThanOrEqual(6);
    }
  });
});
