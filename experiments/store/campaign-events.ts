import { closeSync, fstatSync, readSync, writeFileSync } from 'node:fs';
import { median } from 'simple-statistics';
import { z } from 'zod';
import { type Cell, type CellRecord, cellSchema, type Proof, recordSchema } from '../records.ts';
import { eventsPath } from './campaign-folders.ts';
import { type Damage, damaged } from './damage.ts';
import { openToWriteSync, readProblem, readRegularSync } from './regular.ts';

const at = z.iso.datetime();
const id = cellSchema.shape.id;
const { status, reason, timing } = recordSchema.shape;

/** What happens during a sweep, as data: written to events.jsonl and handed to whoever shows it. `at` is ISO time. */
const sweepEventSchema = z.discriminatedUnion('kind', [
  /** `done`: those of the planned cells that an earlier sweep has measured. */
  z.strictObject({ kind: z.literal('sweep-begun'), at, planned: z.array(id), done: z.array(id) }),
  /** `attempt` counts the tries of this sweep, from 1. */
  z.strictObject({ kind: z.literal('cell-started'), at, id, attempt: z.int().positive() }),
  /** The links of a started cell are as it needs them. Of the probes the ends; the cell's record has each. */
  z.strictObject({
    ...{ kind: z.literal('level-proved'), at, id },
    /** Percent of the line rate, and what that is, bits per second. */
    bw: cellSchema.shape.bw,
    rateBps: z.number().positive(),
    /** What each host adds to what it sends; left out without a latency. */
    latencyMs: z.number().positive().optional(),
    /** Null on one host, which has no link to prove. */
    probes: z
      .strictObject({
        /** How many hosts sent to the next one. */
        count: z.int().positive(),
        /** Of what was sent and received, and where it was the least. */
        lowestBps: z.number().nonnegative(),
        lowestHost: z.string(),
        highestBps: z.number().nonnegative(),
        /** What small messages took at most. */
        roundTripMs: z.number().nonnegative().optional(),
      })
      .nullable(),
    /** False where the proof of an earlier cell holds, and the links are as they were. */
    isNew: z.boolean(),
  }),
  z.strictObject({
    ...{ kind: z.literal('cell-finished'), at, id, status, reason, timing },
    /** How many timed runs it has. */
    runs: z.int().nonnegative(),
    /** Median of their times in seconds; null without any. */
    medianS: z.number().positive().nullable(),
    /** What its marks say. */
    marks: z.array(z.string()).default([]),
  }),
  /** The attempt that failed; the cell's turn comes again. */
  z.strictObject({ kind: z.literal('cell-retried'), at, id, attempt: z.int().positive(), reason: z.string() }),
  /** No attempt of this sweep could measure the cell. */
  z.strictObject({ kind: z.literal('cell-given-up'), at, id, reason: z.string() }),
  /** Visits beyond the planned ones, and why in a few words. */
  z.strictObject({ kind: z.literal('visits-added'), at, cells: z.array(cellSchema), why: z.string() }),
  /** What runs of so many nodes take when they go in parallel, against one alone. */
  z.strictObject({
    ...{ kind: z.literal('in-parallel'), at, nodes: z.int().positive() },
    /** How many ran at once. */
    runs: z.int().positive(),
    aloneS: z.number().positive(),
    besideS: z.number().positive(),
    /** By how much they took longer; below 0 where they were faster. */
    percent: z.number(),
    /** What runs differ by anyway, as a 90 % interval has it. */
    noisePercent: z.number().positive(),
    /** The other runs of this size are measured alone. */
    isAlone: z.boolean(),
  }),
  /** Something that people should know and that cost no measurement. */
  z.strictObject({ kind: z.literal('note'), at, text: z.string() }),
  /** `incomplete`: cells were given up or not tried any more. Links are released by then. */
  z.strictObject({
    ...{ kind: z.literal('sweep-ended'), at },
    how: z.enum(['complete', 'incomplete', 'interrupted', 'failed']),
    /** One sentence; null when complete. */
    reason: z.string().nullable(),
  }),
]);
export type SweepEvent = z.infer<typeof sweepEventSchema>;
export type InParallel = Omit<Extract<SweepEvent, { kind: 'in-parallel' }>, 'kind' | 'at'>;

/** What a level's probes found, without whose it was. */
export type ProvedLevel = Omit<Extract<SweepEvent, { kind: 'level-proved' }>, 'kind' | 'at' | 'id'>;

