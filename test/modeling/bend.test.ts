import { expect, it } from 'vitest';
import { bendFactor, integratePath } from '../../modeling/forms/bend.ts';

it.each([
  ['before the first knot it is straight', -2, -1],
  ['between knots it has its curvature', 0.5, 0.275],
  ['at the last knot it has risen by slope and curvature', 1, 0.6],
  ['behind the last knot it goes straight on', 2, 1.3],
])('a bend over ln nodes: %s', (_, position, added) => {
  // Slope 0.5 at the origin, curvature 0.2 up to 1: there 0.5 + 0.2 / 2 = 0.6, and a slope of 0.7.
  const nodes = integratePath({ origin: 0, slope: 0.5, knots: [0, 1], curvature: [0.2] });
  expect(Math.log(bendFactor({ nodes }, { nodes: Math.exp(position), bw: 100, scale: 0 }))).toBeCloseTo(added, 12);
});
