import { at } from '../../../base/lists.ts';
import type { StackKind } from '../../../experiments/stacks/stack-columns.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import { NameTable } from '../tree/call-tree.ts';
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
  const tree = mergedTree(runs);
  const count = tree.parents.length;
  const matters = tree.totals.map((totals) =>
    totals.some((seconds, run) => seconds >= least * at(runs, run).seconds && seconds > 0),
  );
  matters[0] = true;
  /** The part that a node belongs to: its own, where it matters, else its caller's. Callers stand before what they call. */
  const partOf = new Int32Array(count);
  for (let node = 1; node < count; node += 1) partOf[node] = matters[node] ? node : at(partOf, at(tree.parents, node));
  const made = new Map<number, CallPart>();
  for (const [index, run] of runs.entries()) {
    for (const [place, { kind, phase, seconds }] of run.stacks.entries()) {
      const part = made.get(at(partOf, at(at(tree.places, index), place))) ?? newPart(runs.length);
      made.set(at(partOf, at(at(tree.places, index), place)), part);
      part.seconds[index] = at(part.seconds, index) + seconds;
      part.kinds[kind][index] = at(part.kinds[kind], index) + seconds;
      const phases = part.phases as Map<string | null, Float64Array>;
      const own = phases.get(phase) ?? new Float64Array(runs.length);
      phases.set(phase, own);
      own[index] = at(own, index) + seconds;
    }
  }
  const hasParts = new Set<number>();
  for (const node of made.keys()) {
    for (let above = at(tree.parents, node); above >= 0; above = at(tree.parents, above)) hasParts.add(above);
  }
  const parts = [...made].map(([node, part]) => ({ ...part, path: pathOf(tree, node), isRest: hasParts.has(node) }));
  const isSmall = ({ path, seconds }: CallPart): boolean =>
    path.length === 0 || seconds.every((own, run) => own < least * at(runs, run).seconds);
  const small = parts.filter(isSmall);
  const rest = small.length === 0 ? [] : [{ ...small.reduce(joined), path: [], isRest: true }];
  return [...parts.filter((part) => !isSmall(part)), ...rest];
}

/** Two parts as one. */
function joined(a: CallPart, b: CallPart): CallPart {
  const sum = (one: Float64Array, other: Float64Array): Float64Array => one.map((value, run) => value + at(other, run));
  const phases = new Map(a.phases);
  for (const [phase, seconds] of b.phases) phases.set(phase, sum(seconds, phases.get(phase) ?? seconds.map(() => 0)));
  return {
    ...a,
    seconds: sum(a.seconds, b.seconds),
    kinds: {
      cpu: sum(a.kinds.cpu, b.kinds.cpu),
      wait: sum(a.kinds.wait, b.kinds.wait),
      queued: sum(a.kinds.queued, b.kinds.queued),
    },
    phases,
  };
}

function newPart(runs: number): CallPart {
  const none = (): Float64Array => new Float64Array(runs);
  return {
    path: [],
    isRest: false,
    seconds: none(),
    kinds: { cpu: none(), wait: none(), queued: none() },
    phases: new Map(),
  };
}

interface MergedTree {
  /** Of node 0, the root, -1. */
  readonly parents: readonly number[];
  readonly names: readonly string[];
  /** Seconds of each node with all below it, by run. */
  readonly totals: readonly Float64Array[];
  /** Per run the node of each of its stacks. */
  readonly places: readonly (readonly number[])[];
}

function mergedTree(runs: readonly ProfiledRun[]): MergedTree {
  const [table, builder] = [new NameTable(), new CallTreeBuilder()];
  const [parents, names, totals] = [[-1], [''], [new Float64Array(runs.length)]];
  const places = runs.map(({ stacks }, run) =>
    stacks.map(({ frames, seconds }) => {
      let node = 0;
      for (const frame of frames) {
        const child = builder.child(node, table.id(frame));
        if (child === parents.length) {
          parents.push(node);
          names.push(frame);
          totals.push(new Float64Array(runs.length));
        }
        node = child;
      }
      for (let each = node; each >= 0; each = at(parents, each)) {
        const own = at(totals, each);
        own[run] = at(own, run) + seconds;
      }
      return node;
    }),
  );
  return { parents, names, totals, places };
}

function pathOf({ parents, names }: MergedTree, node: number): readonly string[] {
  const path: string[] = [];
  for (let each = node; each > 0; each = at(parents, each)) path.unshift(at(names, each));
  return path;
}
