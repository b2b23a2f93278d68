import { badInput } from '../../base/errors.ts';
import type { Summary } from '../sources/runs/summarise.ts';

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
