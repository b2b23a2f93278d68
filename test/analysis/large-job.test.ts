import { expect, test } from 'vitest';
import { analyse } from '../../analysis/grade10/analyse-phases.ts';
import { createModel } from '../../analysis/grade10/model/create-model.ts';
import { isLeaf } from '../../analysis/grade10/model/phases.ts';
import { renderResultJson } from '../../analysis/grade10/result/result-json.ts';
import { largeJob } from './large-job.ts';

const model = createModel(largeJob());
const { phases, uses, sliceCount } = model;
const result = analyse(model);

test('64 workers, 16 machines and 100 supersteps are 25,768 phases in 9,902 slices', () => {
  const leaves = phases.type.filter((_, row) => isLeaf(phases, row)).length;
  expect([phases.count, leaves, sliceCount]).toEqual([25_768, 19_265, 9902]);
});

test('space grows with the slices that phases live, not with phases times slices', () => {
  let [lives, used, states] = [0, 0, 0];
  for (let row = 0; row < phases.count; row += 1) {
    const length = phases.length[row] ?? 0;
    if (isLeaf(phases, row)) lives += length;
    used += length * (uses.profiles[uses.profile[row] ?? 0]?.consumable.length ?? 0);
    states += length * (uses.typeSets[uses.typeSet[row] ?? 0]?.length ?? 0);
  }
  const { attribution, leaves, bottlenecks } = result;
  expect(attribution.activity.active.length).toBe(lives);
  expect(attribution.usage.length).toBe(used);
  expect(bottlenecks.map((one) => one.states.length)).toEqual([states, states, states, states]);
  expect(leaves.typeStates.length).toBe(states);
  expect(used).toBeLessThan((phases.count * sliceCount) / 100);
});

test('results come in pieces of some 64 kB, however much there is', () => {
  let [total, longest] = [0, 0];
  for (const { length } of renderResultJson(result, { name: 'large' })) {
    total += length;
    longest = Math.max(longest, length);
  }
  expect(total).toBeGreaterThan(80e6);
  // The samples of one metric are one entry.
  expect(longest).toBeLessThan(400e3);
});

test('twice the workers and thrice the time are twice the phases and thrice the slices', () => {
  const { phases: more, sliceCount: longer } = createModel(largeJob({ phases: 2, slices: 3 }));
  expect([more.count, longer]).toEqual([2 * 25_768 - 104, 3 * 9902]);
});
