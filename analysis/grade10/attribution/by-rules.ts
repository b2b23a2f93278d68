import { at } from '../../../base/lists.ts';
import type { Model } from '../model/create-model.ts';
import { isLeaf } from '../model/phases.ts';
import { profileOf, type Uses } from '../model/uses.ts';
import { type Attribution, attribute } from './attribute.ts';
import type { SamplerChoice } from './upsample.ts';

// What rules matter to attribution (thesis, sections 5.5.1.1 and 5.5.1.2, tables 5.9 and 5.10).

/** How attribution to leaves of one type changes under other rules; the model's own rules are the baseline. */
export interface RuleEffect {
  /** Without greedy rules, each of them is a sink of weight 1; without blocking ones, no phase waits for blocking resources. */
  readonly without: 'greedy' | 'blocking';
  /** Path of the type of leaves; those of one parent count together, as threads of a worker do. */
  readonly type: string;
  /** Path of the metric type. */
  readonly metric: string;
  readonly samples: number;
  /** Attributed in all, in the metric's unit times seconds: by the model's rules, and without some. */
  readonly baseline: number;
  readonly attributed: number;
  readonly over: Deviations;
  readonly under: Deviations;
}

/** What differs by less than this part of the capacity is rounding. */
const ROUNDING = 1e-9;

const VARIANTS = { greedy: withoutGreedy, blocking: withoutBlocking } as const;

/** The effect of each kind of rule that the model has, on each type of leaves and metric that its attribution concerns. */
export function effectOfRules(model: Model, sampler: SamplerChoice, baseline: Attribution): readonly RuleEffect[] {
  return (['greedy', 'blocking'] as const).flatMap((without) => {
    const uses = VARIANTS[without](model.uses);
    if (uses === null) return [];
    const other = attribute({ ...model, uses }, sampler);
    return groupsOf(model).flatMap((group) => effectOn(model, { group, without, baseline, other }));
  });
}

/** Null where no rule is greedy. */
function withoutGreedy(uses: Uses): Uses | null {
  if (!uses.profiles.some(({ greedy }) => greedy.includes(1))) return null;
  const profiles = uses.profiles.map((profile) => ({
    ...profile,
    greedy: new Uint8Array(profile.greedy.length),
    // What may use nothing still does.
    amount: profile.amount.map((amount, slot) => (profile.greedy[slot] === 1 && amount > 0 ? 1 : amount)),
  }));
  return { ...uses, profiles };
}

/** Null where no rule is full. */
function withoutBlocking(uses: Uses): Uses | null {
  if (!uses.profiles.some(({ blocking }) => blocking.length > 0)) return null;
  return { ...uses, profiles: uses.profiles.map((profile) => ({ ...profile, blocking: new Uint32Array(0) })) };
}

interface Group {
  /** Of the leaves. */
  readonly type: number;
  readonly metric: number;
  /** Leaves by parent, in order of rows; a root that is a leaf is its own. */
  readonly parents: Map<number, number[]>;
}

/** Leaves that use consumable metrics, by type and metric type. */
function groupsOf({ phases, metrics, uses }: Model): readonly Group[] {
  const groups = new Map<string, Group>();
  for (let row = 0; row < phases.count; row += 1) {
    if (!isLeaf(phases, row) || at(phases.length, row) === 0) continue;
    const type = at(phases.type, row);
    const used = new Set(Array.from(profileOf(uses, row).consumable, (metric) => at(metrics, metric).type));
    for (const metric of used) {
      const key = `${type} ${metric}`;
      const group = groups.get(key) ?? { type, metric, parents: new Map<number, number[]>() };
      groups.set(key, group);
      const parent = row === phases.root ? row : at(phases.parent, row);
      const own = group.parents.get(parent);
      if (own === undefined) group.parents.set(parent, [row]);
      else own.push(row);
    }
  }
  return [...groups.values()].sort((a, b) => a.type - b.type || a.metric - b.metric);
}

interface Compared {
  readonly group: Group;
  readonly without: RuleEffect['without'];
  readonly baseline: Attribution;
  readonly other: Attribution;
}

