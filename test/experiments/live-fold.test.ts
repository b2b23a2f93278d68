import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellName } from '../../experiments/cell-name.ts';
import { plan } from '../../experiments/plan.ts';
import type { Cell } from '../../experiments/records.ts';
import { appendEvents, finishedNews, provedNews, type SweepEvent } from '../../experiments/store/campaign-events.ts';
import { eventsPath } from '../../experiments/store/campaign-folders.ts';
import { provedText, standingText } from '../../experiments/store/event-text.ts';
import { LiveFold } from '../../experiments/store/live-fold.ts';
import type { LiveState } from '../../experiments/store/live-state.ts';
import { readStatus } from '../../experiments/store/status.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { times } from '../times.ts';
import { failedRecord, goodRecord, newCampaign, nth } from './make.ts';

const CELLS = plan(parseSweep({ nodes: '1,4', scales: '10,11', bw: '20,50', reps: '2', roots: '2' }), {
  workload: workloadOf({ kind: 'graph500', name: 'graph500' }),
  ranksPerNode: 1,
  hosts: 4,
});
const IDS = CELLS.map(({ id }) => id);
const timing = (totalMs: number) => ({ totalMs, throttleMs: 1, workloadMs: 1, collectMs: 1 });

const at = (second: number): string => new Date(Date.UTC(2024, 4, 1) + second * 1000).toISOString();
const eventOf: fc.Arbitrary<SweepEvent> = fc
  .record({
    id: fc.constantFrom(...IDS),
    kind: fc.constantFrom('start', 'good', 'marked', 'bad', 'retry', 'give up', 'note'),
    medianS: fc.integer({ min: 1, max: 500 }),
  })
  .map(({ id, kind, medianS }): SweepEvent => {
    const finished = { kind: 'cell-finished', at: at(0), id, timing: timing(medianS), runs: 2 } as const;
    switch (kind) {
      case 'start':
        return { kind: 'cell-started', at: at(0), id, attempt: 1 };
      case 'good':
        return { ...finished, status: 'ok', reason: null, medianS, marks: [] };
      case 'marked':
        return { ...finished, status: 'ok', reason: null, medianS, marks: ['n1: others took 1 core.'] };
      case 'bad':
        return { ...finished, status: 'failed', reason: 'It said no.', medianS: null, marks: [] };
      case 'retry':
        return { kind: 'cell-retried', at: at(0), id, attempt: 1, reason: 'n2 is gone.' };
      case 'give up':
        return { kind: 'cell-given-up', at: at(0), id, reason: 'n2 is gone.' };
      default:
        return { kind: 'note', at: at(0), text: 'nothing much' };
    }
  });
const eventsOf = fc.array(eventOf, { maxLength: 60 });

function folded(events: readonly SweepEvent[]): LiveState {
  const fold = new LiveFold('trial', CELLS);
  fold.take({ kind: 'sweep-begun', at: at(0), planned: IDS, done: [] });
  for (const event of events) fold.take(event);
  return fold.state();
}

/** The last event of each cell says what it is. */
function lastOf(events: readonly SweepEvent[]): ReadonlyMap<string, SweepEvent> {
  return new Map(events.flatMap((event) => ('id' in event ? [[event.id, event] as const] : [])));
}

describe('a fold of events', () => {
  test('counts cells by the last that was said of each', () => {
    fc.assert(
      fc.property(eventsOf, (events) => {
        const state = folded(events);
        const last = [...lastOf(events).values()];
        const finished = last.flatMap((event) => (event.kind === 'cell-finished' ? [event] : []));
        expect(state.cells).toEqual({
          planned: CELLS.length,
          done: finished.length,
          failed: finished.filter(({ status }) => status === 'failed').length,
          unmeasured: last.filter(({ kind }) => kind === 'cell-given-up').length,
        });
      }),
      { numRuns: times(60) },
    );
  });

  test('has each cell in one configuration, with the median of what its good runs took', () => {
    fc.assert(
      fc.property(eventsOf, (events) => {
        const { rows, bandwidths } = folded(events);
        const last = lastOf(events);
        expect(bandwidths).toEqual([100, 50, 20]);
        expect(rows.map(({ nodes, scale }) => [nodes, scale])).toEqual([
          [1, 10],
          [1, 11],
          [4, 10],
          [4, 11],
        ]);
        for (const { nodes, scale, configurations } of rows) {
          for (const one of configurations) {
            const own = CELLS.filter((cell) => cell.nodes === nodes && cell.scale === scale && cell.bw === one?.bw);
            const found = own.flatMap(({ id }) => {
              const event = last.get(id);
              return event?.kind === 'cell-finished' ? [event.medianS ?? 0] : [];
            });
            const good = found.filter((value) => value > 0).sort((a, b) => a - b);
            const [low, high] = [good[Math.floor((good.length - 1) / 2)], good[Math.floor(good.length / 2)]];
            expect([one?.planned, one?.done]).toEqual([own.length, found.length]);
            expect(one?.medianS).toBe(low === undefined || high === undefined ? null : (low + high) / 2);
          }
        }
      }),
      { numRuns: times(60) },
    );
  });

  test('is the same where events come twice, beside its news', () => {
    fc.assert(
      fc.property(eventsOf, (events) => {
        const [{ news: _, ...once }, { news: __, ...twice }] = [
          folded(events),
          folded(events.flatMap((event) => [event, event])),
        ];
        expect(twice).toEqual(once);
      }),
      { numRuns: times(60) },
    );
  });

  test('has nothing that runs once the sweep has ended', () => {
    fc.assert(
      fc.property(eventsOf, (events) => {
        const end = { kind: 'sweep-ended', at: at(1), how: 'interrupted', reason: 'Interrupted.' } as const;
        const { sweep, reason, running, next, rows } = folded([...events, end]);
        expect([sweep, reason, running, next]).toEqual(['interrupted', 'Interrupted.', [], null]);
        const states = rows.flatMap(({ configurations }) => configurations.map((one) => one?.state));
        expect(states).not.toContain('running');
      }),
      { numRuns: times(30) },
    );
  });
});

