import { expect, test } from 'vitest';
import type { LiveState } from '../../../experiments/store/live-state.ts';
import { stateLines } from '../../../orchestrator/cli/status-command.ts';
import { cells } from '../queue/cells.ts';

const [now, next] = cells(2);
if (now === undefined || next === undefined) throw new Error('no cells');
const one = { bw: 100, planned: 2, done: 1, failed: 0, state: 'running', medianS: 0.413 } as const;
const state: LiveState = {
  ...{ name: 'trial', sweep: 'running', reason: null, at: null, secondsLeft: 65, endsAt: '2024-05-01T10:00:00.000Z' },
  cells: { planned: 4, done: 1, failed: 1, unmeasured: 0 },
  bandwidths: [100, 20],
  rows: [
    { nodes: 4, scale: 12, told: '', configurations: [one, { ...one, state: 'failed', medianS: null, failed: 1 }] },
  ],
  running: [{ cell: now, at: '2024-05-01T09:00:00.000Z', level: null }],
  ...{ last: null, next },
  news: [{ at: '2024-05-01T09:00:00.000Z', tone: 'warning', text: 'a long note about nothing '.repeat(5) }],
};

test('a state is lines for a terminal: counts, what is left, what runs, a table, notes', () => {
  const lines = stateLines(state, { columns: 90, rows: 40 });
  expect(lines.slice(0, 7)).toEqual([
    'trial: Running: 1 of 4 cells done, 1 failed.',
    expect.stringMatching(/^\[#{10}\.{30}\] about 1 min 05 s left, until \d\d:\d\d:\d\d$/),
    'Now: 4 nodes, scale 12, 100 %',
    'Next: 4 nodes, scale 12, 100 %, rep 2',
    '',
    'size                     100 %  20 %',
    '4 nodes, scale 12  >413 ms 1/2  x1/2',
  ]);
  expect(lines.slice(8).join(' ')).toContain('a long note about nothing a long note');
});

test.each([
  [20, 5],
  [8, 3],
  [1, 1],
])('it has no more than %i columns and %i rows', (columns, rows) => {
  const lines = stateLines(state, { columns, rows });
  expect(lines.length).toBeLessThanOrEqual(rows);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
});
