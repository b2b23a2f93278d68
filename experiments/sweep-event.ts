import { z } from 'zod';
import { cellSchema, recordSchema } from './records.ts';

const at = z.iso.datetime();
const id = cellSchema.shape.id;
const { status, reason, timing } = recordSchema.shape;

/** What happens during a sweep, as data: written to events.jsonl and handed to whoever shows it. `at` is ISO time. */
export const sweepEventSchema = z.discriminatedUnion('kind', [
  /** `done`: those of the planned cells that an earlier sweep has measured. */
  z.strictObject({ kind: z.literal('sweep-begun'), at, planned: z.array(id), done: z.array(id) }),
  /** `attempt` counts the tries of this sweep, from 1. */
  z.strictObject({ kind: z.literal('cell-started'), at, id, attempt: z.int().positive() }),
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

/** An event without its time, as a sweep states it. */
export type SweepNews = WithoutTime<SweepEvent>;
type WithoutTime<Event> = Event extends SweepEvent ? Omit<Event, 'at'> : never;