test('what is left ends that long after the last cell, and repetitions that are added belong to the sweep', () => {
  const cells = CELLS.filter(({ nodes, scale, bw }) => nodes === 4 && scale === 10 && bw === 50);
  const [first, second] = [nth(cells, 0), nth(cells, 1)];
  const fold = new LiveFold('trial', cells);
  const take = (...events: SweepEvent[]): LiveState => {
    for (const event of events) fold.take(event);
    return fold.state();
  };
  const finished = (id: string, second: number): SweepEvent => ({
    ...{ kind: 'cell-finished', at: at(second), id, status: 'ok', reason: null, timing: timing(8000) },
    ...{ runs: 2, medianS: 0.5, marks: [] },
  });
  const began = take(
    { kind: 'sweep-begun', at: at(0), planned: [first.id, second.id], done: [] },
    { kind: 'cell-started', at: at(1), id: first.id, attempt: 1 },
  );
  expect(began).toMatchObject({ secondsLeft: null, endsAt: null, next: second, running: [{ cell: first, at: at(1) }] });
  expect(take(finished(first.id, 9))).toMatchObject({ secondsLeft: 8, endsAt: at(17), running: [] });
  const added: Cell = { ...first, id: 'a'.repeat(16), rep: 3 };
  const more = take(
    finished(second.id, 20),
    { kind: 'visits-added', at: at(20), cells: [added], why: 'a run was disturbed' },
    { kind: 'sweep-begun', at: at(20), planned: [added.id], done: [] },
  );
  expect(more).toMatchObject({ cells: { planned: 3, done: 2 }, secondsLeft: 8, endsAt: at(28), next: added });
  expect(more.news[0]?.text).toBe('1 more repetition: a run was disturbed.');
  // Another sweep knows nothing of what this one took.
  expect(take({ kind: 'sweep-begun', at: at(40), planned: [first.id], done: [] })).toMatchObject({
    ...{ cells: { planned: 3, done: 1 }, secondsLeft: null, news: [] },
  });
});

test('a level is proved by the ends of what its probes reached', () => {
  const cell = nth(CELLS, 0);
  const probes = [
    { host: 'n1', outBps: 9.5e6, inBps: 9.4e6, roundTripMs: 1.5 },
    { host: 'n2', outBps: 9.4e6, inBps: 8e6, roundTripMs: 0.5 },
  ];
  const news = provedNews(cell, { bw: 10, rateBps: 1e7, latencyMs: 0.5, probes }, true);
  expect(news).toEqual({
    ...{ kind: 'level-proved', id: cell.id, bw: 10, rateBps: 1e7, latencyMs: 0.5, isNew: true },
    probes: { count: 2, lowestBps: 8e6, lowestHost: 'n2', highestBps: 9.5e6, roundTripMs: 1.5 },
  });
  expect(provedText(news)).toBe(
    'Probes of 2 hosts reached 8 Mbit/s (n2) to 9.5 Mbit/s: 80 to 95 % of 10 Mbit/s set; 75 to 102 % proves it. Nine of ten small messages took at most 1.5 ms there and back, of which 1 ms are added.',
  );
  const alone = provedNews(cell, { bw: 100, rateBps: 1e9, probes: [] }, false);
  expect([alone.probes, provedText(alone)]).toEqual([null, 'One host sends nothing, so no link was probed.']);
});

test('a campaign without its events shows its records', async () => {
  const { dir, cells } = await newCampaign({ bw: '20,50', reps: '2' });
  const append = appendEvents(dir);
  append({ kind: 'sweep-begun', at: at(0), planned: cells.map(({ id }) => id), done: [] });
  for (const [index, cell] of cells.slice(0, 5).entries()) {
    const record = index === 2 ? failedRecord(cell) : goodRecord(cell, [0.5, 0.25, 0.1 * (index + 1)]);
    await writeCell(dir, record, { stdout: '', stderr: '' });
    append({ ...finishedNews(record), at: at(index) });
  }
  append({ kind: 'sweep-ended', at: at(9), how: 'interrupted', reason: 'Interrupted.' });
  const { live } = await readStatus(dir);
  expect(standingText(live)).toBe(`Interrupted: 5 of ${cells.length} cells done, 1 failed`);
  expect(cellName(live.last?.cell ?? nth(cells, 0))).toBe(cellName(nth(cells, 4)));
  rmSync(eventsPath(dir));
  const { live: bare } = await readStatus(dir);
  expect([bare.sweep, bare.cells, bare.rows]).toEqual(['none', live.cells, live.rows]);
});

test('a sweep whose process is gone was killed, and a cell without its record is waiting', async () => {
  const { dir, cells } = await newCampaign();
  const append = appendEvents(dir);
  const first = nth(cells, 0);
  append({ kind: 'sweep-begun', at: at(0), planned: cells.map(({ id }) => id), done: [] });
  append({ ...finishedNews(goodRecord(first)), at: at(1) });
  append({ kind: 'cell-started', at: at(2), id: nth(cells, 1).id, attempt: 1 });
  const { live } = await readStatus(dir);
  expect(live).toMatchObject({ sweep: 'killed', cells: { done: 0 }, running: [], last: null });
});
