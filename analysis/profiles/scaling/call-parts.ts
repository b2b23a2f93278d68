import { at } from '../../../base/lists.ts';
import type { StackKind } from '../../../experiments/stacks/stack-columns.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import { completeTree, NameTable, ROOT } from '../tree/call-tree.ts';
import type { ProfiledRun } from './profiled-run.ts';

/** A part of the runs' time: a call path with all below it, or a call path without the parts below it. */
export interface CallPart {
  /** Functions, outermost first. */
  readonly path: readonly string[];
  /** Below it are other parts, which are not counted. */
  readonly isRest: boolean;
  /** Seconds per rank and timed run, of each run. */
  readonly seconds: Float64Array;
  /** The same by what the ranks did. */
  readonly kinds: Readonly<Record<StackKind, Float64Array>>;
  /** Of each traced phase, what of the part lay in it; `null` is the key of none. */
  readonly phases: ReadonlyMap<string | null, Float64Array>;
}

/** A call path that takes less of every run is told with the one that calls it. */
const LEAST = 0.02;

/**
 * The runs' call trees on each other, cut into parts that sum up to each run's time: every call path that takes `least` of some
 * run has one, without what such call paths below it take. What is less than that is one part without a path.
 */
export function findCallParts(runs: readonly ProfiledRun[], { least = LEAST } = {}): readonly CallPart[] {
  const [names, builder] = [new NameTable(), new CallTreeBuilder()];
  const made = runs.map(({ stacks }) =>
    stacks.map(({ frames }) => builder.descend(frames.map((frame) => names.id(frame)))),
  );
  const tree = builder.finish();
  const rowOf = (run: number, stack: number): number => at(builder.rows, at(at(made, run), stack));
  /** By run the seconds of the stacks of each row, or of another one that it is counted with. */
  const secondsBy = (countedWith: (row: number) => number): readonly Float64Array[] =>
    runs.map(({ stacks }, run) => {
      const sums = new Float64Array(tree.name.length);
      for (const [stack, { seconds }] of stacks.entries()) {
        const row = countedWith(rowOf(run, stack));
        sums[row] = at(sums, row) + seconds;
      }
      return sums;
    });
  const matters = (seconds: readonly Float64Array[], row: number): boolean =>
    runs.some((run, index) => at(at(seconds, index), row) > 0 && at(at(seconds, index), row) >= least * run.seconds);
  const totals = secondsBy((row) => row).map((own) => completeTree({ ...tree, own }).total);
  /** The part that a row belongs to: its own, where it matters, else its caller's. Callers stand before what they call. */
  const partOf = new Int32Array(tree.name.length);
  for (let row = 1; row < partOf.length; row += 1) {
    partOf[row] = matters(totals, row) ? row : at(partOf, at(tree.parent, row));
  }
  const own = secondsBy((row) => at(partOf, row));
  const pathOf = (row: number): readonly string[] => {
    const path: string[] = [];
    for (let each = row; each !== ROOT; each = at(tree.parent, each)) path.push(names.text(at(tree.name, each)));
    return path.reverse();
  };
  const hasParts = new Set<number>();
  const parts = new Map<number, ReturnType<typeof newPart>>();
  for (const [run, { stacks }] of runs.entries()) {
    for (const [stack, { kind, phase, seconds }] of stacks.entries()) {
      const row = at(partOf, rowOf(run, stack));
      for (let above = at(tree.parent, row); above >= 0; above = at(tree.parent, above)) hasParts.add(above);
      const counted = matters(own, row) ? row : ROOT;
      const part = parts.get(counted) ?? newPart(pathOf(counted), runs.length);
      parts.set(counted, part);
      const inPhase = part.phases.get(phase) ?? new Float64Array(runs.length);
      part.phases.set(phase, inPhase);
      for (const sums of [part.seconds, part.kinds[kind], inPhase]) sums[run] = at(sums, run) + seconds;
    }
  }
  const isOthers = (row: number): boolean => row === ROOT;
  return [...parts]
    .sort(([a], [b]) => Number(isOthers(a)) - Number(isOthers(b)))
    .map(([row, part]) => ({ ...part, isRest: isOthers(row) || hasParts.has(row) }));
}

function newPart(path: readonly string[], runs: number) {
  const none = (): Float64Array => new Float64Array(runs);
  const kinds: Record<StackKind, Float64Array> = { cpu: none(), wait: none(), queued: none() };
  return { path, seconds: none(), kinds, phases: new Map<string | null, Float64Array>() };
}
