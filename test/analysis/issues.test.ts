import { expect, test } from 'vitest';
import { analyse, defaultIssueFinders } from '../../analysis/grade10/analyse-phases.ts';
import { type Issue, issueFinder } from '../../analysis/grade10/issues/issue-rule.ts';
import { createModel } from '../../analysis/grade10/model/create-model.ts';
import { readCase } from '../cases/grade10/read-case.ts';
import { blocking, full, makeCase, run, type Written } from './make-case.ts';

const LOCKS = {
  name: '',
  children: [
    { name: 'lock', repeat: 'many' as const, key: 'of', metrics: [{ name: 'wait', class: 'blocking' as const }] },
    { name: 'disk', repeat: 'many' as const, key: 'of', metrics: [{ name: 'wait', class: 'blocking' as const }] },
  ],
};

/** Two steps in sequence of three workers each. */
const STEPS: Written = {
  execution_spec: {
    name: '',
    children: [
      {
        name: 'Step',
        repeat: 'sequential',
        key: 's',
        children: [{ name: 'Worker', repeat: 'concurrent', key: 'w' }],
      },
    ],
  },
  resource_spec: LOCKS,
  slices: {
    '/': [0, 30],
    '/Step[s=0]': [0, 12],
    '/Step[s=0]/Worker[w=0]': [0, 12],
    '/Step[s=0]/Worker[w=1]': [0, 6],
    '/Step[s=0]/Worker[w=2]': [0, 3],
    '/Step[s=1]': [12, 30],
    '/Step[s=1]/Worker[w=0]': [12, 30],
    '/Step[s=1]/Worker[w=1]': [12, 21],
  },
};

const of = (output: ReturnType<typeof run>, pass: string) => output.issues.filter((issue) => issue.pass === pass);

test('imbalance is the longest against the mean of concurrent phases, summed over those in sequence', () => {
  expect(of(run(STEPS), 'imbalance')).toEqual([
    // 12 + 18 against 7 + 13.5; the steps themselves are in sequence, so unequal lengths are no issue.
    { pass: 'imbalance', phase: '/', target: '/Step/Worker', impact: 9.5, count: 5, actual: 30, optimal: 20.5 },
    { pass: 'imbalance', phase: '/Step[s=0]', target: '/Step/Worker', impact: 5, count: 3, actual: 12, optimal: 7 },
    {
      pass: 'imbalance',
      phase: '/Step[s=1]',
      target: '/Step/Worker',
      impact: 4.5,
      count: 2,
      actual: 18,
      optimal: 13.5,
    },
  ]);
});

test('bottlenecked time is averaged over the phases that use the resource, not over all siblings', () => {
  const output = run({
    ...STEPS,
    rules: [full('/Step/Worker', '/lock/wait'), full('/Step/Worker', '/disk/wait')],
    metrics: [blocking('/lock[of=a]/wait', [0, 4]), blocking('/lock[of=b]/wait'), blocking('/disk[of=a]/wait', [0, 3])],
    mapping: [
      { phase: '/Step[s=0]/Worker[w=0]', resources: ['/lock[of=a]'] },
      { phase: '/Step[s=0]/Worker[w=1]', resources: ['/lock[of=b]'] },
      { phase: '/Step[s=0]/Worker[w=2]', resources: ['/disk[of=a]'] },
      { phase: '/Step[s=1]', resources: ['/lock[of=b]'] },
    ],
  });
  const [step, target] = ['/Step[s=0]', '/Step/Worker'];
  expect(of(output, 'bottleneck').filter(({ phase }) => phase === step)).toEqual([
    { pass: 'bottleneck', phase: step, target, source: '/disk/wait', impact: 3, total: 3 },
    { pass: 'bottleneck', phase: step, target, source: '/lock/wait', impact: 2, total: 4 },
  ]);
  expect(of(output, 'critical-path').filter(({ phase }) => phase === '/')).toEqual([
    { pass: 'critical-path', phase: '/', source: '/disk/wait', impact: 3, total: 3 },
    { pass: 'critical-path', phase: '/', source: '/lock/wait', impact: 2, total: 4 },
  ]);
});

