import { describe, expect, test } from 'vitest';
import { models } from '../../modeling/forms/models.ts';
import { describeFit } from '../../modeling/judge/describe-fit.ts';
import type { Fit } from '../../modeling/model-records.ts';

/** CT = 8 D/x + 2 D s/sqrt(x) + 0.5 sqrt(x), one rank per node, measured up to 16 nodes at scale 20, base 19. */
const fit: Fit = {
  model: 'volume',
  form: models.volume,
  coefficients: { C1: 8, C2: 2, C3: 0.5 },
  alpha: null,
  errors: 'relative',
  r2: 1,
  mse: 0,
  rows: 12,
  ranksPerNode: 1,
  baseScale: 19,
  trainedOn: { nodes: [4, 16], scales: [20], bw: [50, 100] },
};

describe('what a fit means', () => {
  test('is its time on the largest cluster measured, and what the largest part of it is', () => {
    // D = 2: 8*2/16 = 1 s, 2*2/4 = 1 s, 0.5*4 = 2 s.
    expect(describeFit(fit)).toMatch(
      /^.*: 4 s on 16 nodes at 100 % bandwidth, scale 20, 50 % of it a cost that grows with the ranks\.$/,
    );
    expect(describeFit({ ...fit, coefficients: { C1: 80, C2: 2, C3: 0.5 } })).toContain('77 % of it parallel work');
    expect(describeFit({ ...fit, coefficients: { C1: 8, C2: 20, C3: 0.5 } })).toContain(
      '77 % of it communication that shrinks more slowly than the work',
    );
  });

  test('says nothing of other node counts: whether more nodes help is decided by all that a model may be', () => {
    const three = { ...fit, trainedOn: { ...fit.trainedOn, nodes: [4, 9, 16] } };
    const eq5: Fit = { ...three, model: 'eq5', form: models.eq5, coefficients: { C: 2 }, alpha: 1.1 };
    // 16/n + 0.5 sqrt(n) is least on 16 nodes, 16/n + 2/sqrt(n) falls on and on, 0.02/n + sqrt(n) is least on one.
    const turning = [
      { C1: 8, C2: 0, C3: 0.5 },
      { C1: 8, C2: 2, C3: 0 },
      { C1: 0.01, C2: 0, C3: 1 },
    ].map((coefficients) => ({ ...three, coefficients }));
    for (const said of [...turning, eq5].map(describeFit)) {
      expect(said).not.toMatch(/least|falling|rises|turn/);
      expect(said.match(/\d+ nodes?/g)).toEqual(['16 nodes']);
    }
  });

  test('calls a cost growing where it grows, whatever its factors are called', () => {
    // x^-1 ln x falls from 16 ranks on.
    const form = { ...fit.form, terms: [{ name: 'C1', part: 'whole', basis: { x: -1, lnX: 1 } }] } as const;
    expect(describeFit({ ...fit, form, coefficients: { C1: 1 } })).not.toContain('grows');
    const signed = { ...form, signed: true };
    expect(describeFit({ ...fit, form: signed, coefficients: { C1: 1 } })).not.toContain('% of it');
  });

  test('states no rate beyond the link, and says where a printed time is of a part of the run only', () => {
    const law = { bytes: 1e6, basis: { D: 1, x: -0.5 }, share: 1, least: 0 };
    const on = (lineRateBps: number) =>
      describeFit({ ...fit, form: { ...models.volume, volume: { baseScale: 18, laws: [law], lineRateBps } } });
    expect(on(8e6)).toContain('977 KiB per timed run at 8 Mbit/s');
    // 8 Mbit/s over a link of 4 Mbit/s, which passes it in 2 of the 4 s, and at 50 % in 4 of 5 s: no rate, and no doubt.
    expect(on(4e6)).toMatch(/each host sending 977 KiB per timed run\.$/);
    // 1 MB takes 16 s of half of 1 Mbit/s; the time there is 1 + 2 + 2 = 5 s.
    expect(on(1e6)).toContain(
      '977 KiB per timed run. This takes 16 s at 50 % bandwidth, but the printed time there is 5 s. That time is of a part',
    );
    expect(on(1e6)).toContain('of:');
  });

  test('says what a host sends and how fast the link carries it, whatever base the fit has', () => {
    // 1000000 * 2^(20 - 18) * 16^-0.5 bytes = 1 MB = 977 KiB there; it takes 1 s of the full link: 8 Mbit/s.
    const law = { bytes: 1e6, basis: { D: 1, x: -0.5 }, share: 1, least: 0 };
    const volume = { baseScale: 18, laws: [law] };
    const told = { ...fit, form: { ...models.volume, volume } };
    expect(describeFit(told)).toContain(', each host sending 977 KiB per timed run at 8 Mbit/s on the full link');
  });
});
