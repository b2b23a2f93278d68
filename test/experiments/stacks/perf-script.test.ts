import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type PerfLine, readPerfEvents } from '../../../experiments/stacks/perf-script.ts';

const BASE_S = 1_795_343_154;

async function eventsOf(pieces: readonly string[], strange: string[] = []): Promise<PerfLine[]> {
  const events: PerfLine[] = [];
  const options = { baseS: BASE_S, strange: (line: string) => void strange.push(line) };
  for await (const event of readPerfEvents(pieces, options)) events.push(event);
  return events;
}

const recorded = readFileSync(new URL('../../fixtures/stacks/bfs-wall.perf.txt', import.meta.url), 'utf8');

test('a real recording of two ranks: times, switches, and stacks from main on', async () => {
  const strange: string[] = [];
  const events = await eventsOf([recorded], strange);
  expect(strange).toEqual([]);
  expect(events[0]).toEqual({ pid: 6588, tid: 6588, timeNs: 688_305_584, what: { kind: 'out', preempted: true } });
  const count = (kind: string): number => events.filter(({ what }) => what.kind === kind).length;
  expect([count('in') + count('out'), count('sample')]).toEqual([124, 15]);
  const [first] = events.flatMap(({ what }) => (what.kind === 'sample' ? [what] : []));
  expect(first?.event).toBe('context-switches/period=4/');
  expect(first?.isCut).toBe(false);
  expect(first?.frames.slice(0, 6)).toEqual([
    ...['main', 'bfs_run', 'traverse_bottom_up.avx512f', '[libc.so.6]', 'predict_idle_hold', 'settle'],
  ]);
});

test('where the text is cut into pieces makes no difference', async () => {
  const pieces = recorded.match(/[\s\S]{1,37}/g) ?? [];
  expect(await eventsOf(pieces)).toEqual(await eventsOf([recorded]));
});

const sample = (...frames: string[]): string =>
  ` 7/8  ${BASE_S + 1}.000000005:  cpu-clock/freq=99/: \n${frames.map((frame) => `\t${frame}\n`).join('')}\n`;

test.each([
  [
    'a name with blanks and brackets',
    ['1f std::map<int, long>::at(int const&) (/opt/a b (x))'],
    ['std::map<int, long>::at(int const&)'],
    false,
  ],
  ['no symbol: the file', ['1f [unknown] (/opt/lib/libx.so.1 (deleted))'], ['[libx.so.1]'], false],
  ['neither', ['1f [unknown] ([unknown])'], ['[unknown]'], false],
  ['a frame with ;', ['1f a;b (/x)'], ['a:b'], false],
  [
    'what starts main',
    ['2 f (/x)', '3 main (/x)', '4 __libc_start_call_main (/c)', '5 _start (/x)'],
    ['main', 'f'],
    false,
  ],
  [
    'the end of the stack that was kept, behind main',
    ['2 f (/x)', '3 main (/x)', 'ffffffffffffffff [unknown] ([unknown])'],
    ['main', 'f'],
    false,
  ],
  ['the same before main was reached', ['2 f (/x)', 'ffffffffffffffff [unknown] ([unknown])'], ['f'], true],
  ['no frame at all', [], [], false],
] as const)('%s', async (_, lines, frames, isCut) => {
  expect(await eventsOf([sample(...lines)])).toEqual([
    { pid: 7, tid: 8, timeNs: 1_000_000_005, what: { kind: 'sample', event: 'cpu-clock/freq=99/', frames, isCut } },
  ]);
});

test('what was lost is counted, other lines are told of, and an event that is cut off is let go', async () => {
  const strange: string[] = [];
  const lost = ` 7/8  ${BASE_S}.000000001: PERF_RECORD_LOST lost 23\n`;
  const events = await eventsOf([`${lost}what is this\n${sample('1 f (/x)').trimEnd()}`], strange);
  expect(events.map(({ what }) => what)).toEqual([{ kind: 'lost', count: 23 }]);
  expect(strange).toEqual(['what is this']);
});
