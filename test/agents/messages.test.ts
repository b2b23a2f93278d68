import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRanks } from './run-ranks.ts';

interface Message {
  readonly worker: number;
  readonly kind: string;
  readonly t: bigint;
  readonly peer: number;
  readonly bytes: number;
  readonly done: bigint | null;
  readonly waited: bigint;
}

const RANKS = 4;

/** A square with its diagonals, and a tail. */
const EDGES = ['1 2', '2 3', '3 4', '1 4', '1 3', '2 4', '4 5', '5 6', '6 7', '7 8'];

describe.skipIf(!existsSync('/usr/bin/mpirun')).each(['graph500', 'graphalytics'] as const)(
  'the messages of %s (needs mpirun)',
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'predict-messages-'));
    const file = (part: string): string => join(folder, part);
    let [header, messages, spans]: [string, readonly Message[], readonly string[][]] = ['', [], []];

    beforeAll(async () => {
      writeFileSync(file('g.v'), `${[1, 2, 3, 4, 5, 6, 7, 8].join('\n')}\n`);
      writeFileSync(file('g.e'), `${EDGES.join('\n')}\n`);
      const graph = ['--algorithm', 'bfs', '--vertices', file('g.v'), '--edges', file('g.e'), '--directed', 'false'];
      const what = {
        graph500: ['--scale', '12', '--roots', '3', '--validate', '1', '--warm-up', '1'],
        graphalytics: [...graph, '--source', '1', '--repetitions', '2', '--warm-up', '1'],
      };
      const result = await runRanks(
        name,
        RANKS,
        ...what[name],
        '--messages',
        file('messages.csv'),
        '--phases',
        file('p.csv'),
      );
      expect(result.exitCode).toBe(0);
      const lines = readFileSync(file('messages.csv'), 'utf8').trimEnd().split('\n');
      header = lines[0] ?? '';
      messages = lines.slice(1).map(messageOf);
      spans = readFileSync(file('p.csv'), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(','));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('has the columns of a trace', () => {
      expect(header).toBe('worker,kind,t_ns,peer,bytes,id,done_ns,waited_ns,queued_ns');
    });

    it('has both ends of every message, with one length, and none arrives before it was sent', () => {
      expect(messages.length).toBeGreaterThan(4 * RANKS);
      for (let from = 0; from < RANKS; from += 1) {
        for (let to = 0; to < RANKS; to += 1) {
          const sent = messages.filter(({ kind, worker, peer }) => kind === 'send' && worker === from && peer === to);
          const got = messages.filter(({ kind, worker, peer }) => kind === 'receive' && worker === to && peer === from);
          expect(got.map(({ bytes }) => bytes)).toEqual(sent.map(({ bytes }) => bytes));
          // All ranks share this machine's clock.
          for (const [place, { t }] of got.entries()) expect(t >= (sent[place]?.t ?? t + 1n)).toBe(true);
          if (from === to) expect(sent).toEqual([]);
        }
      }
    });

    it('says of sends alone when they were done, and of no rank that it waited before it asked', () => {
      for (const { kind, t, done, waited } of messages) {
        expect(done === null).toBe(kind === 'receive');
        if (done !== null) expect(done >= t).toBe(true);
        expect(waited >= 0n).toBe(true);
        if (done !== null) expect(waited <= done - t).toBe(true);
      }
    });

    it('lies within the exchanges of the searches that count, and nowhere else', () => {
      const exchanges = spans.filter(([, phase = '']) => ['expand', 'fold', 'exchange'].includes(phase));
      for (const { worker, t, done } of messages) {
        const around = exchanges.filter(
          ([rank, , start = '', end = '']) =>
            Number(rank) === worker && BigInt(start) <= t && (done ?? t) <= BigInt(end),
        );
        expect(around).toHaveLength(1);
      }
    });

    it('counts the bytes of exchanges as their spans do', () => {
      const exchanged = spans
        .filter(([, phase = '', , , , , , root]) => ['expand', 'fold', 'exchange'].includes(phase) && root !== '')
        .reduce((sum, [, , , , bytes]) => sum + Number(bytes), 0);
      const sent = messages.filter(({ kind }) => kind === 'send').reduce((sum, { bytes }) => sum + bytes, 0);
      expect(sent).toBe(exchanged);
      expect(sent).toBeGreaterThan(0);
    });
  },
);

function messageOf(line: string): Message {
  const [worker, kind = '', t = '', peer, bytes, id, done, waited = ''] = line.split(',');
  expect(id).toBe('');
  return {
    ...{ worker: Number(worker), kind, t: BigInt(t), peer: Number(peer), bytes: Number(bytes) },
    ...{ done: done === '' ? null : BigInt(done ?? ''), waited: BigInt(waited) },
  };
}
