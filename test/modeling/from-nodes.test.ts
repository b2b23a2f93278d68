import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFarthestNodes, fromNodesText, withinNodes } from '../../modeling/answers/dominance.ts';

const told = { subject: 'communication', verb: 'dominates', within: 2500 };

test.each([
  [
    { value: 14.3, low: 10, high: 20 },
    16,
    'communication dominates from 14.3 nodes on (interval 10 to 20; the next that can run: 16)',
  ],
  [{ value: 14.3, low: null, high: null }, null, 'communication dominates from 14.3 nodes on'],
  [
    { value: 113219250.3, low: 1, high: 445894299.1 },
    null,
    'within 2500 nodes communication never dominates, though it may be from 1 node on',
  ],
  [{ value: null, low: null, high: null }, null, 'within 2500 nodes communication never dominates'],
  [{ value: 1, low: 1, high: 1 }, 1, 'communication dominates from the first node on'],
  [
    { value: 1, low: 1, high: null },
    1,
    'communication dominates from 1 node on (interval 1 to beyond 2500; the next that can run: 1)',
  ],
])('from which node count on something is so: %j', (nodes, admissible, text) => {
  expect(fromNodesText({ ...told, nodes, admissible })).toBe(text);
});

test('no sentence has a node count beyond what can be said', () => {
  const count = fc.option(fc.double({ min: 1, max: 1e18, noNaN: true }), { nil: null });
  fc.assert(
    fc.property(count, count, count, fc.integer({ min: 1, max: 1e5 }), (a, b, c, largest) => {
      const within = findFarthestNodes([1, largest]);
      expect(within).toBe(10 * largest);
      const [low = null, value = null, high = null] = [a, b, c].sort((x, y) => (x ?? Infinity) - (y ?? Infinity));
      const numbers = fromNodesText({ ...told, nodes: { low, value, high }, within }).match(/[\d.]+/g) ?? [];
      for (const number of numbers) expect(Number(number)).toBeLessThanOrEqual(within);
      for (const one of Object.values(withinNodes({ low, value, high }, within)))
        expect(one ?? 0).toBeLessThanOrEqual(within);
    }),
  );
});
