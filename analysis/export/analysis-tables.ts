import { at, equalStretches, stretchesOf } from '../../base/lists.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';
import { LOCAL, NO_BOTTLENECK } from '../grade10/bottlenecks/leaves.ts';
import { typesOf } from '../grade10/issues/issue-rule.ts';
import { isLeaf, phasePath } from '../grade10/model/phases.ts';
import { profileOf, typesUsed } from '../grade10/model/uses.ts';
import { createTable, type Table, type TableSource } from './create-table.ts';

/**
 * All of an analysis as tables in long form, one fact per row: `phases`, `metrics`, `measurements`, `blocked`, `samples`,
 * `attribution`, `leaf_bottlenecks`, `bottlenecks` and `issues`. Slices have their absolute numbers: slice k is
 * [kT, (k+1)T) since the origin of the model's times, so that `first_slice` of a job is rarely 0; `end_slice` is one past the last.
 * Times in ns are boundaries of slices, as the model knows no others. Equal values of consecutive slices are one row.
 *
 * @example
 * for (const table of analysisTables(analyse(model))) write(`${table.name}.tsv`, toTsv(table));
 */
export function analysisTables(analysis: Analysis): Table[] {
  const { phases, phaseTypes } = analysis.model;
  const paths = Array.from({ length: phases.count }, (_, row) => phasePath(phases, phaseTypes, row));
  const source: TableSource = { analysis, paths };
  return [
    phaseTable(source),
    ...[metricTable, measurementTable, blockedTable, sampleTable].map((table) => table(analysis)),
    ...[attributionTable, leafBottleneckTable, bottleneckTable, issueTable].map((table) => table(source)),
  ];
}

const SLICES = { first_slice: 'integer', end_slice: 'integer' } as const;

/** One row per phase. A phase of no slices has `last_slice` before `first_slice`; the root's parent is empty. */
function phaseTable({ analysis: { model }, paths }: TableSource): Table {
  const { phases, phaseTypes, timesliceNs, firstSlice } = model;
  const columns = {
    ...({ path: 'text', type: 'text', parent: 'text', is_leaf: 'integer' } as const),
    ...({ first_slice: 'integer', last_slice: 'integer', start_ns: 'integer', end_ns: 'integer' } as const),
    seconds: 'real',
  } as const;
  const rows = paths.map((path, row) => {
    const first = firstSlice + at(phases.first, row);
    const length = at(phases.length, row);
    return {
      path,
      type: at(phaseTypes.paths, at(phases.type, row)),
      parent: row === phases.root ? '' : at(paths, at(phases.parent, row)),
      is_leaf: isLeaf(phases, row) ? 1 : 0,
      first_slice: first,
      last_slice: first + length - 1,
      start_ns: first * timesliceNs,
      end_ns: (first + length) * timesliceNs,
      seconds: (length * timesliceNs) / 1e9,
    };
  });
  return createTable('phases', columns, rows);
}

/** What each leaf used and could have used of each consumable metric, in the metric's unit: averages over each slice. */
function attributionTable({ analysis: { model, attribution }, paths }: TableSource): Table {
  const { phases, metrics, uses, firstSlice } = model;
  function* rows() {
    for (const [row, phase] of paths.entries()) {
      const length = at(phases.length, row);
      const first = firstSlice + at(phases.first, row);
      for (const [slot, index] of profileOf(uses, row).consumable.entries()) {
        const begin = at(attribution.start, row) + slot * length;
        const used = attribution.usage.subarray(begin, begin + length);
        const available = attribution.capacity.subarray(begin, begin + length);
        const isLike = (a: number, b: number): boolean => used[a] === used[b] && available[a] === available[b];
        for (const { from, to } of stretchesOf(length, isLike)) {
          const stretch = { first_slice: first + from, end_slice: first + to };
          const [usage, capacity] = [at(used, from), at(available, from)];
          yield { phase, metric: at(metrics, index).path, ...stretch, usage, capacity };
        }
      }
    }
  }
  return createTable(
    'attribution',
    { phase: 'text', metric: 'text', ...SLICES, usage: 'real', capacity: 'real' },
    rows(),
  );
}

