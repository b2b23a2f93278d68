import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Cell } from '../../experiments/records.ts';
import type { SweepNews } from '../../experiments/store/campaign-events.ts';
import { createProgress } from '../../orchestrator/cli/progress.ts';
import { cells } from './queue/cells.ts';

const timing = { totalMs: 4_000, throttleMs: 500, workloadMs: 3_000, collectMs: 500 };

/** What the events of a sweep of these cells print. */
function shown(plan: readonly Cell[], news: readonly SweepNews[], isTTY = false): string {
  let text = '';
  const write = (part: string): boolean => {
    text += part;
    return true;
  };
  const progress = createProgress(plan, { write, isTTY, columns: 80 });
  for (const each of news) progress({ ...each, at: '2024-05-01T10:00:00.000Z' });
  return text;
}

const plan: Cell[] = cells(3).map((cell, index) => ({ ...cell, bw: [100, 20, 100][index] ?? 100, rep: 1 }));
const [first = '', second = '', third = ''] = plan.map(({ id }) => id);
const drift = plan.map((cell): Cell => (cell.id === third ? { ...cell, role: 'drift' } : cell));
const finished = (id: string): SweepNews => ({
  ...{ kind: 'cell-finished', id, status: 'ok', reason: null, timing, runs: 16, medianS: 0.0125, marks: [] },
});

describe('progress in plain lines', () => {
  it('has one line for each cell that is finished', () => {
    const news: SweepNews[] = [
      { kind: 'sweep-begun', planned: [first, second, third], done: [] },
      { kind: 'cell-started', id: first, attempt: 1 },
      finished(first),
      { ...finished(second), status: 'failed', reason: 'It said no.' } as SweepNews,
      finished(third),
      { kind: 'sweep-ended', how: 'complete', reason: null },
    ];
    expect(shown(drift, news)).toBe(
      [
        '[1/3] 4 nodes, scale 12, 100 %: median 12.5 ms of 16 (4 s in all)',
        '[2/3] 4 nodes, scale 12, 20 %: failed: It said no.',
        'predict: about 4 s left, by 2 cells.',
        '[3/3] 4 nodes, scale 12, 100 % (baseline again): median 12.5 ms of 16 (4 s in all)',
        '',
      ].join('\n'),
    );
  });

  it('has a line for each mark of a cell', () => {
    const marked = { ...finished(first), marks: ['n1: others took 1 core.'] } as SweepNews;
    expect(shown(plan, [{ kind: 'sweep-begun', planned: [first], done: [] }, marked])).toContain(
      '(4 s in all)\n  flagged: n1: others took 1 core.\n',
    );
  });

  it('says once what marks say of several hosts, and nothing less of others', () => {
    const marks = ['n1: the sampler paused for 1.4 s.', 'n3: others took 1 core.', 'n2: the sampler paused for 2 s.'];
    const marked = { ...finished(first), marks } as SweepNews;
    expect(shown(plan, [{ kind: 'sweep-begun', planned: [first], done: [] }, marked])).toContain(
      '\n  flagged: n1: the sampler paused for 1.4 s. (And 1 more like it.)\n  flagged: n3: others took 1 core.\n',
    );
  });

  it('counts what was measured before', () => {
    const news: SweepNews[] = [
      { kind: 'sweep-begun', planned: [first, second, third], done: [first, second] },
      finished(third),
    ];
    expect(shown(plan, news)).toBe(
      '2 of 3 cells are already measured; resuming with the rest.\n' +
        '[3/3] 4 nodes, scale 12, 100 %: median 12.5 ms of 16 (4 s in all)\n',
    );
  });

  it('says which try failed and why, and passes notes on', () => {
    const news: SweepNews[] = [
      { kind: 'cell-retried', id: second, attempt: 2, reason: 'n2 is gone.' },
      { kind: 'cell-given-up', id: second, reason: 'n2 is gone.' },
      { kind: 'note', text: 'something was dropped.' },
    ];
    expect(shown(plan, news)).toBe(
      'attempt 2 of 4 nodes, scale 12, 20 % was invalid, retrying: n2 is gone.\n' +
        'given up: 4 nodes, scale 12, 20 %\n' +
        'predict: something was dropped.\n',
    );
  });
});

describe('progress on a terminal', () => {
  it('has a line below that names the current cell and the time that is left', () => {
    const text = shown(
      plan,
      [
        { kind: 'sweep-begun', planned: [first, second, third], done: [] },
        { kind: 'cell-started', id: first, attempt: 1 },
        finished(first),
        { kind: 'cell-started', id: second, attempt: 1 },
        { kind: 'sweep-ended', how: 'interrupted', reason: 'Interrupted.' },
      ],
      true,
    );
    const lines = text.split('\r\u001b[K');
    expect(lines).toContain('[0/3] now: 4 nodes, scale 12, 100 %');
    // Two cells are left, and the one that was measured took 4 s.
    expect(lines).toContain('[1/3] 8 s left, now: 4 nodes, scale 12, 20 %');
    expect(lines.at(-1)).toBe('');
  });

  it('takes the time of the same nodes, scale and bandwidth where it is known, else the mean', () => {
    const known = plan.map((cell): Cell => (cell.id === third ? { ...cell, bw: 20, rep: 2 } : cell));
    const slow = { ...finished(second), timing: { ...timing, totalMs: 40_000 } } as SweepNews;
    const text = shown(
      known,
      [
        { kind: 'sweep-begun', planned: [first, second, third], done: [] },
        { kind: 'cell-started', id: third, attempt: 1 },
        finished(first),
        slow,
        { kind: 'sweep-ended', how: 'complete', reason: null },
      ],
      true,
    );
    expect(text).toContain('[2/3] 40 s left, now: 4 nodes, scale 12, 20 %, rep 2');
  });
});

describe('visits that are added', () => {
  const added: Cell = { ...plan[0], id: 'a'.repeat(16), rep: 2 } as Cell;
  const news: SweepNews[] = [
    { kind: 'sweep-begun', planned: [first], done: [] },
    finished(first),
    { kind: 'visits-added', cells: [added], why: 'typical times are not yet known to within 3 %' },
    { kind: 'sweep-begun', planned: [added.id], done: [] },
    finished(added.id),
    { kind: 'sweep-ended', how: 'complete', reason: null },
  ];

  it('are told with their reason, counted and named', () => {
    const lines = shown(plan.slice(0, 1), news).split('\n');
    expect(lines[1]).toBe('1 more repetition: typical times are not yet known to within 3 %.');
    expect(lines[2]).toMatch(/^\[2\/2\] 4 nodes, scale 12, 100 %, rep 2: median/);
    expect(lines).toHaveLength(4);
  });

  it('leave no timer of a terminal behind', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    shown(plan.slice(0, 1), news, true);
    expect(vi.getTimerCount()).toBe(0);
  });
});
