import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { childPath, isName, keyProblem, parentPath, stepOf, typePath } from './phase-types.ts';
import { sliceBoundary } from './phases.ts';

/** What was measured of one resource. Times in nanoseconds since the origin of the phases; columns of equal length. */
export type MetricInput = {
  /** `/cluster/machine[id=0]/cpu`: the resource's path and the metric's name. */
  readonly path: string;
  /** Of a consumable metric its measurement periods in order of time, touching each other; else when it was blocked, in any order. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
} & (
  | {
      readonly class: 'consumable';
      /** In the unit of the rates. */
      readonly capacity: number;
      /** Average rate over each period. */
      readonly rates: Float64Array;
    }
  | { readonly class: 'blocking' }
);

export type Metric = ConsumableMetric | BlockingMetric;

export interface ConsumableMetric {
  readonly class: 'consumable';
  readonly path: string;
  /** Index into the metric types. */
  readonly type: number;
  readonly capacity: number;
  readonly rates: Float64Array;
  /** Slices that each period covers, also outside the job: |T| of algorithm 1. */
  readonly slices: Float64Array;
  /** The part of each period inside the job: slices since the job's first, `end` is one past the last. */
  readonly first: Int32Array;
  readonly end: Int32Array;
  /** Slices of the job before the first period and after the last: nothing is known of them, they count as unused. */
  readonly unmeasured: number;
}

export interface BlockingMetric {
  readonly class: 'blocking';
  readonly path: string;
  readonly type: number;
  /** 1 per slice of the job in which the resource is blocked. */
  readonly blocked: Uint8Array;
}

/** The job's slices: the first one's number and how many. */
export interface Window {
  readonly timesliceNs: number;
  readonly firstSlice: number;
  readonly sliceCount: number;
}

/**
 * Checks a metric against the resource model and turns its times into slices. Errors: badInput for unknown types or another
 * class, capacities below 0, rates that are no number or below 0, periods out of order or with gaps between them, and metrics
 * without any measurement in the job. One that starts late or ends early is taken.
 */
export function createMetric(input: MetricInput, types: ResourceTypes, window: Window): Metric {
  const type = metricTypeOf(input, types);
  const { path, startNs, endNs } = input;
  const columns = input.class === 'consumable' ? [startNs, endNs, input.rates] : [startNs, endNs];
  if (new Set(columns.map(({ length }) => length)).size > 1) {
    const lengths = columns.map(({ length }) => length).join(', ');
    throw badInput(`The columns of ${path} have ${lengths} values: give start, end and rate for each period.`);
  }
  for (let index = 0; index < startNs.length; index += 1) {
    const start = at(startNs, index);
    const end = at(endNs, index);
    if (start <= end) continue;
    throw badInput(
      `${path} has a period from ${start} to ${end} ns: it ends before it starts, so correct its log or clock.`,
    );
  }
  if (input.class === 'blocking') return { class: 'blocking', path, type, blocked: blockedSlices(input, window) };
  if (!(input.capacity >= 0 && input.capacity < Number.POSITIVE_INFINITY)) {
    throw badInput(
      `${path} has the capacity ${input.capacity}: give the highest rate it can reach, in the unit of its values.`,
    );
  }
  const wrong = input.rates.findIndex((rate) => !(rate >= 0 && rate < Number.POSITIVE_INFINITY));
  if (wrong >= 0) {
    const rate = input.rates[wrong];
    throw badInput(`${path} measured ${rate} in period ${wrong}: give rates of 0 or more, or leave the metric out.`);
  }
  return { class: 'consumable', path, type, capacity: input.capacity, rates: input.rates, ...periods(input, window) };
}

/** The metric's type; errors name the step of the path that no type matches. */
function metricTypeOf(input: MetricInput, types: ResourceTypes): number {
  const { path } = input;
  const type = types.metricTypes.indexOf.get(typePath(path));
  const resource = parentPath(path);
  if (type === undefined || resource === null || stepOf(path)?.key !== undefined) {
    const known = types.metricTypes.paths.join(', ') || 'none';
    throw badInput(`${path} has no metric type in the resource model: known ones are ${known}.`);
  }
  checkResource(resource, types, path);
  const expected = types.metricTypes.classes[type];
  if (expected === input.class) return type;
  throw badInput(`${path} is given as ${input.class}, the resource model says ${expected}: make the two agree.`);
}

/** Throws badInput unless the path and all above it are instances of resource types; `where` names what holds the path. */
export function checkResource(path: string, types: ResourceTypes, where: string): void {
  for (let above: string | null = path; above !== null; above = parentPath(above)) {
    const type = types.resources.get(typePath(above));
    if (!above.startsWith('/') || type === undefined) {
      throw badInput(
        `${where} names the resource ${above}, which has no type in the resource model: add it or correct the path.`,
      );
    }
    const step = stepOf(above);
    const problem = above === '/' ? null : step === null ? 'is not a name or name[key=id]' : keyProblem(step, type);
    if (problem !== null) throw badInput(`${where} names the resource ${above}: ${problem}.`);
  }
}