function effectOn(model: Model, { group, without, baseline, other }: Compared): readonly RuleEffect[] {
  const { phases, phaseTypes, resourceTypes, timesliceNs, metrics, sliceCount } = model;
  const slice = timesliceNs / 1e9;
  const tolerance = ROUNDING * largestCapacity(model, group.metric);
  const sides = { over: new DeviationRuns(slice), under: new DeviationRuns(slice) };
  const [was, is, alive] = [new Float64Array(sliceCount), new Float64Array(sliceCount), new Uint8Array(sliceCount)];
  let [samples, before, after] = [0, 0, 0];
  for (const [parent, leaves] of group.parents) {
    const [first, length] = [at(phases.first, parent), at(phases.length, parent)];
    for (const column of [was, is, alive]) column.fill(0, 0, length);
    for (const leaf of leaves) {
      const [own, lives] = [at(phases.first, leaf) - first, at(phases.length, leaf)];
      alive.fill(1, own, own + lives);
      for (const [slot, index] of profileOf(model.uses, leaf).consumable.entries()) {
        if (at(metrics, index).type !== group.metric) continue;
        const from = at(baseline.start, leaf) + slot * lives;
        addUsage(was, own, baseline.usage.subarray(from, from + lives));
        addUsage(is, own, other.usage.subarray(from, from + lives));
      }
    }
    // Over slices, and so indexed directly (see `at`).
    for (let index = 0; index < length; index += 1) {
      const [usage, changed] = [was[index] ?? 0, is[index] ?? 0];
      samples += alive[index] ?? 0;
      before += usage * slice;
      after += changed * slice;
      sides.over.add(changed - usage > tolerance ? changed - usage : 0);
      sides.under.add(usage - changed > tolerance ? usage - changed : 0);
    }
    sides.over.end();
    sides.under.end();
  }
  const [over, under] = [sides.over.deviations(), sides.under.deviations()];
  if (over.samples.count + under.samples.count === 0) return [];
  const [type, metric] = [at(phaseTypes.paths, group.type), at(resourceTypes.metricTypes.paths, group.metric)];
  return [{ without, type, metric, samples, baseline: before, attributed: after, over, under }];
}

function largestCapacity({ metrics }: Model, type: number): number {
  return metrics.reduce(
    (most, one) => (one.class === 'consumable' && one.type === type ? Math.max(most, one.capacity) : most),
    0,
  );
}

/** Adds what a leaf uses to the slices from `from` on. */
function addUsage(to: Float64Array, from: number, usage: Float64Array): void {
  for (let slice = 0; slice < usage.length; slice += 1)
    to[from + slice] = (to[from + slice] ?? 0) + (usage[slice] ?? 0);
}

/** A column of a table: how many values there are, and how they are spread; null where too few tell it. */
interface Spread {
  readonly count: number;
  readonly sum: number;
  readonly mean: number | null;
  readonly sd: number | null;
  readonly cv: number | null;
  readonly least: number | null;
  readonly q1: number | null;
  readonly median: number | null;
  readonly q3: number | null;
  readonly most: number | null;
}

/** What lies on one side of the baseline: slices (unit x seconds), and runs of slices by duration (seconds) and area (unit x seconds). */
interface Deviations {
  readonly samples: Spread;
  readonly durations: Spread;
  readonly areas: Spread;
}

/** Collects deviations to one side, slice by slice, and their runs. */
class DeviationRuns {
  readonly #slice: number;
  readonly #samples = new Numbers();
  readonly #durations = new Numbers();
  readonly #areas = new Numbers();
  #area = 0;
  #length = 0;

  /** So many seconds a slice. */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** By how much the next slice deviates, in the metric's unit; 0 ends a run. */
  add(rate: number): void {
    if (rate === 0) {
      if (this.#length > 0) this.end();
      return;
    }
    this.#samples.push(rate * this.#slice);
    this.#area += rate * this.#slice;
    this.#length += 1;
  }

  end(): void {
    if (this.#length === 0) return;
    this.#durations.push(this.#length * this.#slice);
    this.#areas.push(this.#area);
    this.#area = 0;
    this.#length = 0;
  }

  deviations(): Deviations {
    return {
      samples: spreadOf(this.#samples.sorted()),
      durations: spreadOf(this.#durations.sorted()),
      areas: spreadOf(this.#areas.sorted()),
    };
  }
}

/** A list of numbers that may be as long as a job has slices of phases. */
class Numbers {
  #values = new Float64Array(64);
  #count = 0;

  push(value: number): void {
    if (this.#count === this.#values.length) {
      const grown = new Float64Array(2 * this.#count);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#count] = value;
    this.#count += 1;
  }

  sorted(): Float64Array {
    return this.#values.subarray(0, this.#count).sort();
  }
}

function spreadOf(sorted: Float64Array): Spread {
  const count = sorted.length;
  let [sum, squares] = [0, 0];
  for (const value of sorted) sum += value;
  const mean = count > 0 ? sum / count : null;
  for (const value of sorted) squares += (value - (mean ?? 0)) ** 2;
  const sd = count > 1 ? Math.sqrt(squares / (count - 1)) : null;
  return {
    ...{ count, sum, mean, sd, cv: sd !== null && mean !== null && mean > 0 ? sd / mean : null },
    ...{ least: quantile(sorted, 0), q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5) },
    ...{ q3: quantile(sorted, 0.75), most: quantile(sorted, 1) },
  };
}

/** Between two values in proportion (R's type 7). */
function quantile(sorted: Float64Array, share: number): number | null {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low === undefined || high === undefined ? null : low + (high - low) * (place - Math.floor(place));
}
