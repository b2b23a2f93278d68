import { at } from '../../base/lists.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';
import { createTable, type Table } from './create-table.ts';
import { equalStretches } from './equal-stretches.ts';

/** One row per metric; capacities in the unit of its rates, none for blocking metrics. */
export function metricTable({ model: { metrics, resourceTypes } }: Analysis): Table {
  return createTable(
    'metrics',
    { path: 'text', type: 'text', class: 'text', capacity: 'real' },
    metrics.map((metric) => ({
      path: metric.path,
      type: at(resourceTypes.metricTypes.paths, metric.type),
      class: metric.class,
      capacity: metric.class === 'consumable' ? metric.capacity : Number.NaN,
    })),
  );
}

const SLICES = { metric: 'text', first_slice: 'integer', end_slice: 'integer' } as const;
const TIMES = { ...SLICES, start_ns: 'integer', end_ns: 'integer' } as const;

/** Average rates as measured: the part of each period inside the job. Periods that cover no slice are left out. */
export function measurementTable({ model }: Analysis): Table {
  function* rows() {
    for (const metric of model.metrics) {
      if (metric.class !== 'consumable') continue;
      for (const [index, rate] of metric.rates.entries()) {
        const [from, to] = [at(metric.first, index), at(metric.end, index)];
        if (from < to) yield { metric: metric.path, ...times(model, from, to), rate };
      }
    }
  }
  return createTable('measurements', { ...TIMES, rate: 'real' }, rows());
}

/** When each blocking metric was blocked. */
export function blockedTable({ model }: Analysis): Table {
  function* rows() {
    for (const metric of model.metrics) {
      if (metric.class !== 'blocking') continue;
      for (const { from, to, value } of equalStretches(metric.blocked)) {
        if (value === 1) yield { metric: metric.path, ...times(model, from, to) };
      }
    }
  }
  return createTable('blocked', TIMES, rows());
}

/** Rates per slice after upsampling (algorithm 1). */
export function sampleTable({ model: { metrics, firstSlice }, attribution: { samples } }: Analysis): Table {
  function* rows() {
    for (const [index, { path }] of metrics.entries()) {
      for (const { from, to, value } of equalStretches(at(samples, index))) {
        yield { metric: path, first_slice: firstSlice + from, end_slice: firstSlice + to, value };
      }
    }
  }
  return createTable('samples', { ...SLICES, value: 'real' }, rows());
}

function times({ firstSlice, timesliceNs }: Analysis['model'], from: number, to: number) {
  const [first, end] = [firstSlice + from, firstSlice + to];
  return { first_slice: first, end_slice: end, start_ns: first * timesliceNs, end_ns: end * timesliceNs };
}
