import { assertNever, badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import type { Access } from './mapping.ts';
import type { Metric, MetricTypes } from './metrics.ts';
import type { PhaseTypes } from './phase-types.ts';
import { isLeaf, type Phases } from './phases.ts';

/** What leaves of one type with one set of metrics use: those they can reach and whose rule is not none. */
interface Profile {
  /** Consumable metrics; `greedy` 1 for greedy, 0 for sink; `amount` is the cap or the weight. */
  readonly consumable: Uint32Array;
  readonly greedy: Uint8Array;
  readonly amount: Float64Array;
  /** Blocking metrics with the rule full. */
  readonly blocking: Uint32Array;
  /** Both, consumable ones first. */
  readonly metrics: Uint32Array;
}

/** Who uses what. Leaves share profiles and phases share sets of metric types, so that both are listed once. */
export interface Uses {
  /** Per phase, index into `profiles`; composites have the empty profile 0. */
  readonly profile: Uint32Array;
  readonly profiles: readonly Profile[];
  /** Per phase, index into `typeSets`: metric types that it, or a leaf under it, uses. Ascending. */
  readonly typeSet: Uint32Array;
  readonly typeSets: readonly Uint32Array[];
  /** Place of each metric type in each set, or -1: set by set. */
  readonly typeSlots: Int32Array;
}

/** Combines access and rules per leaf, and gathers upwards which metric types are used at all. */
export function createUses({
  phases,
  metrics,
  access,
  ruleOf,
  metricTypes,
}: {
  readonly phases: Phases;
  readonly metrics: readonly Metric[];
  readonly access: Access;
  readonly ruleOf: RuleOf;
  /** How many there are. */
  readonly metricTypes: number;
}): Uses {
  const profiles: Profile[] = [createProfile([], { type: 0, metrics, ruleOf })];
  const typeSets = new TypeSets();
  const profileTypes = [0];
  const [profile, typeSet] = [new Uint32Array(phases.count), new Uint32Array(phases.count)];
  const known = new Map<number, number>();
  for (let place = phases.count - 1; place >= 0; place -= 1) {
    const phase = at(phases.topDown, place);
    if (isLeaf(phases, phase)) {
      const type = at(phases.type, phase);
      const set = at(access.set, phase);
      const key = type * access.sets.length + set;
      let index = known.get(key);
      if (index === undefined) {
        const made = createProfile(at(access.sets, set), { type, metrics, ruleOf });
        index = profiles.push(made) - 1;
        known.set(key, index);
        profileTypes.push(typeSets.add(Array.from(made.metrics, (use) => at(metrics, use).type)));
      }
      profile[phase] = index;
      typeSet[phase] = at(profileTypes, index);
    } else {
      // Children come before their parent here, so theirs are complete.
      let union = 0;
      for (let child = at(phases.childStart, phase); child < at(phases.childStart, phase + 1); child += 1) {
        union = typeSets.union(union, at(typeSet, at(phases.children, child)));
      }
      typeSet[phase] = union;
    }
  }
  const typeSlots = Int32Array.from({ length: typeSets.sets.length * metricTypes }, (_, place) =>
    at(typeSets.sets, Math.floor(place / metricTypes)).indexOf(place % metricTypes),
  );
  return { profile, profiles, typeSet, typeSets: typeSets.sets, typeSlots };
}

/** Place of a metric type among those that a phase uses; -1 when it uses none. */
export function typeSlot({ typeSet, typeSets, typeSlots }: Uses, phase: number, metricType: number): number {
  return at(typeSlots, at(typeSet, phase) * (typeSlots.length / typeSets.length) + metricType);
}

/** What a leaf uses; nothing for composites. */
export function profileOf({ profile, profiles }: Uses, phase: number): Profile {
  return at(profiles, at(profile, phase));
}

/** Metrics that a leaf uses, consumable ones first; none for composites. */
export function usedMetrics(uses: Uses, phase: number): Uint32Array {
  return profileOf(uses, phase).metrics;
}

/** Metric types that a phase, or a leaf under it, uses. */
export function typesUsed({ typeSet, typeSets }: Uses, phase: number): Uint32Array {
  return at(typeSets, at(typeSet, phase));
}

function createProfile(
  reachable: Iterable<number>,
  { type, metrics, ruleOf }: { readonly type: number; readonly metrics: readonly Metric[]; readonly ruleOf: RuleOf },
): Profile {
  const [consumable, greedy, amount, blocking]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const metric of reachable) {
    const rule = ruleOf(type, at(metrics, metric).type);
    if (rule.kind === 'full') blocking.push(metric);
    if (rule.kind !== 'greedy' && rule.kind !== 'sink') continue;
    consumable.push(metric);
    greedy.push(rule.kind === 'greedy' ? 1 : 0);
    amount.push(rule.kind === 'greedy' ? rule.cap : rule.weight);
  }
  return {
    consumable: Uint32Array.from(consumable),
    greedy: Uint8Array.from(greedy),
    amount: Float64Array.from(amount),
    blocking: Uint32Array.from(blocking),
    metrics: Uint32Array.from([...consumable, ...blocking]),
  };
}

/** Distinct sets of numbers; set 0 is empty. */
class TypeSets {
  readonly sets: Uint32Array[] = [new Uint32Array(0)];
  readonly #known = new Map<string, number>([['', 0]]);
  readonly #unions = new Map<string, number>();

  add(values: Iterable<number>): number {
    const sorted = Uint32Array.from(new Set(values)).sort();
    const key = sorted.join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.sets.length);
    return this.sets.push(sorted) - 1;
  }

  union(a: number, b: number): number {
    if (a === b || b === 0) return a;
    const key = `${a} ${b}`;
    const known = this.#unions.get(key);
    if (known !== undefined) return known;
    const union = this.add([...at(this.sets, a), ...at(this.sets, b)]);
    this.#unions.set(key, union);
    return union;
  }
}

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

type RuleOf = (phaseType: number, metricType: number) => Rule;

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
