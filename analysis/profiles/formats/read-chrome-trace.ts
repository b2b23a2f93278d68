// Chrome's trace events. https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
import { z } from 'zod';
import { badInput } from '../../../base/errors.ts';
import { last } from '../../../base/lists.ts';
import { NestedCalls } from './nested-calls.ts';
import { ProfileBuilder, type ReadOptions, type ReadProfile } from './profile-builder.ts';
import { hasKeys, type ProfileFile } from './profile-file.ts';

const id = z.union([z.number(), z.string()]).default(0);
const eventSchema = z.object({
  ph: z.string(),
  name: z.string().default(''),
  pid: id,
  tid: id,
  ts: z.coerce.number().optional(),
  dur: z.coerce.number().min(0).optional(),
});
type TraceEvent = z.infer<typeof eventSchema>;

const MICROSECONDS = 1e6;

/** Seconds of the calls of all threads: complete events (X), and those that begin and end (B, E). Other events are no calls. */
export function readChromeTrace(file: ProfileFile, options: ReadOptions): ReadProfile | null {
  const json = file.json();
  const events = hasKeys(json, 'traceEvents') ? json.traceEvents : json;
  if (!Array.isArray(events) || !hasKeys(events[0], 'ph')) return null;
  const builder = new ProfileBuilder(options);
  const threads = new Map<string, Thread>();
  for (const [row, event] of file.parsed(z.array(eventSchema), events, 'a trace of Chrome').entries()) {
    const { ph, ts, pid, tid } = event;
    if (ph !== 'X' && ph !== 'B' && ph !== 'E') continue;
    if (ts === undefined) throw badInput(`${file.path}, event ${row + 1}: '${ph}' has no ts.`);
    const key = `${pid}/${tid}`;
    const thread = threads.get(key) ?? { calls: [], open: [], lastTime: 0 };
    threads.set(key, thread);
    addEvent(thread, { ...event, ts }, builder);
  }
  for (const { calls, open, lastTime } of threads.values()) {
    if (open.length > 0) builder.problems.add('call without an end', 0, open.length);
    for (const call of open) call.to = Math.max(call.from, lastTime);
    nestCalls(calls, builder);
  }
  if (builder.isEmpty) throw badInput(`${file.path} has no call of measurable duration: record again.`);
  return builder.build(file.path, 'seconds');
}

/** A call by its ends, in microseconds. */
interface Call {
  readonly name: string;
  readonly from: number;
  to: number;
}

interface Thread {
  readonly calls: Call[];
  readonly open: Call[];
  lastTime: number;
}

function addEvent(
  thread: Thread,
  { ph, name, ts, dur = 0 }: TraceEvent & { readonly ts: number },
  builder: ProfileBuilder,
) {
  thread.lastTime = Math.max(thread.lastTime, ts + dur);
  if (ph === 'X') {
    thread.calls.push({ name, from: ts, to: ts + dur });
    return;
  }
  if (ph === 'B') {
    const call = { name, from: ts, to: ts };
    thread.calls.push(call);
    thread.open.push(call);
    return;
  }
  const top = thread.open.pop();
  if (top === undefined) builder.problems.add('call without a beginning', 0);
  else if (ts < top.from) builder.problems.add('call that ends before it begins', 0);
  else top.to = ts;
}

/**
 * Adds the own time of each call of one thread under those that it lies in: what its callees take is not its own. Of two calls
 * with the same ends the earlier in the list is the caller. One that ends after its caller is cut at that end, and counted.
 */
function nestCalls(calls: readonly Call[], builder: ProfileBuilder): void {
  const sorted = [...calls].sort((one, other) => one.from - other.from || other.to - one.to);
  const open = new NestedCalls(builder, MICROSECONDS);
  /** Of the open calls. */
  const ends: number[] = [];
  const leave = (before: number): void => {
    for (; ends.length > 0 && last(ends) <= before; ends.pop()) open.close(last(ends));
  };
  for (const { name, from, to } of sorted) {
    leave(from);
    const end = ends.length === 0 ? to : Math.min(to, last(ends));
    if (to > end) builder.problems.add('call that ends later than its caller', 0);
    open.open(name, from);
    ends.push(end);
  }
  leave(Number.POSITIVE_INFINITY);
}
