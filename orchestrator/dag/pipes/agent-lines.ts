// What `predict-agent pipes` prints (its --help): words that tabs divide. Counts are samples of the slice that the last `slice` line
// opened; times are ns.
import { z } from 'zod';
import { own } from '../../../base/lists.ts';

const COUNT = /^\d{1,20}$/;
/** Nanoseconds since 1970 lose their last digits in a number: a microsecond is kept. */
const count = z.string().regex(COUNT).transform(Number);
/** Null where it may not be read. */
const readable = z.string().transform((word) => (COUNT.test(word) ? Number(word) : null));
const word = z.string();
/** `pipe:INODE`, `fifo:DEVICE.INODE` or `tcp:ADDRESS:PORT-ADDRESS:PORT`, the host's own end first. */
const channel = z.string().min(1);
const way = z.enum(['r', 'w']);

/** An end of a channel that a process holds. */
const heldEnd = z
  .string()
  .regex(/^\d{1,9},(?:r|w|rw),\S+$/)
  .transform((text) => {
    const [fd = '', mode = '', ...name] = text.split(',');
    return { fd: Number(fd), reads: mode.includes('r'), writes: mode.includes('w'), channel: name.join(',') };
  });
export type HeldEnd = Readonly<z.output<typeof heldEnd>>;

/** By the first word of a line what the others are. */
const LINES = {
  process: z.tuple([count, word, count, word], word).transform(([pid, , parent, name, ...args]) => ({
    kind: 'process' as const,
    pid,
    parent,
    name,
    args: args.join(' '),
  })),
  ends: z.tuple([count], heldEnd).transform(([pid, ...ends]) => ({ kind: 'ends' as const, pid, ends })),
  gone: z
    .tuple([count, z.enum(['ended', 'reused'])], word)
    .transform(([pid, why]) => ({ kind: 'gone' as const, pid, why })),
  denied: z.tuple([count], word).transform(([pid]) => ({ kind: 'denied' as const, pid })),
  outside: z
    .tuple([channel, way, count, word], word)
    .transform(([at, direction, pid, name]) => ({ kind: 'outside' as const, channel: at, way: direction, pid, name })),
  slice: z
    .tuple([count, count, count, count], word)
    .refine(([fromNs, toNs]) => toNs >= fromNs)
    .transform(([fromNs, toNs, samples, missed]) => ({ kind: 'slice' as const, fromNs, toNs, samples, missed })),
  /** What a process did. Times and bytes count from its start. */
  did: z
    .tuple([count, count, count, count, count, count, readable, readable, readable, readable, count])
    .refine(([, seen, running, disk, polling, holding]) => running + disk + polling + holding <= seen)
    .transform(([pid, seen, running, disk, polling, holding, cpuNs, queueNs, readBytes, writtenBytes, threads]) => ({
      ...{ kind: 'did' as const, pid, seen, running, disk, polling, holding },
      ...{ cpuNs, queueNs, readBytes, writtenBytes, threads },
    })),
  waited: z.tuple([count, channel, way, count], word).transform(([pid, at, direction, samples]) => ({
    kind: 'waited' as const,
    pid,
    channel: at,
    way: direction,
    count: samples,
  })),
  /** How full a channel was; bytes of sockets count from the begin of the connection. */
  level: z
    .tuple([channel, count, count, count, count, count, count], word)
    .refine(([, samples, full]) => full <= samples)
    .transform(([at, samples, full, levelSum, capacity, sent, received]) => ({
      ...{ kind: 'level' as const, channel: at, samples, full, levelSum, capacity, sent, received },
    })),
  exit: z.tuple([count], word).transform(([code]) => ({ kind: 'exit' as const, code })),
};

/** A line of the agent; its first and last one are no words. */
export type AgentLine =
  | z.output<(typeof LINES)[keyof typeof LINES]>
  | { readonly kind: 'begun'; readonly host: string; readonly cores: number }
  | { readonly kind: 'end'; readonly cpuNs: number };

/** One line of the agent; null for what is none. */
export function parseAgentLine(line: string): AgentLine | null {
  const [kind = '', ...words] = line.split('\t');
  const shape = own(LINES, kind);
  if (shape !== undefined) return shape.safeParse(words).data ?? null;
  const begun = /^#predict-pipes 1 host=(\S+) .*\bcores=(\d+)/.exec(line);
  if (begun) return { kind: 'begun', host: begun[1] ?? '', cores: Number(begun[2]) };
  const end = /^#end .*\bcpu_ns=(\d+)/.exec(line);
  return end ? { kind: 'end', cpuNs: Number(end[1]) } : null;
}
