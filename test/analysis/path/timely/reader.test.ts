import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseTimely } from '../../../../analysis/path/timely/analyse-timely.ts';
import { Addresses, EVENT, type EventSink, type TimelyEvent } from '../../../../analysis/path/timely/event.ts';
import { EventLines } from '../../../../analysis/path/timely/event-lines.ts';
import { waitsOf } from '../../../../analysis/path/timely/timely-waits.ts';
import { generateTrace } from './generate-trace.ts';
import { analyseText, pieces, problemCounts, TRACES } from './run-trace.ts';

/** What a sink gets, each event with the fields that its kind has. */
class Collector implements EventSink {
  readonly addresses = new Addresses();
  readonly got: unknown[] = [];

  event({ kind, t, worker, id, line, declaration, ...rest }: TimelyEvent): void {
    if (declaration !== null) {
      this.got.push({ kind, t, worker, id, line, declaration });
      return;
    }
    const { wire, source, target, sequence, process, peer, records } = rest;
    const isData = kind === EVENT.dataSend || kind === EVENT.dataRead;
    const isProgress = kind === EVENT.progressSend || kind === EVENT.progressRead;
    const isWire = kind === EVENT.wireSend || kind === EVENT.wireReceive;
    const hasId = !isWire && kind !== EVENT.guardedMessage && kind !== EVENT.guardedProgress;
    this.got.push({
      ...{ kind, t, worker, line },
      ...(hasId ? { id } : {}),
      ...(isData || isProgress || isWire ? { wire, source, sequence } : {}),
      ...(isData || isWire ? { target } : {}),
      ...(isData ? { records } : {}),
      ...(isWire ? { process, peer } : {}),
    });
  }

  problem(kind: string, line: number): void {
    this.got.push({ kind, line });
  }
}

function collect(chunks: readonly Buffer[]): readonly unknown[] {
  const collector = new Collector();
  const reader = new EventLines(collector);
  for (const chunk of chunks) reader.feed(chunk);
  reader.finish();
  return collector.got;
}

const small = fc.nat(1000);
const time = fc.oneof(fc.nat(), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), fc.constant(-5));
const wire = fc.option(small);
const ends = { comm_channel: wire, source: small, target: small, seq_no: fc.nat() };
const head = { t: time, w: fc.oneof(small, fc.constant(-1)) };
const address = fc.array(small, { minLength: 1, maxLength: 4 });
const event = fc.oneof(
  fc.record({
    ...head,
    type: fc.constant('Schedule'),
    id: fc.integer({ min: -1, max: 99 }),
    start_stop: fc.constant('Start'),
  }),
  fc.record(
    { ...head, type: fc.constant('Schedule'), id: small, start_stop: fc.constant('Stop'), activity: fc.boolean() },
    { requiredKeys: ['t', 'w', 'type', 'id', 'start_stop'] },
  ),
  fc.record({
    ...head,
    type: fc.constant('Messages'),
    is_send: fc.boolean(),
    channel: small,
    ...ends,
    length: fc.nat(),
  }),
  fc.record({
    ...head,
    type: fc.constant('Progress'),
    ...{ is_send: fc.boolean(), source: small, comm_channel: wire, seq_no: fc.nat(), addr: address },
  }),
  fc.record({ ...head, type: fc.constant('PushProgress'), op_id: small }),
  fc.record({
    ...head,
    type: fc.constant('Communication'),
    ...{ process: small, thread: fc.constantFrom('sender', 'receiver'), peer: small, is_send: fc.boolean() },
    ...{ ...ends, comm_channel: small },
  }),
  fc.record({ ...head, type: fc.constant('Application'), id: small, is_start: fc.boolean() }),
  fc.record({ ...head, type: fc.constantFrom('GuardedMessage', 'GuardedProgress'), is_start: fc.boolean() }),
  fc.record({ ...head, type: fc.constant('Operates'), id: small, addr: address, name: fc.string() }),
);

