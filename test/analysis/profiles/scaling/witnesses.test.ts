import { expect, test } from 'vitest';
import type { Run } from '../../../../analysis/across/run-of-cell.ts';
import type { ExplainedScaling } from '../../../../analysis/profiles/scaling/explain-scaling.ts';
import { scalingWitnesses } from '../../../../analysis/profiles/scaling/witnesses.ts';

const range: ExplainedScaling['range'] = { scale: 20, fewest: 4, most: 16, highest: 100, lowest: 10, seconds: 2 };
const runAt = (nodes: number, components: Run['components'], bw = 100): Run => ({
  ...{ nodes, scale: 20, bw, rep: 1, imbalance: 0, components },
  seconds: Object.values(components).reduce((sum, each) => sum + each, 0),
});
/** Of 4 s on 4 nodes 1 s is left on 16: computing is as it should be, exchange exceeds its share by 0.5 s, the barrier by 0.2 s. */
const path = [
  runAt(4, { compute: 4, 'exchange transfer': 1, 'exchange work': 1, barrier: 0.4 }),
  runAt(16, { compute: 1, 'exchange transfer': 0.6, 'exchange work': 0.4, barrier: 0.3 }),
  // Not asked about.
  runAt(16, { compute: 1, 'exchange transfer': 9, barrier: 9 }, 10),
];
const grade10 = [runAt(4, { cpu: 4, link: 0.8 }), runAt(16, { cpu: 1.1, link: 0.8 })];
const phasesOf = (...names: readonly string[]): ExplainedScaling['phases'] =>
  names.map((phase, at) => ({ phase, excess: 1 / (1 + at) }) as ExplainedScaling['phases'][number]);
const label = (name: string): string => `the ${name}`;

test('what exceeds its share on the most nodes is named by both, most first, an exchange as one phase', () => {
  const found = scalingWitnesses({ path, grade10, label }, { range, phases: phasesOf('exchange') });
  expect(found.path.map(({ name, seconds, excess }) => [name, seconds, +excess.toFixed(9)])).toEqual([
    ['exchange', 1, 0.5],
    ['barrier', 0.3, 0.2],
    ['compute', 1, 0],
  ]);
  expect(found.grade10.map(({ label: said, excess }) => [said, +excess.toFixed(9)])).toEqual([
    ['the link', 0.6],
    ['the cpu', 0.1],
  ]);
});

const BY_CALLS = (phase: string) =>
  `By phase, call paths exceed ideal scaling most in ${phase} (1 s per rank), the critical path does so in exchange`;
test.each([
  [['exchange', 'barrier'], true, `${BY_CALLS('exchange')} (500 ms, the same), Grade10 attributes`],
  [['barrier', 'exchange'], false, `${BY_CALLS('barrier')} (500 ms; in barrier 200 ms), Grade10 attributes`],
  [[], null, 'the critical path does so in exchange (500 ms), Grade10 attributes'],
])('call paths whose phases are %j agree with the critical path: %s', (names, agrees, said) => {
  const found = scalingWitnesses({ path, grade10, label }, { range, phases: phasesOf(...names) });
  expect([found.agrees, found.sentence]).toEqual([agrees, `${said} most of it to the link (600 ms).`]);
});

test('a phase whose excess is nearly as large agrees', () => {
  const near = [path[0], runAt(16, { compute: 1, 'exchange work': 1, barrier: 0.51 })].filter(
    (run) => run !== undefined,
  );
  expect(scalingWitnesses({ path: near, grade10, label }, { range, phases: phasesOf('barrier') }).agrees).toBe(true);
});

test('witnesses that saw nothing at one end say nothing', () => {
  const found = scalingWitnesses(
    { path: path.slice(0, 1), grade10: [], label },
    { range, phases: phasesOf('barrier') },
  );
  expect(found).toMatchObject({ path: [], grade10: [], agrees: null });
  expect(found.sentence).toBe('By phase, call paths exceed ideal scaling most in barrier (1 s per rank).');
});
