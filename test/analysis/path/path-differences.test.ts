import { expect, test } from 'vitest';
import { pathDifferences } from '../../../analysis/path/run-paths.ts';
import { collectiveCourse, divided } from '../../../analysis/path/transfer-courses.ts';

test('two paths differ by their length first, then by each key of either, what changed most first', () => {
  const before = { meanNs: { length: 100, compute: 70, gap: 10, wait: 20 } };
  const after = { meanNs: { length: 130, compute: 65, wait: 25, transfer: 40 } };
  expect(pathDifferences(before, after)).toEqual([
    { key: 'length', beforeNs: 100, afterNs: 130, changeNs: 30 },
    { key: 'transfer', beforeNs: 0, afterNs: 40, changeNs: 40 },
    { key: 'gap', beforeNs: 10, afterNs: 0, changeNs: -10 },
    { key: 'compute', beforeNs: 70, afterNs: 65, changeNs: -5 },
    { key: 'wait', beforeNs: 20, afterNs: 25, changeNs: 5 },
  ]);
});

test.each([
  [100, 30, { restNs: 30, linkNs: 70 }],
  [20, 30, { restNs: 20, linkNs: 0 }],
])('of %d ns beyond links a latency of %d ns stays whatever the link does', (leftNs, latencyNs, wanted) => {
  expect(divided(leftNs, latencyNs)).toEqual(wanted);
});

test.each([
  ['links take less than it lasted', 60, { linkNs: 60 + 10, restNs: 30 }],
  ['links take longer than it lasted', 500, { linkNs: 100, restNs: 0 }],
  ['nobody knows what links took', Number.NaN, { linkNs: 70, restNs: 30 }],
])('a collective operation of 100 ns: %s', (_, onLinkNs, wanted) => {
  const arrival = { startNs: 1000, endNs: 1100, onLinkNs } as Parameters<typeof collectiveCourse>[0];
  expect(collectiveCourse(arrival, 30)).toEqual(wanted);
});
