import { badInput } from '../../base/errors.ts';
import { own } from '../../base/lists.ts';
import type { Summary } from '../sources/runs/summarise.ts';

/** One measured run, per phase in focus (a search): seconds in all and by component. */
export interface Run {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
  readonly rep: number;
  readonly seconds: number;
  readonly components: Readonly<Record<string, number>>;
  /** What would be saved at most if the most uneven type of phases took as long everywhere. */
  readonly imbalance: number;
}

/** What was set for a run. */
export type RunSetting = Pick<Run, 'nodes' | 'scale' | 'bw'>;

export function runOf(
  { nodes, scale, bw, rep }: RunSetting & { readonly rep: number },
  { count, seconds, components, costs }: Summary,
): Run {
  const each = (all: number): number => all / Math.max(1, count);
  return {
    ...{ nodes, scale, bw, rep, seconds: each(seconds) },
    components: Object.fromEntries(components.map((part) => [part.name, each(part.seconds)])),
    imbalance: each(costs.find(({ kind }) => kind === 'imbalance')?.seconds ?? 0),
  };
}

/** Names of all components, the largest in sum first. */
export function componentNames(runs: readonly Pick<Run, 'components'>[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { components } of runs) {
    for (const [name, seconds] of Object.entries(components)) sums.set(name, (sums.get(name) ?? 0) + seconds);
  }
  return [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** Seconds of a component; 0 where the run had none of it. */
export function secondsOf({ components }: Run, name: string): number {
  return own(components, name) ?? 0;
}

/** Kinds of lines, in the order in which they are listed: totals, parts, and the kinds of costs. */
const KINDS = ['total', 'component', 'phases', 'imbalance', 'bottleneck', 'critical-path', 'custom'] as const;

/** One line of a comparison: seconds per phase in focus in either run, and their difference. */
export interface Difference {
  readonly kind: (typeof KINDS)[number];
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly change: number;
}

/**
 * Two runs of one model side by side (the thesis's seventh direction of future work): where the difference in time comes
 * from, the largest first, after the total. Errors: badInput for runs about different phase types.
 */
export function compareRuns(before: Summary, after: Summary): readonly Difference[] {
  if (before.focus !== after.focus) {
    throw badInput(`One run measures ${before.focus}, the other ${after.focus}: compare two runs of the same model.`);
  }
  const lines = new Map<string, { kind: Difference['kind']; name: string; before: number; after: number }>();
  for (const [side, summary] of Object.entries({ before, after }) as ['before' | 'after', Summary][]) {
    for (const { kind, name, seconds } of partsOf(summary)) {
      const line = lines.get(`${kind} ${name}`) ?? { kind, name, before: 0, after: 0 };
      line[side] += seconds / Math.max(1, summary.count);
      lines.set(`${kind} ${name}`, line);
    }
  }
  return [...lines.values()]
    .map((line) => ({ ...line, change: line.after - line.before }))
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || Math.abs(b.change) - Math.abs(a.change));
}

function partsOf({ focus, seconds, components, phases, costs }: Summary) {
  return [
    { kind: 'total' as const, name: focus, seconds },
    ...components.map((part) => ({ kind: 'component' as const, ...part })),
    ...phases.map((part) => ({ kind: 'phases' as const, ...part })),
    ...costs.map(({ kind, rule, phases: at, resource, seconds: cost }) => {
      return { kind, name: [rule, at, resource].filter((part) => part !== null).join(' on '), seconds: cost };
    }),
  ];
}