/** When each leaf was bottlenecked on a type of metrics: `local` at what was available to it, `global` at the resource's capacity. */
function leafBottleneckTable({ analysis, paths }: TableSource): Table {
  function* rows() {
    for (const [row, phase] of paths.entries()) {
      if (!isLeaf(analysis.model.phases, row)) continue;
      for (const { state, ...stretch } of bottlenecked(analysis, row, analysis.leaves.typeStates)) {
        yield { phase, kind: state === LOCAL ? 'local' : 'global', ...stretch };
      }
    }
  }
  return createTable('leaf_bottlenecks', { phase: 'text', metric_type: 'text', kind: 'text', ...SLICES }, rows());
}

/** When each composite phase was bottlenecked on a type of metrics, by each predicate. */
function bottleneckTable({ analysis, paths }: TableSource): Table {
  function* rows() {
    for (const { predicate, states } of analysis.bottlenecks) {
      for (const [row, phase] of paths.entries()) {
        if (isLeaf(analysis.model.phases, row)) continue;
        for (const { state, ...stretch } of bottlenecked(analysis, row, states)) yield { predicate, phase, ...stretch };
      }
    }
  }
  return createTable('bottlenecks', { predicate: 'text', phase: 'text', metric_type: 'text', ...SLICES }, rows());
}

/** Stretches of one state other than none, per metric type that the phase uses. */
function* bottlenecked({ model, leaves: { typeStart } }: Analysis, row: number, states: Uint8Array) {
  const { phases, uses, resourceTypes, firstSlice } = model;
  const length = at(phases.length, row);
  const first = firstSlice + at(phases.first, row);
  for (const [slot, type] of typesUsed(uses, row).entries()) {
    const begin = at(typeStart, row) + slot * length;
    const metric_type = at(resourceTypes.metricTypes.paths, type);
    for (const { from, to, value: state } of equalStretches(states.subarray(begin, begin + length))) {
      if (state !== NO_BOTTLENECK) yield { state, metric_type, first_slice: first + from, end_slice: first + to };
    }
  }
}

/**
 * One row per issue, the largest impact first (ties in the order found). `pass` of a rule of your own is `custom:<rule>`;
 * `target` is a phase type, `source` a metric type, each empty where an issue has none; `percent_of_phase` is the impact's part
 * of the phase's length, NaN for a phase of no slices.
 */
function issueTable({ analysis: { model, issues }, paths }: TableSource): Table {
  const columns = {
    ...({ rank: 'integer', pass: 'text', phase: 'text', target: 'text', source: 'text' } as const),
    ...({ impact_slices: 'real', impact_seconds: 'real', percent_of_phase: 'real' } as const),
  };
  const rows = issues
    .toSorted((a, b) => b.impact - a.impact)
    .map((issue, index) => {
      const length = at(model.phases.length, issue.phase);
      return {
        rank: index + 1,
        pass: issue.pass === 'custom' ? `custom:${issue.rule}` : issue.pass,
        phase: at(paths, issue.phase),
        ...typesOf(issue, { model }),
        impact_slices: issue.impact,
        impact_seconds: (issue.impact * model.timesliceNs) / 1e9,
        percent_of_phase: length === 0 ? Number.NaN : (100 * issue.impact) / length,
      };
    });
  return createTable('issues', columns, rows);
}

/** One row per metric; capacities in the unit of its rates, none for blocking metrics. */
function metricTable({ model: { metrics, resourceTypes } }: Analysis): Table {
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

const METRIC_SLICES = { metric: 'text', ...SLICES } as const;
const TIMES = { ...METRIC_SLICES, start_ns: 'integer', end_ns: 'integer' } as const;

/** Average rates as measured: the part of each period inside the job. Periods that cover no slice are left out. */
function measurementTable({ model }: Analysis): Table {
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
function blockedTable({ model }: Analysis): Table {
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
function sampleTable({ model: { metrics, firstSlice }, attribution: { samples } }: Analysis): Table {
  function* rows() {
    for (const [index, { path }] of metrics.entries()) {
      for (const { from, to, value } of equalStretches(at(samples, index))) {
        yield { metric: path, first_slice: firstSlice + from, end_slice: firstSlice + to, value };
      }
    }
  }
  return createTable('samples', { ...METRIC_SLICES, value: 'real' }, rows());
}

function times({ firstSlice, timesliceNs }: Analysis['model'], from: number, to: number) {
  const [first, end] = [firstSlice + from, firstSlice + to];
  return { first_slice: first, end_slice: end, start_ns: first * timesliceNs, end_ns: end * timesliceNs };
}