describe('lines of a trace', () => {
  it('give the same events from bytes as from JSON.parse, whatever their spaces, and in pieces of any length', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 20 }),
        fc.integer({ min: 1, max: 90 }),
        fc.boolean(),
        (events, length, crlf) => {
          const end = crlf ? '\r\n' : '\n';
          const plain = events.map((one) => `${JSON.stringify(one)}${end}`).join('');
          // A reader that cannot take its fast way: the first key comes last, and spaces stand everywhere.
          const odd = events
            .map(({ t, ...rest }) => `${JSON.stringify({ ...rest, t }, null, 1).replaceAll('\n', ' ')}${end}`)
            .join('');
          const whole = collect([Buffer.from(plain)]);
          expect(whole).toEqual(collect([Buffer.from(odd)]));
          const bytes = Buffer.from(plain);
          const count = Math.ceil(bytes.length / length);
          const parts = Array.from({ length: count }, (_, part) => bytes.subarray(part * length, (part + 1) * length));
          expect(collect(parts)).toEqual(whole);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    [
      '{"w":-1,"t":1,"type":"Communication","process":0,"peer":1,"is_send":true,"source":0,"target":1,"seq_no":2}',
      'wireSend',
    ],
    ['{"w":0,"t":1e0,"type":"Schedule","start_stop":"Stop","id":1.0,"activity":null}', 'stopUnflagged'],
    ['{"w":0,"t":1,"type":"Schedule","start_stop":"Start","id":1,"activity":true}', 'scheduleStart'],
    ['{"w":0,"t":1,"type":"GuardedMessage"}', 'guardedMessage'],
    ['{"w":0,"t":1,"type":"Progress","is_send":false,"source":0,"seq_no":1,"addr":[]}', 'progressRead'],
    ['{"t":1,"w":0,"type":"CommChannels","identifier":0,"kind":"Data"}', 'commChannels'],
    ['{"t":1,"w":0,"type":"Park","event":"Unpark","duration":null}', 'unpark'],
  ] as const)('%s is an event, whatever it leaves out', (line, kind) => {
    expect(collect([Buffer.from(`${line}\n`)])).toMatchObject([{ kind: EVENT[kind], t: 1, line: 1 }]);
  });

  it.each([
    ['{"t":1,"w":0,"type":"Application","id":1}', 'incomplete event'],
    ['{"t":1,"w":0,"type":"PushProgress","op_id":2147483648}', 'incomplete event'],
    ['{"t":1.5,"w":0,"type":"PushProgress","op_id":1}', 'incomplete event'],
    ['{"t":9007199254740993,"w":0,"type":"PushProgress","op_id":1}', 'incomplete event'],
    [
      '{"t":1,"w":0,"type":"Messages","is_send":1,"channel":0,"source":0,"target":0,"seq_no":0,"length":0}',
      'incomplete event',
    ],
    ['{"t":1,"w":0,"type":"GuardedMessage","is_start":tru}', 'unreadable line'],
    ['{"t":1,"w":0,"type":"Operates","id":1,"addr":[0.5],"name":"A"}', 'incomplete event'],
    ['{"t":1,"w":0,"type":"toString"}', 'unknown event type'],
  ])('%s is none: %s', (line, kind) => {
    expect(collect([Buffer.from(`${line}\n`)])).toEqual([{ kind, line: 1 }]);
  });

  it('that are no events are named by what is wrong with them, and by their number', async () => {
    const lines = [
      '{"t":1,"w":0,"type":"Operates","id":0,"addr":[0,0,1],"name":"A"}',
      '',
      '{"t":2,"w":0,"type":"Unheard","id":0}',
      '{"t":3,"w":0,"type":"Schedule","id":0}',
      'no JSON',
      '{"t":07,"w":0,"type":"PushProgress","op_id":1}',
      '{"t":9,"w":0,"type":"Schedule","id":0,"start_stop":"Start"}',
      '{"t":8,"w":0,"type":"Schedule","id":0,"start_stop":"Stop","activity":true}',
      '{"t":20,"w":0,"type":"Schedule","id":0,"start_stop":"Stop","activity":true}',
      '{"t":21,"w":0,"type":"Messages","is_send":false,"channel":7,"comm_channel":null,"source":0,"target":0,"seq_no":4,"length":1}',
      '{"t":22,"w":0,"type":"Schedule","id":0,"start_st',
    ];
    expect((await analyseText(lines.join('\n'))).problems).toEqual([
      { kind: 'unknown event type', count: 1, lines: [3] },
      { kind: 'incomplete event', count: 1, lines: [4] },
      { kind: 'unreadable line', count: 2, lines: [5, 6] },
      { kind: 'time backwards', count: 1, lines: [8] },
      { kind: 'stop without a start', count: 1, lines: [9] },
      { kind: 'message on an unknown channel', count: 1, lines: [10] },
      { kind: 'truncated line', count: 1, lines: [11] },
      { kind: 'message without a send', count: 1, lines: [10] },
    ]);
  });

  it('may be damaged from the first one on, and those of NUL bytes are not blank', async () => {
    const good = '{"t":1,"w":0,"type":"Operates","id":0,"addr":[0,0,1],"name":"A"}';
    const { problems, lines } = await analyseText(`{"t":0,"w\n \t\r\n${good}\n\0\0\n`);
    expect(problems).toEqual([{ kind: 'unreadable line', count: 2, lines: [1, 4] }]);
    expect(lines).toBe(4);
    const long = pieces(`${'x'.repeat(3 << 20)}\n${good}\n`);
    expect(await analyseTimely(long, { skew: new Map(), waitFrom: 'op' })).toBeNull();
  });

  it('of something else are no trace', async () => {
    const options = { skew: new Map(), waitFrom: 'op' } as const;
    for (const text of ['', '{"worker":0,"start":1,"end":2,"type":"op"}\n', 'rank,start\n1,2\n']) {
      expect(await analyseTimely(pieces(text), options)).toBeNull();
    }
  });
});

