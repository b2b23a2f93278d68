import { at } from '../../../base/lists.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import { completeTree, NameTable, pathTo, ROOT } from '../tree/call-tree.ts';
import type { ProfiledRun, StackSeconds } from './profiled-run.ts';

/** A stack with the index of the run that it was seen in. */
export interface SeenStack extends StackSeconds {
  readonly run: number;
}

/** A part of the runs' time: a call path with all below it, or a call path without the parts below it. */
export interface CallPart {
  /** Functions, outermost first; none for what is less than a part. */
  readonly path: readonly string[];
  /** Below it are other parts, which are not counted. */
  readonly isRest: boolean;
  readonly stacks: readonly SeenStack[];
}

/** A call path that takes less of every run is told with the one that calls it. */
const LEAST = 0.02;

/**
 * The runs' call trees on each other, cut into parts that sum up to each run's time: every call path that takes `least` of some
 * run has one, without what such call paths below it take. What is less than that is one part without a path, the last.
 */
export function findCallParts(runs: readonly ProfiledRun[], { least = LEAST } = {}): readonly CallPart[] {
  const [names, builder] = [new NameTable(), new CallTreeBuilder()];
  const placed = runs.flatMap(({ stacks }, run) =>
    stacks.map((stack) => {
      const node = builder.descend(stack.frames.map((frame) => names.id(frame)));
      return { seen: { ...stack, run }, node };
    }),
  );
  const tree = builder.finish();
  const found = placed.map(({ seen, node }) => ({ seen, row: at(builder.rows, node) }));
  /** By run the seconds of the stacks of each row, or of another one that it is counted with. */
  const secondsBy = (countedWith: (row: number) => number): readonly Float64Array[] => {
    const sums = runs.map(() => new Float64Array(tree.name.length));
    for (const { seen, row } of found) {
      const [ofRun, counted] = [at(sums, seen.run), countedWith(row)];
      ofRun[counted] = at(ofRun, counted) + seen.seconds;
    }
    return sums;
  };
  const matters = (seconds: readonly Float64Array[], row: number): boolean =>
    runs.some((run, index) => at(at(seconds, index), row) > 0 && at(at(seconds, index), row) >= least * run.seconds);
  const totals = secondsBy((row) => row).map((own) => completeTree({ ...tree, own }).total);
  /** The part that a row belongs to: its own, where it matters, else its caller's. Callers stand before what they call. */
  const partOf = new Int32Array(tree.name.length);
  for (let row = 1; row < partOf.length; row += 1) {
    partOf[row] = matters(totals, row) ? row : at(partOf, at(tree.parent, row));
  }
  const own = secondsBy((row) => at(partOf, row));
  const hasParts = new Set<number>([ROOT]);
  const parts = new Map<number, SeenStack[]>();
  for (const { seen, row } of found) {
    const part = at(partOf, row);
    for (let above = at(tree.parent, part); above >= 0; above = at(tree.parent, above)) hasParts.add(above);
    const counted = matters(own, part) ? part : ROOT;
    parts.set(counted, parts.get(counted) ?? []);
    parts.get(counted)?.push(seen);
  }
  return [...parts]
    .sort(([a], [b]) => Number(a === ROOT) - Number(b === ROOT))
    .map(([row, stacks]) => ({ path: pathTo(tree, row, names), isRest: hasParts.has(row), stacks }));
}
