import { LineReader } from '../../base/line-reader.ts';

/** What one host's sampler saw of a run, from its lines `t_ns<TAB>metric<TAB>instance<TAB>value` (predict-agent sample). */
export interface Sampled {
  readonly host: string;
  /** How many readings there are. */
  readonly samples: number;
  /** Between the first reading and the last, seconds of the host's clock. */
  readonly seconds: number;
  /** The longest time without a reading between them, seconds. */
  readonly longestGapS: number;
  /** The sampler's own last line; null when it did not live to write it. */
  readonly end: { readonly samples: number; readonly missed: number; readonly cpuNs: number } | null;
  /** The OOM killer's count at the first reading; null where the kernel keeps none. */
  readonly oomKills: number | null;
  readonly cpu: CpuUse | null;
  /** The numbers of the ranks that ran there. */
  readonly ranks: readonly string[];
  /** The MPI libraries that they had loaded, as far as that could be seen. */
  readonly libraries: readonly MpiLibrary[];
}

/** MPICH stands for its kin too: MVAPICH, Intel MPI, Cray MPI. */
type MpiLibrary = 'Open MPI' | 'MPICH';
/** By the numbers of `rank.mpi` (agents/host/mpi-library.h). */
const LIBRARIES: readonly (MpiLibrary | undefined)[] = [undefined, 'Open MPI', 'MPICH'];

/** Who used a host's processors while ranks ran on it, in seconds of one core. */
export interface CpuUse {
  /** From the first reading of a rank to the last, seconds. */
  readonly seconds: number;
  /** How many cores the host may use. */
  readonly cores: number;
  readonly busyS: number;
  readonly ranksS: number;
  /** Of the busy time: the launcher and its daemons. */
  readonly launcherS: number;
  /** Of the busy time: interrupts, which the network's traffic causes; 0 where a control group is read. */
  readonly interruptsS: number;
  /** Of the busy time: what the hypervisor gave to others; 0 where a control group is read. */
  readonly stealS: number;
}

/** No line of a sampler is so long, bytes. */
const LONGEST_LINE = 65_536;

/** Reads a sampler's output, also one that was cut off anywhere, from its pieces in order. A line without an end is let go. */
export async function readSampled(host: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<Sampled> {
  const reader = new Reader();
  const lines = new LineReader({ onLine: (line) => reader.take(line), mostLineBytes: LONGEST_LINE });
  for await (const piece of pieces) lines.add(piece);
  return { host, ...reader.result() };
}

/** Counters whose growth is summed, over all of their instances. */
const SUMS: Readonly<Record<string, Exclude<keyof Used, 't'>>> = {
  'cpu.busy_ns': 'busy',
  'cpu.interrupts_ns': 'interrupts',
  'cpu.steal_ns': 'steal',
  'launcher.cpu_ns': 'launcher',
};

interface Used {
  readonly t: number;
  readonly busy: number;
  readonly interrupts: number;
  readonly steal: number;
  readonly launcher: number;
}

class Reader {
  #samples = 0;
  #said: Sampled['end'] = null;
  #first = Number.NaN;
  #last = Number.NaN;
  #longestGap = 0;
  /** The first line's metric and instance, which come once per reading. */
  #marker = '';
  #oomKills: number | null = null;
  #mcores = Number.NaN;
  readonly #counters = new Map<string, number>();
  readonly #ranks = new Set<string>();
  readonly #libraries = new Set<MpiLibrary>();
  readonly #sums = { busy: 0, interrupts: 0, steal: 0, launcher: 0, ranks: 0 };
  #start: Used | undefined;
  #end: Used | undefined;

  /** A line without its end. Times stay exact to a microsecond as numbers, which is enough here. */
  take(line: string): void {
    if (line.startsWith('#')) {
      const found = /^#end samples=(\d{1,15}) missed=(\d{1,15}) cpu_ns=(\d{1,15})$/.exec(line);
      if (found) this.#said = { samples: Number(found[1]), missed: Number(found[2]), cpuNs: Number(found[3]) };
      return;
    }
    const [time, metric, instance, text] = line.split('\t');
    if (time === undefined || metric === undefined || instance === undefined || text === undefined) return;
    const [t, value] = [Number(time) / 1e9, Number(text)];
    if (!(Number.isFinite(t) && Number.isFinite(value))) return;
    if (Number.isNaN(this.#first)) this.#first = t;
    else this.#longestGap = Math.max(this.#longestGap, t - this.#last);
    this.#last = t;
    const key = `${metric} ${instance}`;
    if (metric === 'cpu.busy_ns') {
      if (this.#marker === '') this.#marker = key;
      if (this.#marker === key) this.#samples += 1;
    }
    const sum = SUMS[metric];
    if (sum !== undefined) {
      this.#sums[sum] += this.#grown(key, value);
      return;
    }
    switch (metric) {
      case 'cpu.capacity_mcores':
        this.#mcores = value;
        return;
      case 'memory.oom_kills':
        this.#oomKills ??= value;
        return;
      case 'rank.cpu_ns':
        this.#ranks.add(instance);
        this.#rank(key, { t, value });
        return;
      case 'rank.mpi': {
        const library = LIBRARIES[value];
        if (library !== undefined) this.#libraries.add(library);
        return;
      }
    }
  }

  result(): Omit<Sampled, 'host'> {
    const [start, end] = [this.#start, this.#end];
    const cpu =
      start && end && Number.isFinite(this.#mcores)
        ? {
            seconds: end.t - start.t,
            cores: this.#mcores / 1000,
            busyS: (end.busy - start.busy) / 1e9,
            ranksS: this.#sums.ranks / 1e9,
            launcherS: (end.launcher - start.launcher) / 1e9,
            interruptsS: (end.interrupts - start.interrupts) / 1e9,
            stealS: (end.steal - start.steal) / 1e9,
          }
        : null;
    return {
      samples: this.#samples,
      seconds: Number.isNaN(this.#first) ? 0 : this.#last - this.#first,
      longestGapS: this.#longestGap,
      end: this.#said,
      oomKills: this.#oomKills,
      cpu,
      ranks: [...this.#ranks],
      libraries: [...this.#libraries],
    };
  }

  /** A rank that is first seen later was born since: what it used cannot be more than the time that passed. */
  #rank(key: string, { t, value }: { readonly t: number; readonly value: number }): void {
    const { ranks: _, ...sums } = this.#sums;
    const used: Used = { t, ...sums };
    this.#start ??= used;
    this.#end = used;
    const before = this.#counters.get(key);
    const isNew = before === undefined || value < before;
    this.#counters.set(key, value);
    this.#sums.ranks += isNew ? Math.min(value, (t - this.#start.t) * 1e9) : value - before;
  }

  /** By how much a counter grew since its last reading. */
  #grown(key: string, value: number): number {
    const before = this.#counters.get(key) ?? value;
    this.#counters.set(key, value);
    return Math.max(value - before, 0);
  }
}
