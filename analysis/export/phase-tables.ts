import { at } from '../../base/index.ts';
import { type Analysis, isLeaf, LOCAL, NO_BOTTLENECK, profileOf, typesUsed } from '../grade10/index.ts';
import { runsOf, valueRuns } from './runs.ts';
import { createTable, type Table, type TableSource } from './table.ts';

/** One row per phase. A phase of no slices has `last_slice` before `first_slice`; the root's parent is empty. */
export function phaseTable({ analysis: { model }, paths }: TableSource): Table {
  const { phases, phaseTypes, timesliceNs, firstSlice } = model;
  return createTable(
    'phases',
    {
      path: 'text',
      type: 'text',
      parent: 'text',
      is_leaf: 'integer',
      first_slice: 'integer',
      last_slice: 'integer',
      start_ns: 'integer',
      end_ns: 'integer',
      seconds: 'real',
    },
    paths.map((path, row) => {
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
    }),
  );
}

/** What each leaf used and could have used of each consumable metric, in the metric's unit: averages over each slice. */
export function attributionTable(source: TableSource): Table {
  return createTable(
    'attribution',
    {
      phase: 'text',
      metric: 'text',
      first_slice: 'integer',
      end_slice: 'integer',
      usage: 'real',
      capacity: 'real',
    },
    attributionRows(source),
  );
}

function* attributionRows({ analysis: { model, attribution }, paths }: TableSource) {
  const { phases, metrics, uses, firstSlice } = model;
  for (const [row, phase] of paths.entries()) {
    const length = at(phases.length, row);
    const first = firstSlice + at(phases.first, row);
    for (const [slot, index] of profileOf(uses, row).consumable.entries()) {
      const begin = at(attribution.start, row) + slot * length;
      const usage = attribution.usage.subarray(begin, begin + length);
      const capacity = attribution.capacity.subarray(begin, begin + length);
      const metric = at(metrics, index).path;
      const isLike = (a: number, b: number): boolean => usage[a] === usage[b] && capacity[a] === capacity[b];
      for (const { from, to } of runsOf(length, isLike)) {
        yield {
          phase,
          metric,
          first_slice: first + from,
          end_slice: first + to,
          usage: at(usage, from),
          capacity: at(capacity, from),
        };
      }
    }
  }
}

/** When each leaf was bottlenecked on a type of metrics: `local` at what was available to it, `global` at the resource's capacity. */
export function leafBottleneckTable({ analysis, paths }: TableSource): Table {
  const columns = {
    phase: 'text',
    metric_type: 'text',
    kind: 'text',
    first_slice: 'integer',
    end_slice: 'integer',
  } as const;
  const { phases } = analysis.model;
  function* rows() {
    for (const [row, phase] of paths.entries()) {
      if (!isLeaf(phases, row)) continue;
      for (const { state, ...run } of bottleneckRuns(analysis, row, analysis.leaves.typeStates)) {
        yield { phase, kind: state === LOCAL ? 'local' : 'global', ...run };
      }
    }
  }
  return createTable('leaf_bottlenecks', columns, rows());
}

/** When each composite phase was bottlenecked on a type of metrics, by each predicate. */
export function bottleneckTable({ analysis, paths }: TableSource): Table {
  const columns = {
    predicate: 'text',
    phase: 'text',
    metric_type: 'text',
    first_slice: 'integer',
    end_slice: 'integer',
  } as const;
  const { phases } = analysis.model;
  function* rows() {
    for (const { predicate, states } of analysis.bottlenecks) {
      for (const [row, phase] of paths.entries()) {
        if (isLeaf(phases, row)) continue;
        for (const { state, ...run } of bottleneckRuns(analysis, row, states)) yield { predicate, phase, ...run };
      }
    }
  }
  return createTable('bottlenecks', columns, rows());
}

/** Runs of one state other than none, per metric type that the phase uses. */
function* bottleneckRuns({ model, leaves: { typeStart } }: Analysis, row: number, states: Uint8Array) {
  const { phases, uses, resourceTypes, firstSlice } = model;
  const length = at(phases.length, row);
  const first = firstSlice + at(phases.first, row);
  for (const [slot, type] of typesUsed(uses, row).entries()) {
    const begin = at(typeStart, row) + slot * length;
    const metric_type = at(resourceTypes.metricTypes.paths, type);
    for (const { from, to, value } of valueRuns(states.subarray(begin, begin + length))) {
      if (value !== NO_BOTTLENECK)
        yield { state: value, metric_type, first_slice: first + from, end_slice: first + to };
    }
  }
}
