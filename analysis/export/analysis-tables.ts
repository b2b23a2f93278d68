import type { Analysis } from '../grade10/analyse-phases.ts';
import { phasePath } from '../grade10/model/phases.ts';
import type { Table, TableSource } from './create-table.ts';
import { blockedTable, measurementTable, metricTable, sampleTable } from './metric-tables.ts';
import { attributionTable, bottleneckTable, issueTable, leafBottleneckTable, phaseTable } from './phase-tables.ts';

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
