import { describe, expect, test } from 'vitest';
import { type Fit, meaning, models } from '../../modeling/index.ts';

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
    expect(meaning(fit)).toMatch(
      /^.*: 4 s on 16 nodes at 100 % bandwidth, scale 20, 50 % of it a cost that grows with the ranks;/,
    );
    expect(meaning({ ...fit, coefficients: { C1: 80, C2: 2, C3: 0.5 } })).toContain(
      '77 % of it work that the ranks share',
    );
    expect(meaning({ ...fit, coefficients: { C1: 8, C2: 20, C3: 0.5 } })).toContain(
      '77 % of it communication that shrinks more slowly than the work',
    );
  });

  test('is where time turns, if it does', () => {
    // Without C2: 16/n + 0.5 sqrt(n) is least where 16/n^2 = 0.25/sqrt(n): n = 64^(2/3) = 16.
    expect(meaning({ ...fit, coefficients: { C1: 8, C2: 0, C3: 0.5 } })).toMatch(
      /; time is least at about 16 nodes and rises beyond\.$/,
    );
    expect(meaning({ ...fit, coefficients: { C1: 8, C2: 2, C3: 0 } })).toMatch(
      /; in this form time falls as far as any cluster goes\.$/,
    );
    expect(meaning({ ...fit, coefficients: { C1: 0.01, C2: 0, C3: 1 } })).toMatch(/; more nodes never help\.$/);
  });

  test('says what a host sends and how fast the link carries it, whatever base the fit has', () => {
    // 1000000 * 2^(20 - 18) * 16^-0.5 bytes = 1 MB = 977 KiB there; it takes 1 s of the full link: 8 Mbit/s.
    const volume = { bytes: 1e6, ranks: -0.5, size: 1, baseScale: 18 };
    const told = { ...fit, form: { ...models.volume, volume } };
    expect(meaning(told)).toContain(', each host sending 977 KiB per search at 8 Mbit/s on the full link');
  });

  test('of a model that holds the node count says nothing about other node counts', () => {
    const eq5: Fit = { ...fit, model: 'eq5', form: models.eq5, coefficients: { C: 2 }, alpha: 1.1 };
    expect(meaning(eq5)).not.toContain(';');
    expect(meaning(eq5)).toMatch(/\.$/);
  });
});
