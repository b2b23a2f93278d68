import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PerfEvent, type PerfLine, readPerfEvents } from '../../../experiments/stacks/perf-script.ts';
import type { Segment } from '../../../experiments/stacks/segments.ts';
import type { StackTable } from '../../../experiments/stacks/stack-columns.ts';
import { StackFold } from '../../../experiments/stacks/stack-fold.ts';
import { readStacks } from '../../../experiments/store/stacks.ts';
import { writeCell } from '../../../experiments/store/write-cell.ts';
import { goodRecord, newCampaign, nth } from '../make.ts';

const MS = 1e6;
const PID = 70;
const wall = { kind: 'wall', hz: 100 } as const;
const segments: ReadonlyMap<number, readonly Segment[]> = new Map([
  [
    3,
    [
      { startNs: 0, endNs: 50 * MS, search: 0, phase: 'expand' },
      { startNs: 50 * MS, endNs: 100 * MS, search: 1, phase: 'fold' },
    ],
  ],
]);

const line = (timeMs: number, what: PerfEvent, tid = PID): PerfLine => ({ pid: PID, tid, timeNs: timeMs * MS, what });
const seen = (event: string, frames: readonly string[], isCut = false): PerfEvent => ({
  kind: 'sample',
  event,
  frames,
  isCut,
});
const leave = (...frames: string[]): PerfEvent => seen('context-switches/period=1/', frames);
const out: PerfEvent = { kind: 'out', preempted: false };
const preempted: PerfEvent = { kind: 'out', preempted: true };
const back: PerfEvent = { kind: 'in' };

async function* each(lines: readonly PerfLine[]): AsyncGenerator<PerfLine> {
  yield* lines;
}

async function folded(lines: readonly PerfLine[], profile: { kind: 'cpu' | 'wall'; hz: number } = wall, of = segments) {
  const fold = new StackFold(profile, of);
  await fold.take('a', new Map([[PID, 3]]), each(lines));
  return { fold, rows: rowsOf(fold.table()) };
}

const rowsOf = ({ stacks, rows }: StackTable) =>
  rows
    .map(({ search, phase, kind, stack, samples, seconds }) => [
      search,
      phase,
      kind,
      stacks[stack],
      samples,
      +seconds.toFixed(6),
    ])
    .sort((a, b) => (String(a) < String(b) ? -1 : 1));

test('a sample on a CPU is 1 / hz of its search and phase', async () => {
  const { rows } = await folded([
    line(10, seen('cpu-clock/freq=100/', ['main', 'f'])),
    line(20, seen('cpu-clock/freq=100/', ['main', 'f'])),
    line(60, seen('cpu-clock:u', ['main'])),
    line(120, seen('cpu-clock/freq=100/', ['main'])),
  ]);
  expect(rows).toEqual([
    [null, null, 'cpu', 'main', 1, 0.01],
    [0, 'expand', 'cpu', 'main;f', 2, 0.02],
    [1, 'fold', 'cpu', 'main', 1, 0.01],
  ]);
});

test('sleep lasts from one switch to the next, and is cut where the phase changes', async () => {
  const { rows } = await folded([line(30, leave('main', 'poll')), line(30, out), line(70, back)]);
  expect(rows).toEqual([
    [0, 'expand', 'wait', 'main;poll', 1, 0.02],
    [1, 'fold', 'wait', 'main;poll', 1, 0.02],
  ]);
});

test('who could have run is queued; who yields waits; whom the helper of the lab holds is queued where its signal found it', async () => {
  const { rows } = await folded([
    ...[line(1, leave('main', 'f')), line(1, preempted), line(2, back)],
    ...[line(3, leave('main', 'g', 'sched_yield', 'syscall')), line(3, preempted), line(5, back)],
    ...[line(6, leave('main', 'h', '[libc.so.6]', 'predict_idle_hold', 'settle')), line(6, out), line(10, back)],
  ]);
  expect(rows).toEqual([
    [0, 'expand', 'queued', 'main;f', 1, 0.001],
    [0, 'expand', 'queued', 'main;h', 1, 0.004],
    [0, 'expand', 'wait', 'main;g;sched_yield;syscall', 1, 0.002],
  ]);
});

test('time of which no stack is known is shared out like that of which one is: of its search, else of all', async () => {
  const { rows } = await folded([
    ...[line(1, leave('main', 'f')), line(1, out), line(4, back)],
    ...[line(5, leave('main', 'g')), line(5, out), line(6, back)],
    ...[line(10, out), line(18, back)],
    ...[line(60, out), line(70, back)],
  ]);
  const inFold = await folded([line(60, out), line(70, back)]);
  expect(rows).toEqual([
    [0, 'expand', 'wait', 'main;f', 1, 0.009],
    [0, 'expand', 'wait', 'main;g', 1, 0.003],
    [1, 'fold', 'wait', '[unrecorded]', 0, 0.01],
  ]);
  expect(inFold.rows).toEqual([[1, 'fold', 'wait', '[unrecorded]', 0, 0.01]]);
  const samePhase = new Map([[3, segments.get(3)?.map((segment) => ({ ...segment, phase: 'fold' })) ?? []]]);
  const pooled = await folded(
    [line(1, leave('main')), line(1, out), line(4, back), line(60, out), line(70, back)],
    wall,
    samePhase,
  );
  expect(pooled.rows).toContainEqual([1, 'fold', 'wait', 'main', 0, 0.01]);
});

