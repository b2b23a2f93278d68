import { probit } from 'simple-statistics';

/** Student's t, two-sided at a level: exact for 1 and 2 degrees of freedom, else Abramowitz and Stegun 26.7.5 (within 4 %). */
export function studentQuantile(freedom: number, level: number): number {
  const tail = 1 - level;
  if (freedom === 1) return Math.tan((Math.PI * level) / 2);
  if (freedom === 2) return level * Math.sqrt(2 / (tail * (2 - tail)));
  const z = probit(1 - tail / 2);
  const g1 = (z ** 3 + z) / 4;
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + g1 / freedom + g2 / freedom ** 2 + g3 / freedom ** 3;
}
