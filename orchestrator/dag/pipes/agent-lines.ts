// What `predict-agent pipes` prints (its --help): words that tabs divide.

/** An end of a channel that a process holds. */
export interface HeldEnd {
  readonly fd: number;
  readonly reads: boolean;
  readonly writes: boolean;
  /** `pipe:INODE`, `fifo:DEVICE.INODE` or `tcp:ADDRESS:PORT-ADDRESS:PORT`, the host's own end first. */
  readonly channel: string;
}

/** A line of the agent. Counts are samples of the slice that the last `slice` line opened; times are ns. */
export type AgentLine =
  | {
      readonly kind: 'process';
      readonly pid: number;
      readonly parent: number;
      readonly name: string;
      readonly args: string;
    }
  | { readonly kind: 'ends'; readonly pid: number; readonly ends: readonly HeldEnd[] }
  | { readonly kind: 'gone'; readonly pid: number; readonly why: 'ended' | 'reused' }
  | { readonly kind: 'denied'; readonly pid: number }
  | {
      readonly kind: 'outside';
      readonly channel: string;
      readonly way: 'r' | 'w';
      readonly pid: number;
      readonly name: string;
    }
  | {
      readonly kind: 'slice';
      readonly fromNs: number;
      readonly toNs: number;
      readonly samples: number;
      readonly missed: number;
    }
  | ({ readonly kind: 'did'; readonly pid: number } & Did)
  | {
      readonly kind: 'waited';
      readonly pid: number;
      readonly channel: string;
      readonly way: 'r' | 'w';
      readonly count: number;
    }
  | ({ readonly kind: 'level'; readonly channel: string } & Level)
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'begun'; readonly host: string; readonly cores: number }
  | { readonly kind: 'end'; readonly cpuNs: number };

/** What a process did in a slice. Times and bytes count from its start and are null where they may not be read. */
interface Did {
  readonly seen: number;
  readonly running: number;
  readonly disk: number;
  readonly polling: number;
  readonly holding: number;
  readonly cpuNs: number | null;
  readonly queueNs: number | null;
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
  readonly threads: number;
}

/** How full a channel was in a slice; bytes of sockets count from the begin of the connection. */
interface Level {
  readonly samples: number;
  readonly full: number;
  readonly levelSum: number;
  readonly capacity: number;
  readonly sent: number;
  readonly received: number;
}

/** One line of the agent; null for what is none. */
export function parseAgentLine(line: string): AgentLine | null {
  const [kind = '', ...words] = line.split('\t');
  const numbers = words.map(countOf);
  const [a, b, c, d] = numbers;
  switch (kind) {
    case 'process': {
      const [, , , name, ...args] = words;
      if (!isCount(a) || !isCount(c) || name === undefined) return null;
      return { kind, pid: a, parent: c, name, args: args.join(' ') };
    }
    case 'ends': {
      const ends = words.slice(1).map(endOf);
      return isCount(a) && ends.every((end) => end !== null) ? { kind, pid: a, ends } : null;
    }
    case 'gone': {
      const why = words[1];
      return isCount(a) && (why === 'ended' || why === 'reused') ? { kind, pid: a, why } : null;
    }
    case 'denied':
      return isCount(a) ? { kind, pid: a } : null;
    case 'outside': {
      const [channel, way, , name] = words;
      return channel && isWay(way) && isCount(c) && name !== undefined ? { kind, channel, way, pid: c, name } : null;
    }
    case 'slice':
      if (!isCount(a) || !isCount(b) || !isCount(c) || !isCount(d) || b < a) return null;
      return { kind, fromNs: a, toNs: b, samples: c, missed: d };
    case 'did':
      return didOf(words, numbers);
    case 'waited': {
      const [, channel, way] = words;
      return isCount(a) && channel && isWay(way) && isCount(d) ? { kind, pid: a, channel, way, count: d } : null;
    }
    case 'level': {
      const [channel] = words;
      const [, samples, full, levelSum, capacity, sent, received] = numbers;
      if (!channel || !isCount(samples) || !isCount(full) || !isCount(levelSum) || !isCount(capacity)) return null;
      if (!isCount(sent) || !isCount(received) || full > samples) return null;
      return { kind, channel, samples, full, levelSum, capacity, sent, received };
    }
    case 'exit':
      return isCount(a) ? { kind, code: a } : null;
    default:
      return headOf(line);
  }
}

function didOf(words: readonly string[], numbers: readonly (number | null)[]): AgentLine | null {
  const [pid, seen, running, disk, polling, holding, cpuNs, queueNs, readBytes, writtenBytes, threads] = numbers;
  if (
    words.length !== 11 ||
    !isCount(threads) ||
    !isCount(pid) ||
    !isCount(seen) ||
    !isCount(running) ||
    !isCount(disk)
  )
    return null;
  if (!isCount(polling) || !isCount(holding) || running + disk + polling + holding > seen) return null;
  const rest = { cpuNs: cpuNs ?? null, queueNs: queueNs ?? null, readBytes: readBytes ?? null };
  return {
    kind: 'did',
    pid,
    seen,
    running,
    disk,
    polling,
    holding,
    ...rest,
    writtenBytes: writtenBytes ?? null,
    threads,
  };
}

function headOf(line: string): AgentLine | null {
  const begun = /^#predict-pipes 1 host=(\S+) .*\bcores=(\d+)/.exec(line);
  if (begun) return { kind: 'begun', host: begun[1] ?? '', cores: Number(begun[2]) };
  const end = /^#end .*\bcpu_ns=(\d+)/.exec(line);
  return end ? { kind: 'end', cpuNs: Number(end[1]) } : null;
}

function endOf(word: string): HeldEnd | null {
  const found = /^(\d{1,9}),(r|w|rw),(\S+)$/.exec(word);
  if (!found) return null;
  const [, fd, mode = '', channel = ''] = found;
  return { fd: Number(fd), reads: mode.includes('r'), writes: mode.includes('w'), channel };
}

/** Nanoseconds since 1970 lose their last digits in a number: a microsecond is kept. */
function countOf(word: string): number | null {
  return /^\d{1,20}$/.test(word) ? Number(word) : null;
}

function isCount(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}

function isWay(word: string | undefined): word is 'r' | 'w' {
  return word === 'r' || word === 'w';
}
