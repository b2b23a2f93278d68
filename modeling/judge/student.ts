import { findRoot } from '../fit/find-root.ts';

/** More degrees of freedom count as so many: less than 0.1 % too high at 99.9 %. */
const MOST = 2000;

/** Student's t, two-sided at a level, for whole degrees of freedom: where Abramowitz and Stegun 26.7.3 and 26.7.4 reach it. */
export function studentQuantile(degrees: number, level: number): number {
  const freedom = Math.min(degrees, MOST);
  // In the angle, because t itself has no end.
  const angle = findRoot((a) => within(a, freedom) - level, { low: 0, high: Math.PI / 2 });
  return Math.sqrt(freedom) * Math.tan(angle);
}

/** P(|T| <= sqrt(freedom) tan(angle)): a finite sum for whole degrees of freedom. */
function within(angle: number, freedom: number): number {
  const isOdd = freedom % 2 === 1;
  const square = Math.cos(angle) ** 2;
  let term = freedom === 1 ? 0 : isOdd ? Math.cos(angle) : 1;
  let sum = term;
  for (let k = isOdd ? 3 : 2; k < freedom; k += 2) {
    term *= square * ((k - 1) / k);
    sum += term;
  }
  const inside = Math.sin(angle) * sum;
  return isOdd ? (2 / Math.PI) * (angle + inside) : inside;
}