test('only the first thread has wall-clock time, every thread has time on processors; others than ranks have none', async () => {
  const lines = [
    line(1, seen('cpu-clock/freq=100/', ['worker']), PID + 1),
    { ...line(2, seen('cpu-clock/freq=100/', ['else'])), pid: 99, tid: 99 },
  ];
  expect((await folded(lines)).rows).toEqual([]);
  expect((await folded(lines, { kind: 'cpu', hz: 100 })).rows).toEqual([[0, 'expand', 'cpu', 'worker', 1, 0.01]]);
});

test('what is lost and cut is counted; what is cut hangs below a name of its own', async () => {
  const { fold, rows } = await folded([
    line(1, { kind: 'lost', count: 5 }),
    line(2, seen('cpu-clock/freq=100/', ['g'], true)),
  ]);
  expect(fold.losses).toEqual({ lost: 5, cut: 1, samples: 1 });
  expect(rows).toEqual([[0, 'expand', 'cpu', '[truncated];g', 1, 0.01]]);
});

test('all time between switches is there once, however few of them have a stack', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ away: fc.nat(9), has: fc.boolean(), name: fc.constantFrom('f', 'g'), pre: fc.boolean() })),
      async (sleeps) => {
        let time = 0;
        const lines = sleeps.flatMap(({ away, has, name, pre }) => {
          const [from, to] = [time + 1, time + 1 + away];
          time = to;
          return [...(has ? [line(from, leave('main', name))] : []), line(from, pre ? preempted : out), line(to, back)];
        });
        const { rows } = await folded(lines);
        const total = rows.reduce((sum, [, , , , , seconds]) => sum + Number(seconds), 0);
        expect(total).toBeCloseTo(sleeps.reduce((sum, { away }) => sum + away, 0) / 1000, 4);
      },
    ),
  ));

test('a real recording: the times off the processor are those between its switches', async () => {
  const text = readFileSync(new URL('../../fixtures/stacks/bfs-wall.perf.txt', import.meta.url), 'utf8');
  const fold = new StackFold({ kind: 'wall', hz: 99 }, new Map());
  const ranks = new Map([
    [6588, 0],
    [6589, 1],
  ]);
  await fold.take('a', ranks, readPerfEvents([text], { baseS: 1_795_343_154, strange: () => undefined }));
  const away = new Map<string, number>();
  let expected = 0;
  for (const [, id = '', seconds, way] of text.matchAll(/^\s*(\S+)\s+\d+(\.\d+): PERF_RECORD_SWITCH (IN|OUT)/gm)) {
    if (way === 'IN') expected += Number(seconds) - (away.get(id) ?? Number(seconds));
    if (way === 'OUT') away.set(id, Number(seconds));
    else away.delete(id);
  }
  const { stacks, rows } = fold.table();
  const off = rows.filter(({ kind }) => kind !== 'cpu');
  expect(off.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(expected, 9);
  expect(stacks).toContain('main;bfs_run;traverse_bottom_up.avx512f');
  expect(new Set(off.map(({ kind }) => kind))).toEqual(new Set(['wait', 'queued']));
});

test('a cell keeps its stacks, whatever their names', async () => {
  const { dir, cells } = await newCampaign({ nodes: '1', profile: 'wall' });
  const cell = nth(
    cells.filter(({ role }) => role === 'profile'),
    0,
  );
  const place = { host: `it's "a", b`, rank: 2, search: null, phase: null };
  const stacks: StackTable = {
    stacks: ['main;operator<<(a, "b")', `ma'in;\u00e9\\`],
    rows: [
      { ...place, kind: 'cpu', stack: 0, samples: 3, seconds: 0.03 },
      { ...place, search: 1, phase: 'fold', kind: 'wait', stack: 1, samples: 0, seconds: 1 / 3 },
    ],
  };
  await writeCell(dir, goodRecord(cell), { stdout: '', stderr: '', stacks });
  const found = await readStacks(dir, cell.id);
  const plain = (table: StackTable | null) => table?.rows.map((row) => ({ ...row, stack: table.stacks[row.stack] }));
  expect(plain(found)?.sort((a, b) => a.samples - b.samples)).toEqual(
    plain(stacks)?.sort((a, b) => a.samples - b.samples),
  );
  expect(
    await readStacks(
      dir,
      nth(
        cells.filter(({ role }) => role === 'measure'),
        0,
      ).id,
    ),
  ).toBeNull();
});
