import { assertNever, badInput } from '../../../base/errors.ts';
import type { PhaseTypes } from './phase-types.ts';
import type { MetricTypes } from './resource-types.ts';

/**
 * What phases of a type are expected to use of metrics of a type (section 4.4.2.1). Greedy's cap is in the metric's unit;
 * sinks share by weight what greedy phases leave; full: the phase waits whenever the resource is blocked.
 */
export type Rule =
  | { readonly kind: 'none' }
  | { readonly kind: 'greedy'; readonly cap: number }
  | { readonly kind: 'sink'; readonly weight: number }
  | { readonly kind: 'full' };

/** A rule for one pair of types, by path. */
export interface RuleEntry {
  readonly phaseType: string;
  readonly metricType: string;
  readonly rule: Rule;
}

export type RuleOf = (phaseType: number, metricType: number) => Rule;

const NONE: Rule = { kind: 'none' };
const SINK: Rule = { kind: 'sink', weight: 1 };
const FULL: Rule = { kind: 'full' };

/**
 * Looks rules up by type. Without any entries given the thesis's defaults hold: sink of weight 1 for consumable metrics, full
 * for blocking ones. With entries, a pair that has none uses nothing. Errors: badInput for unknown types, pairs given
 * twice, caps or weights below 0, and rules of the wrong class.
 */
export function createRules(
  entries: readonly RuleEntry[] | undefined,
  { phaseTypes, metricTypes }: { readonly phaseTypes: PhaseTypes; readonly metricTypes: MetricTypes },
): RuleOf {
  if (entries === undefined) return (_, metricType) => (metricTypes.classes[metricType] === 'blocking' ? FULL : SINK);
  const rules = new Map<number, Rule>();
  for (const { phaseType, metricType, rule } of entries) {
    const where = `The rule for ${phaseType} and ${metricType}`;
    const [phase, metric] = [phaseTypes.indexOf.get(phaseType), metricTypes.indexOf.get(metricType)];
    if (phase === undefined)
      throw badInput(`${where} names a phase type that the execution model lacks: ${phaseType}.`);
    if (metric === undefined)
      throw badInput(`${where} names a metric type that the resource model lacks: ${metricType}.`);
    const problem = problemOf(rule, metricTypes.classes[metric] === 'blocking');
    if (problem !== null) throw badInput(`${where} ${problem}.`);
    const pair = phase * metricTypes.count + metric;
    if (rules.has(pair)) throw badInput(`${where} is given twice: keep one of the two.`);
    rules.set(pair, rule);
  }
  return (phaseType, metricType) => rules.get(phaseType * metricTypes.count + metricType) ?? NONE;
}

function problemOf(rule: Rule, blocking: boolean): string | null {
  switch (rule.kind) {
    case 'none':
      return null;
    case 'full':
      return blocking ? null : 'is full, but the metric is consumable: give a cap or a weight';
    case 'greedy':
    case 'sink': {
      const [word, value] = rule.kind === 'greedy' ? ['cap', rule.cap] : ['weight', rule.weight];
      if (blocking) return `has a ${word}, but the metric is blocking: use full`;
      return value >= 0 && value < Number.POSITIVE_INFINITY
        ? null
        : `has the ${word} ${value}: give a number of 0 or more`;
    }
    default:
      return assertNever(rule);
  }
}