function blockedSlices({ startNs, endNs }: MetricInput, { timesliceNs, firstSlice, sliceCount }: Window): Uint8Array {
  const blocked = new Uint8Array(sliceCount);
  for (let index = 0; index < startNs.length; index += 1) {
    const first = sliceBoundary(at(startNs, index), timesliceNs) - firstSlice;
    const end = sliceBoundary(at(endNs, index), timesliceNs) - firstSlice;
    if (end > 0 && first < end) blocked.fill(1, Math.max(0, first), end);
  }
  return blocked;
}

function periods(
  { path, startNs, endNs }: MetricInput,
  { timesliceNs, firstSlice, sliceCount }: Window,
): Pick<ConsumableMetric, 'slices' | 'first' | 'end' | 'unmeasured'> {
  const count = startNs.length;
  const [slices, first, end] = [new Float64Array(count), new Int32Array(count), new Int32Array(count)];
  const inside = (slice: number): number => Math.min(Math.max(slice, 0), sliceCount);
  let [before, reached, measured] = [Number.NEGATIVE_INFINITY, 0, 0];
  for (let index = 0; index < count; index += 1) {
    const start = at(startNs, index);
    if (start < before) {
      throw badInput(
        `${path} has a period from ${start} ns, before the one before it ends (${before} ns): sort them, without overlap.`,
      );
    }
    const low = sliceBoundary(start, timesliceNs) - firstSlice;
    const high = sliceBoundary(at(endNs, index), timesliceNs) - firstSlice;
    if (measured > 0 && low > reached && reached < sliceCount) {
      throw badInput(
        `${path} has no measurement from ${before} ns to ${start} ns: leave no gaps, or leave the metric out.`,
      );
    }
    [before, reached] = [at(endNs, index), Math.max(reached, high)];
    slices[index] = high - low;
    first[index] = inside(low);
    end[index] = inside(high);
    measured += inside(high) - inside(low);
  }
  if (measured === 0 && sliceCount > 0) {
    const has = count === 0 ? 'none at all' : `one from ${startNs[0]} to ${before} ns`;
    throw badInput(`${path} has no measurement in the job (${has}): correct its clock, or leave the metric out.`);
  }
  return { slices, first, end, unmeasured: sliceCount - measured };
}

/** A consumable metric is a rate below a capacity; a blocking one says when whoever needs the resource has to wait. */
type MetricClass = 'consumable' | 'blocking';

/** The resource model's specification (section 4.3.2) as a tree; metrics hang on resources. */
export interface ResourceTypeSpec {
  readonly name: string;
  readonly repeat?: 'once' | 'many' | undefined;
  readonly key?: string | undefined;
  readonly metrics?: readonly { readonly name: string; readonly class: MetricClass }[] | undefined;
  readonly children?: readonly ResourceTypeSpec[] | undefined;
}

export interface ResourceTypes {
  /** By type path, the root's is `/`. */
  readonly resources: ReadonlyMap<string, { readonly repeats: boolean; readonly key: string | undefined }>;
  /** The thesis's resource types R: in the order of the specification. */
  readonly metricTypes: MetricTypes;
}

export interface MetricTypes {
  readonly count: number;
  readonly paths: readonly string[];
  readonly classes: readonly MetricClass[];
  readonly indexOf: ReadonlyMap<string, number>;
}

/** Checks a specification. Errors: badInput for names and duplicates. */
export function createResourceTypes(root: ResourceTypeSpec): ResourceTypes {
  if (root.name !== '') {
    throw badInput(`The root of the resource model is named '${root.name}': leave its name empty, its path is /.`);
  }
  const resources = new Map<string, { repeats: boolean; key: string | undefined }>();
  const classes: MetricClass[] = [];
  const indexOf = new Map<string, number>();
  const visit = (spec: ResourceTypeSpec, path: string): void => {
    if (resources.has(path)) throw badInput(`The resource type ${path} is listed twice: keep one of the two.`);
    resources.set(path, { repeats: spec.repeat === 'many', key: spec.key });
    for (const metric of spec.metrics ?? []) {
      const metricPath = childPath(path, checkedName(metric.name, path));
      if (indexOf.has(metricPath))
        throw badInput(`The metric type ${metricPath} is listed twice: keep one of the two.`);
      indexOf.set(metricPath, classes.length);
      classes.push(metric.class);
    }
    for (const child of spec.children ?? []) visit(child, childPath(path, checkedName(child.name, path)));
  };
  visit(root, '/');
  return { resources, metricTypes: { count: classes.length, paths: [...indexOf.keys()], classes, indexOf } };
}

function checkedName(name: string, parent: string): string {
  if (isName(name)) return name;
  throw badInput(`A resource or metric type under ${parent} is named '${name}': use a name without / [ ] =.`);
}
