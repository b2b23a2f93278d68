import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { type Access, createAccess, type MappingEntry } from './mapping.ts';
import { createMetric, type Metric, type MetricInput, type ResourceTypes, type Window } from './metrics.ts';
import type { PhaseTypes } from './phase-types.ts';
import { createPhases, type PhaseColumns, type Phases, phasePath, refuseSlices } from './phases.ts';
import { createRules, createUses, type RuleEntry, typesUsed, type Uses, usedMetrics } from './uses.ts';

/** A job as measured: specifications, phases, metrics and what connects them. */
export interface ModelInput {
  readonly phaseTypes: PhaseTypes;
  readonly resourceTypes: ResourceTypes;
  readonly phases: PhaseColumns;
  readonly metrics: readonly MetricInput[];
  /** Left out: phases without an entry use what their parent uses, the root uses everything. */
  readonly mapping?: readonly MappingEntry[];
  /** Left out: the thesis's defaults, sink and full. Given: a pair of types without a rule uses nothing. */
  readonly rules?: readonly RuleEntry[] | undefined;
  /** Default 10 ms. */
  readonly timesliceNs?: number | undefined;
}

/** A checked job in slices: all that the analysis needs. */
export interface Model extends Window {
  readonly phaseTypes: PhaseTypes;
  readonly resourceTypes: ResourceTypes;
  readonly phases: Phases;
  readonly metrics: readonly Metric[];
  /** Which metrics each phase can reach, whatever the rules make of it. */
  readonly access: Access;
  readonly uses: Uses;
  /** Sentences on input that is usable but worth knowing about. */
  readonly notices: readonly string[];
}

const DEFAULT_TIMESLICE_NS = 10e6;

/**
 * Checks a job and turns its times into slices, the only place where nanoseconds are read (section 4.4.1).
 *
 * @example
 * const phaseTypes = createPhaseTypes({ name: '', children: [{ name: 'Compute' }] });
 * const model = createModel({ phaseTypes, resourceTypes, phases, metrics });
 *
 * Errors: badInput, one sentence that says what, where, the value received and what to do.
 */
export function createModel({
  phaseTypes,
  resourceTypes,
  phases: columns,
  metrics: inputs,
  mapping = [],
  rules,
  timesliceNs = DEFAULT_TIMESLICE_NS,
}: ModelInput): Model {
  if (!(timesliceNs > 0 && Number.isSafeInteger(timesliceNs))) {
    throw badInput(
      `The time slice is ${timesliceNs} ns: give a whole number above 0, ${DEFAULT_TIMESLICE_NS} is 10 ms.`,
    );
  }
  const { firstSlice, ...phases } = createPhases(columns, { types: phaseTypes, timesliceNs });
  const window = { timesliceNs, firstSlice, sliceCount: at(phases.length, phases.root) };
  refuseSlices(window.sliceCount * inputs.length, { of: `The job and its ${inputs.length} metrics`, timesliceNs });
  const metrics = createMetrics(inputs, resourceTypes, window);
  const ruleOf = createRules(rules, { phaseTypes, metricTypes: resourceTypes.metricTypes });
  const pathOf = (phase: number): string => phasePath(phases, phaseTypes, phase);
  const { notices, ...access } = createAccess(mapping, { phases, metrics, resourceTypes, pathOf });
  const uses = createUses({ phases, metrics, access, ruleOf, metricTypes: resourceTypes.metricTypes.count });
  refuseSlices(slicesOfPhases(phases, uses), { of: 'The phases and what they use', timesliceNs });
  return {
    ...window,
    phaseTypes,
    resourceTypes,
    phases,
    metrics,
    access,
    uses,
    notices: [...notices, ...remarks(metrics, window)],
  };
}

/** Slices in which phases live, times what is kept of each: whether it is active, what it uses, where it is held up. */
function slicesOfPhases(phases: Phases, uses: Uses): number {
  let total = 0;
  for (let row = 0; row < phases.count; row += 1) {
    const kept = 1 + usedMetrics(uses, row).length + typesUsed(uses, row).length;
    total += Math.max(0, at(phases.length, row)) * kept;
  }
  return total;
}

function createMetrics(inputs: readonly MetricInput[], types: ResourceTypes, window: Window): readonly Metric[] {
  const paths = new Set<string>();
  return inputs.map((input) => {
    if (paths.has(input.path)) throw badInput(`The metric ${input.path} is given twice: merge its periods into one.`);
    paths.add(input.path);
    return createMetric(input, types, window);
  });
}

/** The readings of a consumable metric above what there is of it; none where there is nothing. */
export function overCapacity(metric: Metric): readonly number[] {
  if (metric.class === 'blocking' || metric.capacity === 0) return [];
  return [...metric.rates.filter((rate) => rate > metric.capacity)];
}

function remarks(metrics: readonly Metric[], { sliceCount }: Window): readonly string[] {
  return metrics.flatMap((metric) => {
    if (metric.class === 'blocking') return [];
    const { path, capacity, rates, unmeasured } = metric;
    const notices: string[] = [];
    if (unmeasured > 0) {
      notices.push(
        `${path} was not measured in ${unmeasured} of ${sliceCount} slices, at the start or the end of the job: ` +
          'it counts as unused there.',
      );
    }
    if (capacity === 0)
      notices.push(`${path} has capacity 0: it counts as a bottleneck only where usage was measured.`);
    const over = overCapacity(metric);
    if (over.length > 0) {
      const largest = over.reduce((a, b) => Math.max(a, b));
      notices.push(
        `${path} measured more than its capacity ${capacity} in ${over.length} of ${rates.length} periods ` +
          `(largest ${Number(largest.toPrecision(3))}): phase-aware sampling drops the excess.`,
      );
    }
    return notices;
  });
}
