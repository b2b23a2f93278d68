import { badInput } from '../../base/index.ts';
import type { Cost, Summary } from '../sources/runs/summarise.ts';

/** One line of a comparison: seconds per phase in focus in either run, and their difference. */
export interface Difference {
  readonly kind: 'total' | 'component' | 'phases' | Cost['kind'];
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
    throw badInput(`One run is about ${before.focus}, the other about ${after.focus}: compare runs of one model.`);
  }
  const lines = new Map<string, { kind: Difference['kind']; name: string; before: number; after: number }>();
  for (const [side, summary] of [
    ['before', before],
    ['after', after],
  ] as const) {
    const add = (kind: Difference['kind'], name: string, seconds: number): void => {
      const line = lines.get(`${kind} ${name}`) ?? { kind, name, before: 0, after: 0 };
      line[side] += seconds / Math.max(1, summary.count);
      lines.set(`${kind} ${name}`, line);
    };
    add('total', summary.focus, summary.seconds);
    for (const { name, seconds } of summary.components) add('component', name, seconds);
    for (const { name, seconds } of summary.phases) add('phases', name, seconds);
    for (const { kind, rule, phases, resource, seconds } of summary.costs) {
      add(kind, [rule, phases, resource].filter((part) => part !== null).join(' on '), seconds);
    }
  }
  const all = [...lines.values()].map((line): Difference => ({ ...line, change: line.after - line.before }));
  const order: readonly Difference['kind'][] = [
    'total',
    'component',
    'phases',
    'imbalance',
    'bottleneck',
    'critical-path',
    'custom',
  ];
  return all.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || Math.abs(b.change) - Math.abs(a.change));
}