test('phases in sequence add their bottlenecked time', () => {
  const output = run({
    ...STEPS,
    rules: [full('/Step/Worker', '/lock/wait')],
    metrics: [blocking('/lock[of=a]/wait', [0, 4], [20, 30])],
  });
  // Step 0: (4 + 4 + 3) / 3; step 1: (10 + 1) / 2.
  const [root] = of(output, 'critical-path');
  expect(root?.phase).toBe('/');
  expect(root?.impact).toBeCloseTo(11 / 3 + 11 / 2, 12);
  expect(root).toMatchObject({ total: 22 });
});

/** A diamond: A before B and C, both before D; E apart. Each waits as many slices as `waits` says. */
function diamond(waits: Readonly<Record<string, number>>): number {
  const names = ['A', 'B', 'C', 'D', 'E'];
  const output = run({
    execution_spec: {
      name: '',
      children: [
        { name: 'D', after: ['B', 'C'] },
        { name: 'B', after: ['A'] },
        { name: 'C', after: ['A'] },
        { name: 'A' },
        { name: 'E' },
      ],
    },
    resource_spec: LOCKS,
    rules: names.map((name) => full(`/${name}`, '/lock/wait')),
    slices: Object.fromEntries(
      ['/', ...names.map((name) => `/${name}`)].map((path): [string, [number, number]] => [path, [0, 20]]),
    ),
    metrics: names.map((name) => blocking(`/lock[of=${name}]/wait`, [0, waits[name] ?? 0])),
    mapping: names.map((name) => ({ phase: `/${name}`, resources: [`/lock[of=${name}]`] })),
  });
  const found = of(output, 'critical-path').find(({ phase }) => phase === '/');
  return found?.impact ?? 0;
}

test.each([
  ['the longer branch counts', { A: 2, B: 3, C: 5, D: 1 }, 8],
  ['types without a bottleneck keep the order of those around them', { A: 2, D: 4 }, 6],
  ['types without precedence run side by side', { A: 2, D: 4, E: 5 }, 6],
  ['a type alone can be the longest path', { A: 2, D: 4, E: 7 }, 7],
  ['no bottleneck is no issue', {}, 0],
])('critical path: %s', (_, waits, impact) => {
  expect(diamond(waits)).toBe(impact);
});

test('issues without impact are left out', () => {
  const output = run({
    ...STEPS,
    slices: { '/': [0, 4], '/Step[s=0]': [0, 4], '/Step[s=0]/Worker[w=0]': [0, 4], '/Step[s=0]/Worker[w=1]': [0, 4] },
    rules: [full('/Step/Worker', '/lock/wait')],
    metrics: [blocking('/lock[of=a]/wait')],
  });
  expect(output.issues).toEqual([]);
  expect(output.issue_count).toBe(0);
});

test('a rule of your own runs through the same three functions', () => {
  const model = createModel(readCase(makeCase(STEPS)));
  const longestStep = issueFinder<number>({
    analyseLeaf: (phase) => [model.phases.length[phase] ?? 0],
    analyseComposite: (_, groups) => [Math.max(...groups.flatMap(({ results }) => results.flat()))],
    extractIssues: (phase, [impact = 0]): Issue[] =>
      phase === model.phases.root ? [{ pass: 'custom', rule: 'longest leaf', phase, impact, details: { impact } }] : [],
  });
  const { issues } = analyse(model, { issues: [...defaultIssueFinders, longestStep] });
  expect(issues.filter(({ pass }) => pass === 'custom')).toEqual([
    { pass: 'custom', rule: 'longest leaf', phase: 0, impact: 18, details: { impact: 18 } },
  ]);
  expect(issues.some(({ pass }) => pass === 'imbalance')).toBe(true);
});