/** An event without its time, as a sweep states it. */
export type SweepNews = WithoutTime<SweepEvent>;
type WithoutTime<Event> = Event extends SweepEvent ? Omit<Event, 'at'> : never;

/** That a cell has a record. */
export function finishedNews(record: Pick<CellRecord, 'cell' | 'status' | 'reason' | 'timing' | 'runs' | 'marks'>) {
  const { cell, status: how, reason: why, timing: took, runs, marks } = record;
  return {
    ...{ kind: 'cell-finished' as const, id: cell.id, status: how, reason: why, timing: took, runs: runs.length },
    medianS: runs.length === 0 ? null : median(runs.map(({ ct }) => ct)),
    marks: marks.map(({ text }) => text),
  };
}

/** That the links of a cell are as it needs them. */
export function provedNews(
  { id: cell }: Pick<Cell, 'id'>,
  { bw, rateBps, latencyMs = 0, probes }: Pick<Proof, 'bw' | 'rateBps' | 'latencyMs' | 'probes'>,
  isNew: boolean,
) {
  const ways = probes.flatMap(({ host, outBps, inBps }) => [outBps, inBps].map((bps) => ({ host, bps })));
  const sorted = ways.sort((a, b) => a.bps - b.bps);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  const trips = probes.flatMap(({ roundTripMs }) => roundTripMs ?? []);
  return {
    ...{ kind: 'level-proved' as const, id: cell, bw, rateBps, ...(latencyMs > 0 && { latencyMs }) },
    probes:
      lowest === undefined || highest === undefined
        ? null
        : {
            ...{ count: probes.length, lowestBps: lowest.bps, lowestHost: lowest.host, highestBps: highest.bps },
            ...(trips.length > 0 && { roundTripMs: Math.max(...trips) }),
          },
    isNew,
  };
}

/**
 * Appends events to a campaign's events.jsonl, one line each (https://jsonlines.org). A line that a killed sweep or a full
 * disk cut off is ended, and an empty line after it tells readers so. Throws what the file system says.
 */
export function appendEvents(dir: string): (event: SweepEvent) => void {
  let torn: boolean | undefined;
  return (event) => {
    const file = openToWriteSync(eventsPath(dir), { append: true });
    try {
      torn ??= endsTorn(file);
      const line = `${torn ? '\n\n' : ''}${JSON.stringify(event)}\n`;
      torn = undefined;
      writeFileSync(file, line);
      torn = false;
    } finally {
      closeSync(file);
    }
  };
}

/**
 * What happened in the sweeps of a campaign, oldest first; none where no sweep has written. May be asked while one writes: a
 * line that is not whole yet is left out. Errors: `badInput` naming a damaged line.
 */
export function readEvents(dir: string): readonly SweepEvent[] {
  const { events, problems } = inspectEvents(dir);
  const [first] = problems;
  if (first !== undefined) throw damaged(dir, first);
  return events;
}

/** What was last found of each size of a campaign, the smallest first. */
export function readInParallel(dir: string): readonly InParallel[] {
  const found = new Map<number, InParallel>();
  for (const event of inspectEvents(dir).events) {
    if (event.kind !== 'in-parallel') continue;
    const { kind: _, at: __, ...own } = event;
    found.set(event.nodes, own);
  }
  return [...found.values()].sort((a, b) => a.nodes - b.nodes);
}

interface InspectedEvents {
  readonly events: readonly SweepEvent[];
  readonly problems: readonly Damage[];
}

/** The same with all that is wrong with the file. */
export function inspectEvents(dir: string): InspectedEvents {
  const path = eventsPath(dir);
  const say = (problem: string): Damage => ({ path, cell: null, problem, part: path });
  let text: string;
  try {
    text = readRegularSync(path).toString('utf8');
  } catch (error) {
    const none = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { events: [], problems: none ? [] : [say(readProblem(error))] };
  }
  const lines = text.split('\n');
  // What follows the last line break is not whole yet.
  const last = lines.length - 1;
  const events: SweepEvent[] = [];
  const problems: Damage[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const event = parseEvent(line);
    const torn = index === last || (lines[index + 1]?.trim() === '' && index + 1 < last);
    if (event !== null) events.push(event);
    else if (!torn) problems.push(say(`is damaged in line ${index + 1}`));
  }
  return { events, problems };
}

/** The event of a line; null for what is none. */
export function parseEvent(line: string): SweepEvent | null {
  try {
    return sweepEventSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/** Whether a writer was stopped in the middle of the last line. */
function endsTorn(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}
