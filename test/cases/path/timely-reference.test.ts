import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { waitsOf } from '../../../analysis/path/timely/timely-waits.ts';
import { analyseText, TRACES } from '../../analysis/path/timely/run-trace.ts';
import { timelyCaseResult } from './print-timely-case.ts';

const textOf = (name: string): string => {
  const bytes = readFileSync(join(TRACES, name));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};

/** What is timed is not compared. */
const SECONDS = { read: 1, order: 1, waits: 1 };

interface Reference {
  readonly slices: readonly { readonly start: number; readonly end: number }[];
  readonly timing: unknown;
  readonly events_per_s: unknown;
}

describe.each(['tiny2.jsonl', 'tiny2net.jsonl', 'bfs4yield.jsonl.gz', 'dd2.jsonl.gz'])('the trace %s', (name) => {
  it('gives every value of its reference output', async () => {
    const {
      timing: _,
      events_per_s: __,
      ...reference
    } = JSON.parse(textOf(name.replace('.jsonl', '.expected.json'))) as Reference;
    const slices = reference.slices.map(({ start, end }) => ({ startNs: start, endNs: end }));
    const found = JSON.parse(
      JSON.stringify(timelyCaseResult(await analyseText(textOf(name)), { slices, name, seconds: SECONDS })),
    );
    expect(pick(found, reference)).toEqual(reference);
  });
});

/** What `found` has where `like` has something. */
function pick(found: unknown, like: unknown): unknown {
  if (Array.isArray(found) && Array.isArray(like)) return found.map((item, index) => pick(item, like[index]));
  if (typeof found !== 'object' || found === null || typeof like !== 'object' || like === null) return found;
  const keys = Object.keys(like);
  // Records of counts have keys of their own: none may be too many.
  const isOpen = keys.every((key) => typeof (like as Record<string, unknown>)[key] === 'number');
  const entries = Object.entries(found).filter(([key]) => isOpen || keys.includes(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, pick(value, (like as Record<string, unknown>)[key])]));
}

describe('the trace synth.jsonl, written by hand', () => {
  const reasons: Readonly<Record<string, string>> = {
    data: 'data from',
    progress: 'progress from',
  };

  it('has each sort of wait', async () => {
    const expected = JSON.parse(textOf('synth.expected-waits.json')) as Record<string, readonly unknown[]>;
    const waits = waitsOf((await analyseText(textOf('synth.jsonl'))).trace);
    const said = waits.map(({ worker, startNs, endNs, cause, reason }) => [
      worker,
      [
        startNs,
        endNs,
        cause ? 'wait' : 'wait_input',
        cause ? `${reasons[cause.kind]} ${cause.worker} sent ${cause.sentNs}` : reason,
      ],
    ]);
    for (const worker of [0, 1]) {
      expect(said.filter(([own]) => own === worker).map(([, wait]) => wait)).toEqual(expected[worker]);
    }
  });

  it('waits longer where waits begin with the gap, and for the same messages', async () => {
    const [op, gap] = await Promise.all(
      (['op', 'gap'] as const).map(async (waitFrom) =>
        waitsOf((await analyseText(textOf('synth.jsonl'), { waitFrom })).trace),
      ),
    );
    expect(gap?.map(({ endNs, cause }) => [endNs, cause])).toEqual(op?.map(({ endNs, cause }) => [endNs, cause]));
    expect(gap?.map(({ startNs }) => startNs)).toEqual([33, 163, 243, 336, 463, 520, 641]);
  });

  it.each([
    ['op', 10],
    ['gap', 5],
  ] as const)('from %s, that of a worker with nothing useful before begins at %d', async (waitFrom, startNs) => {
    // Worker 0 logs the first event (5), spins (10 to 20), and reads at 40 what worker 1 sent it at 30.
    const text = [
      '{"t":5,"w":0,"type":"Operates","id":0,"addr":[0,0,1],"name":"Map"}',
      '{"t":5,"w":0,"type":"Channels","id":1,"scope_addr":[0,0],"source":[0,0],"target":[1,0]}',
      '{"t":6,"w":1,"type":"Operates","id":0,"addr":[1,0,1],"name":"Map"}',
      '{"t":6,"w":1,"type":"Channels","id":1,"scope_addr":[1,0],"source":[0,0],"target":[1,0]}',
      '{"t":10,"w":0,"type":"Schedule","id":0,"start_stop":"Start"}',
      '{"t":20,"w":0,"type":"Schedule","id":0,"start_stop":"Stop","activity":false}',
      '{"t":25,"w":1,"type":"Schedule","id":0,"start_stop":"Start"}',
      '{"t":30,"w":1,"type":"Messages","is_send":true,"channel":1,"comm_channel":null,"source":1,"target":0,"seq_no":0,"length":1}',
      '{"t":35,"w":0,"type":"Schedule","id":0,"start_stop":"Start"}',
      '{"t":35,"w":1,"type":"Schedule","id":0,"start_stop":"Stop","activity":true}',
      '{"t":40,"w":0,"type":"Messages","is_send":false,"channel":1,"comm_channel":null,"source":1,"target":0,"seq_no":0,"length":1}',
      '{"t":45,"w":0,"type":"Schedule","id":0,"start_stop":"Stop","activity":true}',
    ];
    const waits = waitsOf((await analyseText(text.join('\n'), { waitFrom })).trace);
    expect(waits).toMatchObject([{ worker: 0, startNs, endNs: 30, cause: { worker: 1, sentNs: 30 } }]);
  });
});
