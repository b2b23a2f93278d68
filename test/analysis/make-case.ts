import type { Case } from '../cases/grade10/case-records.ts';
import { parseCase } from '../cases/grade10/parse-case.ts';
import { type CaseOutput, runCase } from './case-output.ts';

/** Slices of 10 ns, so that the times of a case can be read at a glance. */
export const SLICE = 10;

export type Written = Omit<Partial<Case>, 'phases'> & {
  /** Path to first slice and the slice after the last. */
  readonly slices?: Readonly<Record<string, readonly [number, number]>>;
  readonly phases?: Case['phases'];
};

/** A whole case from what matters to a test. */
export function makeCase({ slices = { '/': [0, 10] }, phases, ...rest }: Written = {}): Case {
  return parseCase({
    name: 'test',
    timeslice_ns: SLICE,
    sampler: 'phase-aware',
    thresholds: { global: 0.95, local: 0.95 },
    execution_spec: { name: '' },
    resource_spec: { name: '' },
    rules: [],
    metrics: [],
    mapping: [],
    phases:
      phases ??
      Object.entries(slices).map(([path, [from, to]]) => ({ path, start_ns: from * SLICE, end_ns: to * SLICE })),
    ...rest,
  });
}

export function run(written: Written): CaseOutput {
  return runCase(makeCase(written));
}

/** A consumable metric measured over periods of whole slices: boundaries, then a rate for each. */
export function consumable(
  path: string,
  { capacity, bounds, rates }: { capacity: number; bounds: readonly number[]; rates: readonly number[] },
): Case['metrics'][number] {
  return {
    class: 'consumable',
    path,
    capacity,
    observation_times_ns: bounds.map((slice) => slice * SLICE),
    observation_values: [...rates],
  };
}

/** A blocking metric, blocked from slice to slice. */
export function blocking(path: string, ...waits: (readonly [number, number])[]): Case['metrics'][number] {
  return { class: 'blocking', path, blocked_ns: waits.map(([from, to]) => [from * SLICE, to * SLICE]) };
}

export function exact(phase: string, metric: string, value: number): Case['rules'][number] {
  return { rule: 'exact', phase_type: phase, metric_type: metric, value };
}

export function variable(phase: string, metric: string, value = 1): Case['rules'][number] {
  return { rule: 'variable', phase_type: phase, metric_type: metric, value };
}

export function full(phase: string, metric: string): Case['rules'][number] {
  return { rule: 'full', phase_type: phase, metric_type: metric };
}

/** One consumable metric /R and one blocking metric /B on the whole system. */
export const ONE_RESOURCE: Case['resource_spec'] = {
  name: '',
  metrics: [
    { name: 'R', class: 'consumable' },
    { name: 'B', class: 'blocking' },
  ],
};
