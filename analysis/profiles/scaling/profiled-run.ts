import { own } from '../../../base/lists.ts';
import type { StackKind, StackTable } from '../../../experiments/stacks/stack-columns.ts';
import { flameOfTrees } from '../flame/flame-of.ts';
import type { FlameLayout } from '../flame/layout-flame.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import { type CallTree, NameTable } from '../tree/call-tree.ts';
import type { MeasuredRange } from './verdicts.ts';

/** Where a stack was seen. */
export interface StackSeconds {
  /** Functions, outermost first; shortened ones end in the call of MPI or of the kernel. */
  readonly frames: readonly string[];
  readonly kind: StackKind;
  /** The traced phase; null where none was. */
  readonly phase: string | null;
  /** Per rank and timed run, mean over both. */
  readonly seconds: number;
}

/** One profiled run. */
export interface ProfiledRun {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
  readonly rep: number;
  /** Per rank and timed run, of all stacks. */
  readonly seconds: number;
  readonly stacks: readonly StackSeconds[];
}

/**
 * A run's stacks as seconds per rank and timed run; the whole run where none is timed by its trace. Null where nothing was seen.
 */
export function profiledRun(
  { nodes, scale, bw, rep, ranks }: Pick<ProfiledRun, 'nodes' | 'scale' | 'bw' | 'rep'> & { readonly ranks: number },
  { stacks, rows }: StackTable,
  { shorten = true }: { readonly shorten?: boolean } = {},
): ProfiledRun | null {
  const searches = new Set(rows.flatMap(({ search }) => (search === null ? [] : [search])));
  const timed = searches.size > 0 ? rows.filter(({ search }) => search !== null) : rows;
  const share = 1 / (ranks * Math.max(1, searches.size));
  const frames = stacks.map((stack) => (shorten ? shortFrames(stack.split(';')) : stack.split(';')));
  const sums = new Map<string, { frames: readonly string[]; kind: StackKind; phase: string | null; seconds: number }>();
  for (const row of timed) {
    const own = frames[row.stack] ?? [];
    const key = `${row.kind}\t${row.phase}\t${own.join(';')}`;
    const sum = sums.get(key) ?? { frames: own, kind: row.kind, phase: row.phase, seconds: 0 };
    sum.seconds += row.seconds * share;
    sums.set(key, sum);
  }
  if (sums.size === 0) return null;
  const found = [...sums.values()];
  return { nodes, scale, bw, rep, seconds: found.reduce((sum, one) => sum + one.seconds, 0), stacks: found };
}

/** MPI's calls, also by the names behind them that tools may replace. */
const MPI = /^P?(MPI_\w+)$/;
/** Where the kernel begins: a system call, an interrupt, a fault (arch/x86/entry, arch/arm64/kernel/entry.S). */
const KERNEL = /^(entry_SYSCALL_|asm_(sysvec|exc)_|asm_common_interrupt|el0t?_|ret_from_fork)/;

/** What lies below a call of MPI or of the kernel is theirs: the path ends there. */
export function shortFrames(frames: readonly string[]): readonly string[] {
  const mpi = frames.findIndex((name) => MPI.test(name));
  if (mpi >= 0) return [...frames.slice(0, mpi), (frames[mpi] ?? '').replace(MPI, '$1')];
  const kernel = frames.findIndex((name) => KERNEL.test(name));
  return kernel > 0 ? frames.slice(0, kernel) : frames;
}

/** A leaf that says what a rank did off the processor. */
export const KIND_LEAVES: Readonly<Partial<Record<StackKind, string>>> = { wait: '[asleep]', queued: '[no processor]' };

/** A run's stacks as a tree of seconds per rank and timed run. */
export function runTree({ stacks }: ProfiledRun, names: NameTable): CallTree {
  const builder = new CallTreeBuilder();
  for (const { frames, kind, seconds } of stacks) {
    const leaf = own(KIND_LEAVES, kind);
    const path = leaf === undefined ? frames : [...frames, leaf];
    builder.add(builder.descend(path.map((frame) => names.id(frame))), seconds);
  }
  return builder.finish();
}

/** What ranks were seen in, percent of a timed run, mean over them; the parts sum up to 100. */
export interface StackShares {
  /** Outside of calls of MPI: on a processor, or able to run without one. */
  readonly computing: number;
  /** In calls of MPI and awake. */
  readonly messages: number;
  /** Asleep, in calls of MPI or elsewhere. */
  readonly asleep: number;
}

/** Of runs at one setting; null where they saw nothing. */
export function computeStackShares(runs: readonly ProfiledRun[]): StackShares | null {
  const sums = { computing: 0, messages: 0, asleep: 0 };
  for (const { frames, kind, seconds } of runs.flatMap(({ stacks }) => stacks)) {
    const isMessage = frames.some((frame) => MPI.test(frame));
    sums[kind === 'wait' ? 'asleep' : isMessage ? 'messages' : 'computing'] += seconds;
  }
  const { computing, messages, asleep } = sums;
  const percent = (seconds: number): number => (seconds / (computing + messages + asleep)) * 100;
  if (Number.isNaN(percent(computing))) return null;
  return { computing: percent(computing), messages: percent(messages), asleep: percent(asleep) };
}

/** Profiled runs of one setting, drawn as their mean; values are seconds per rank and timed run. */
interface ScalingFlame {
  readonly nodes: number;
  /** Percent. */
  readonly bw: number;
  /** The setting whose shares colours compare with; null for a flame graph of one setting. */
  readonly against: { readonly nodes: number; readonly bw: number } | null;
  readonly layout: FlameLayout;
}

/**
 * The smallest and the largest cluster at the highest bandwidth, then the largest at the lowest bandwidth against the highest; each
 * where it was profiled.
 */
export function layoutScalingFlames(
  all: readonly ProfiledRun[],
  { scale, fewest, most, lowest, highest }: MeasuredRange,
): readonly ScalingFlame[] {
  const names = new NameTable();
  const treesAt = (nodes: number, bw: number): readonly (readonly CallTree[])[] =>
    all
      .filter((run) => run.scale === scale && run.nodes === nodes && run.bw === bw)
      .map((run) => [runTree(run, names)]);
  const [small, large, slow] = [treesAt(fewest, highest), treesAt(most, highest), treesAt(most, lowest)];
  const flame = (shown: typeof small, against: typeof small | null): FlameLayout =>
    flameOfTrees(shown, { names, against }).layout;
  return [
    ...(small.length > 0 && fewest < most
      ? [{ nodes: fewest, bw: highest, against: null, layout: flame(small, null) }]
      : []),
    ...(large.length > 0 ? [{ nodes: most, bw: highest, against: null, layout: flame(large, null) }] : []),
    ...(slow.length > 0 && large.length > 0 && lowest < highest
      ? [{ nodes: most, bw: lowest, against: { nodes: most, bw: highest }, layout: flame(slow, large) }]
      : []),
  ];
}
