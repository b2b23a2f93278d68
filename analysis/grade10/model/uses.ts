import type { Access } from './mapping.ts';
import type { Metric } from './metrics.ts';
import { isLeaf, type Phases } from './phases.ts';
import type { RuleOf } from './rules.ts';

const NOTHING = new Uint32Array(0);

/** What leaves of one type with one set of metrics use: those they can reach and whose rule is not none. */
export interface Profile {
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
  const profiles: Profile[] = [profileOf([], { type: 0, metrics, ruleOf })];
  const typeSets = new TypeSets();
  const profileTypes = [0];
  const [profile, typeSet] = [new Uint32Array(phases.count), new Uint32Array(phases.count)];
  const known = new Map<number, number>();
  for (let at = phases.count - 1; at >= 0; at -= 1) {
    const phase = phases.topDown[at] ?? 0;
    if (isLeaf(phases, phase)) {
      const type = phases.type[phase] ?? 0;
      const key = type * access.sets.length + (access.set[phase] ?? 0);
      let index = known.get(key);
      if (index === undefined) {
        const made = profileOf(access.sets[access.set[phase] ?? 0] ?? [], { type, metrics, ruleOf });
        index = profiles.push(made) - 1;
        known.set(key, index);
        profileTypes.push(typeSets.add(Array.from(made.metrics, (use) => metrics[use]?.type ?? 0)));
      }
      profile[phase] = index;
      typeSet[phase] = profileTypes[index] ?? 0;
    } else {
      // Children come before their parent here, so theirs are complete.
      let union = 0;
      for (const group of phases.groups[phase] ?? []) {
        for (const child of group.phases) union = typeSets.union(union, typeSet[child] ?? 0);
      }
      typeSet[phase] = union;
    }
  }
  const typeSlots = Int32Array.from({ length: typeSets.sets.length * metricTypes }, (_, place) =>
    (typeSets.sets[Math.floor(place / metricTypes)] ?? NOTHING).indexOf(place % metricTypes),
  );
  return { profile, profiles, typeSet, typeSets: typeSets.sets, typeSlots };
}

/** Place of a metric type among those that a phase uses; -1 when it uses none. */
export function typeSlot({ typeSet, typeSets, typeSlots }: Uses, phase: number, metricType: number): number {
  return typeSlots[(typeSet[phase] ?? 0) * (typeSlots.length / typeSets.length) + metricType] ?? -1;
}

/** Metrics that a leaf uses, consumable ones first; none for composites. */
export function usedMetrics({ profile, profiles }: Uses, phase: number): Uint32Array {
  return profiles[profile[phase] ?? 0]?.metrics ?? NOTHING;
}

/** Metric types that a phase, or a leaf under it, uses. */
export function typesUsed({ typeSet, typeSets }: Uses, phase: number): Uint32Array {
  return typeSets[typeSet[phase] ?? 0] ?? NOTHING;
}

function profileOf(
  reachable: Iterable<number>,
  { type, metrics, ruleOf }: { readonly type: number; readonly metrics: readonly Metric[]; readonly ruleOf: RuleOf },
): Profile {
  const [consumable, greedy, amount, blocking]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const metric of reachable) {
    const rule = ruleOf(type, metrics[metric]?.type ?? 0);
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
    if (a === b) return a;
    const key = `${a} ${b}`;
    const known = this.#unions.get(key);
    if (known !== undefined) return known;
    const union = this.add([...(this.sets[a] ?? []), ...(this.sets[b] ?? [])]);
    this.#unions.set(key, union);
    return union;
  }
}
