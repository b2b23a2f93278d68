import { describe, expect, test } from 'vitest';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import {
  type Cost,
  componentLabel,
  costFindings,
  costWords,
  metricLabel,
  type Summary,
  UNEXPLAINED,
} from '../../../../analysis/sources/runs/summarise.ts';

const platform = await loadPlatform('graph500');
const RANK_LEVEL = '/Search/Bfs/Level/RankLevel';

const imbalance: Cost = {
  kind: 'imbalance',
  rule: null,
  phases: `${RANK_LEVEL}/Fold`,
  resource: null,
  seconds: 0.84,
  percent: 24.4,
};
const bottleneck: Cost = {
  kind: 'bottleneck',
  rule: null,
  phases: `${RANK_LEVEL}/Compute`,
  resource: '/host/cpu',
  seconds: 0.05,
  percent: 1.46,
};
const path: Cost = {
  kind: 'critical-path',
  rule: null,
  phases: null,
  resource: '/host/network/bytes-out',
  seconds: 6,
  percent: 99.6,
};

const custom: Cost = { ...imbalance, kind: 'custom', rule: 'skew', resource: '/host/cpu', seconds: 4, percent: 40 };

const summary = (costs: readonly Cost[], count = 4): Summary => ({
  focus: '/Search/Bfs',
  count,
  seconds: 10,
  sliceSeconds: 0.001,
  components: [],
  phases: [],
  costs,
});

const costSentences = (...args: Parameters<typeof costFindings>): string[] =>
  costFindings(...args).map(({ sentence }) => sentence);

describe('a cost as a sentence', () => {
  test('says which step, which resource, and how much each search would gain, the most first', () => {
    expect(costSentences(summary([imbalance, bottleneck, path]), platform)).toEqual([
      'Removing all waits for the link (sending) on the longest path would save at most 1.5 s (100 %) per search.',
      'Perfect load balance in Fold would save at most 210 ms (24 %) per search.',
      'Removing all waits for the processors in Compute would save at most 12.5 ms (1.5 %) per search.',
    ]);
  });

  test("names a rule of the user's, and its step if it has one", () => {
    expect(costSentences(summary([custom, { ...custom, phases: null }]), platform)).toEqual([
      "Rule 'skew' for Fold would save at most 1 s (40 %) per search.",
      "Rule 'skew' would save at most 1 s (40 %) per search.",
    ]);
  });

  test('calls the whole job by that name', () => {
    const whole: Cost = { ...imbalance, phases: '/', percent: 10 };
    expect(costSentences(summary([whole], 1), platform)).toEqual([
      'Perfect load balance in the job would save at most 840 ms (10 %) per search.',
    ]);
  });

  test('of nothing is nothing', () => {
    expect(costSentences(summary([], 0), platform)).toEqual([]);
  });
});

test('a cost in a few words names the resource, the step and the share', () => {
  const words = [imbalance, bottleneck, path, custom].map((cost) => costWords(cost, platform));
  expect(words).toEqual([
    'load imbalance in Fold (24 %)',
    'the processors in Compute (1 %)',
    'the link (sending) (100 %)',
    'rule skew (40 %)',
  ]);
});

describe('a component of the time', () => {
  test.each([
    { group: 'cpu', label: 'the processors', why: 'its only metric' },
    { group: 'waiting', label: 'other ranks', why: 'its only metric' },
    { group: 'network', label: 'the network', why: 'the group of two metrics' },
    { group: 'other', label: 'the other', why: 'a group without metrics' },
    { group: UNEXPLAINED, label: 'no known resource', why: 'what nothing explains' },
  ])('$group is called $label: $why', ({ group, label }) => {
    expect(componentLabel(group, platform)).toBe(label);
  });
});

test('a metric is called by its label, and by its last name when it has none', () => {
  expect(metricLabel('/host/network/bytes-in', platform)).toBe('the link (receiving)');
  expect(metricLabel('/gpu/memory', platform)).toBe('memory');
});
