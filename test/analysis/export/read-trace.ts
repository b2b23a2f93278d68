import { z } from 'zod';

const place = { name: z.string(), pid: z.int().positive(), tid: z.int().positive() };
const eventSchema = z.discriminatedUnion('ph', [
  z.strictObject({
    ...place,
    ph: z.literal('X'),
    cat: z.string(),
    ts: z.number(),
    dur: z.number().nonnegative(),
    args: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ ...place, ph: z.literal('C'), ts: z.number(), args: z.record(z.string(), z.number()) }),
  z.strictObject({ ...place, ph: z.literal('M'), args: z.record(z.string(), z.union([z.string(), z.number()])) }),
]);
const traceSchema = z.strictObject({ displayTimeUnit: z.literal('ms'), traceEvents: z.array(eventSchema) });

export type Event = z.infer<typeof eventSchema>;
/** A complete event in nanoseconds, as Perfetto takes them: 1000 times the number, without its fraction. */
export interface Stretch {
  readonly name: string;
  readonly process: string;
  readonly thread: string;
  readonly tid: number;
  readonly start: number;
  readonly end: number;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A trace as a viewer sees it: by the names of processes and threads. */
export function readTrace(text: string): {
  readonly events: readonly Event[];
  readonly stretches: readonly Stretch[];
  readonly counters: readonly { process: string; name: string; at: number; value: number }[];
} {
  const { traceEvents: events } = traceSchema.parse(JSON.parse(text));
  const named = (kind: string) =>
    new Map(
      events.flatMap((one) =>
        one.ph === 'M' && one.name === kind
          ? [[kind === 'thread_name' ? one.tid : one.pid, String(one.args.name)] as const]
          : [],
      ),
    );
  const [processes, threads] = [named('process_name'), named('thread_name')];
  const ns = (microseconds: number): number => Math.trunc(microseconds * 1000);
  return {
    events,
    stretches: events.flatMap((one) => {
      if (one.ph !== 'X') return [];
      const [process, thread] = [processes.get(one.pid) ?? '?', threads.get(one.tid) ?? '?'];
      const { name, tid, args } = one;
      return [{ name, process, thread, tid, args, start: ns(one.ts), end: ns(one.ts) + ns(one.dur) }];
    }),
    counters: events.flatMap((one) =>
      one.ph !== 'C'
        ? []
        : Object.entries(one.args).map(([key, value]) => ({
            process: processes.get(one.pid) ?? '?',
            name: `${one.name} ${key}`,
            at: ns(one.ts),
            value,
          })),
    ),
  };
}

/** What is wrong with the nesting, in sentences: a stack per thread that takes events in the order of the file. */
export function nestingProblems(stretches: readonly Stretch[]): string[] {
  const stacks = new Map<number, Stretch[]>();
  const latest = new Map<number, number>();
  return stretches.flatMap((one) => {
    const stack = stacks.get(one.tid) ?? [];
    stacks.set(one.tid, stack);
    const problems: string[] = [];
    const say = (what: string): number => problems.push(`${one.thread}: ${one.args.path ?? one.name} ${what}`);
    if (one.start < (latest.get(one.tid) ?? one.start)) say('starts before the event before it');
    latest.set(one.tid, one.start);
    while ((stack.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= one.start) stack.pop();
    const outer = stack.at(-1);
    if (outer && one.end > outer.end) say(`ends after ${outer.args.path ?? outer.name}, in which it starts`);
    if (outer && !within(one, outer)) say(`is shown as part of ${outer.args.path ?? outer.name}`);
    stack.push(one);
    return problems;
  });
}

/** Whether the path of one lies under the other's. */
function within({ args: { path } }: Stretch, { args: { path: outer } }: Stretch): boolean {
  return outer === '/' || `${path}`.startsWith(`${outer}/`);
}