describe('the order of lines', () => {
  it('between workers does not matter: one log after another gives the same waits and transfers', async () => {
    const shape = { workers: 3, operators: 3, events: 3000, input: 0.1, passOn: 0.9, exchange: 0.5 };
    for (const perProcess of [3, 1]) {
      const text = [...generateTrace({ ...shape, perProcess, seed: 5 })].join('');
      const lines = text.trim().split('\n');
      const workerOf = (line: string): number => Number(/"w":(-?\d+)/.exec(line)?.[1]);
      const sorted = [2, 0, -1, 1].flatMap((worker) => lines.filter((line) => workerOf(line) === worker)).join('\n');
      const [one, other] = [await analyseText(text), await analyseText(`${sorted}\n`)];
      expect(waitsOf(other.trace)).toEqual(waitsOf(one.trace));
      expect(other.activities.work.startNs).toEqual(one.activities.work.startNs);
      expect(other.activities.transfers.endNs).toEqual(one.activities.transfers.endNs);
    }
  });
});

describe('a clock that is ahead', () => {
  const text = readFileSync(join(TRACES, 'tiny2net.jsonl'), 'utf8');
  /** The events of process 1 (worker 1 and its threads) as a clock sees them that is so many ns ahead. */
  const ahead = (ns: number): string =>
    text.replace(/^\{"t":(\d+),("w":1,|"w":-1,"type":"Communication","process":1,)/gm, (_, t, rest) => {
      return `{"t":${Number(t) + ns},${rest}`;
    });

  it.each([5_000_000, -5_000_000])('by %i ns that are told gives the waits of one that is right', async (ns) => {
    const right = await analyseText(text);
    const told = await analyseText(ahead(ns), { skew: new Map([[1, ns]]) });
    expect(waitsOf(told.trace)).toEqual(waitsOf(right.trace));
    expect(told.activities).toEqual(right.activities);
    expect(told.problems).toEqual([]);
  });

  it('and not told makes transfers negative, which is counted; as many waits are found', async () => {
    const right = await analyseText(text);
    const untold = await analyseText(ahead(5_000_000));
    expect(problemCounts(untold)['negative transfer']).toBeGreaterThan(0);
    const { startNs, endNs } = untold.activities.transfers;
    expect(startNs.every((start, row) => start <= (endNs[row] ?? 0))).toBe(true);
    expect(waitsOf(untold.trace).filter(({ worker }) => worker === 1)).toHaveLength(
      waitsOf(right.trace).filter(({ worker }) => worker === 1).length,
    );
  });
});

describe('version 0.10', () => {
  const head = (w: number): string[] => [
    `{"t":0,"w":${w},"type":"Operates","id":1,"addr":[0,1],"name":"Map"}`,
    `{"t":0,"w":${w},"type":"Operates","id":0,"addr":[0],"name":"Dataflow"}`,
    `{"t":0,"w":${w},"type":"Channels","id":2,"scope_addr":[0],"source":[0,0],"target":[1,0]}`,
    `{"t":0,"w":${w},"type":"CommChannels","identifier":0,"kind":"Progress"}`,
  ];
  const message = (t: number, w: number, isSend: boolean): string =>
    `{"t":${t},"w":${w},"type":"Messages","is_send":${isSend},"channel":2,"comm_channel":null,"source":0,"target":1,"seq_no":0,"length":1}`;
  const schedule = (t: number, w: number, what: string): string =>
    `{"t":${t},"w":${w},"type":"Schedule","id":1,"start_stop":"${what}"}`;

  it('has workers that park: a wait, up to the message that wakes them', async () => {
    const lines = [
      ...head(0),
      ...head(1),
      schedule(10, 0, 'Start'),
      '{"t":20,"w":1,"type":"Park","event":"Park","duration":null}',
      message(60, 0, true),
      schedule(70, 0, 'Stop'),
      '{"t":65,"w":1,"type":"Park","event":"Unpark"}',
      schedule(66, 1, 'Start'),
      message(68, 1, false),
      schedule(80, 1, 'Stop'),
      '{"t":90,"w":1,"type":"Shutdown","id":1}',
    ];
    const { trace, problems, activities } = await analyseText(`${lines.join('\n')}\n`);
    const cause = { kind: 'data', worker: 0, sentNs: 60, readNs: 68, isNetwork: false };
    expect(waitsOf(trace)).toEqual([{ worker: 1, startNs: 20, endNs: 60, cause, reason: null }]);
    expect(problems).toEqual([]);
    expect(activities.names).toContain('op:Map#1');
  });
});
