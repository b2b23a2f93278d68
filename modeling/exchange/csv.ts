// Format: https://www.rfc-editor.org/rfc/rfc4180 with LF or CRLF, an optional BOM and a header line; no line breaks in fields.

import { badInput } from '../../base/errors.ts';
import { csvFields } from '../../base/line-reader.ts';
import { at } from '../../base/lists.ts';
import { shortened } from '../../base/text.ts';
import { COLUMNS, communicationProblem, emptyRows, type Rows } from '../rows.ts';
import { canonical, type Experiment } from './experiment.ts';
import {
  asMeasurement,
  experimentOf,
  finiteAt,
  planTable,
  type TablePlan,
  type TableRow,
  tableHeader,
} from './plan-table.ts';
import { type Line, parseFinite, splitLines } from './read-text.ts';
import { timesOf } from './to-rows.ts';

/**
 * Reads measurements as rows: the measurement layout scale,n,bw[,threads],rep,ct, or the long form: a column per parameter, `value`,
 * and if need be `rep`, `callpath`, `metric`. Errors name the file, the line and the value.
 */
export function readExperimentCsv(text: string, source: string): Experiment {
  const { plan, rows } = tableOf(text, source);
  return experimentOf(rows, plan, source);
}

/**
 * The same as measurement rows, in the order of the file: scale, n (or nodes), bw (percent), ct (seconds) and if need be
 * threads (of each rank) and communication (seconds of ct), or a long form with these parameters.
 */
export function parseRowsCsv(text: string, source: string): Rows {
  const { header, plan, rows } = tableOf(text, source);
  if (plan.value.name === 'value') return timesOf(experimentOf(rows, plan, source), source);
  const known = header.map((name) => name.toLowerCase());
  const missing = COLUMNS.find(
    (name) => name !== 'threads' && !known.includes(name) && !(name === 'nodes' && known.includes('n')),
  );
  if (missing !== undefined) {
    const label = missing === 'nodes' ? 'n (or nodes)' : missing;
    throw badInput(`${source}, line 1: no column ${label} in '${header.join(',')}': add it to the header.`);
  }
  // A typed array cannot grow: as many places as lines of the shortest row, 1,1,1,1, could need; the rest is cut off.
  const all = emptyRows(Math.ceil(text.length / 8));
  const columns = [...plan.parameters, plan.value].map(({ name, index }) => ({
    ...{ name, index },
    column: all[name as (typeof COLUMNS)[number]],
  }));
  let length = 0;
  for (const row of rows) {
    for (const { column, ...place } of columns) column[length] = finiteAt(row, place, { plan, source });
    const { communication } = plan;
    if (communication !== null && row.text(communication) !== '') {
      all.communication[length] = communicationAt(row, communication, { ct: all.ct[length] ?? NaN, source });
    }
    length += 1;
  }
  const cut = (column: Float64Array): Float64Array => column.subarray(0, length);
  const [communication, ct] = [cut(all.communication), cut(all.ct)];
  return {
    length,
    scale: cut(all.scale),
    nodes: cut(all.nodes),
    bw: cut(all.bw),
    threads: cut(all.threads),
    ct,
    communication,
  };
}

/** A row may lack it. */
function communicationAt(
  row: TableRow,
  index: number,
  { ct, source }: { readonly ct: number; readonly source: string },
) {
  const value = row.number(index) ?? Number.NaN;
  const problem = communicationProblem(value, ct);
  if (problem === null) return value;
  throw badInput(`${source}, ${row.place}: communication is '${row.text(index)}': ${problem}.`);
}

/** Writes the measurement layout where it holds everything, the long form elsewhere. */
export function writeExperimentCsv(experiment: Experiment): string {
  const valid = canonical(experiment);
  const measurement = asMeasurement(valid);
  if (measurement) {
    const lines = measurement.only.points.flatMap(({ coordinate, values }) =>
      values.map((value, index) => `${coordinate.join(',')},${index + 1},${value}\n`),
    );
    return `${measurement.header.join(',')}\n${lines.join('')}`;
  }
  const header = tableHeader(valid, 'csv');
  const lines = [header.map(quoteField).join(',')];
  for (const { callpath, metric, points } of valid.series) {
    const names = [
      ...(header.includes('callpath') ? [quoteField(callpath)] : []),
      ...(header.includes('metric') ? [quoteField(metric)] : []),
    ];
    for (const { coordinate, values } of points) {
      for (const [index, value] of values.entries()) lines.push([...coordinate, index + 1, ...names, value].join(','));
    }
  }
  return `${lines.join('\n')}\n`;
}

function tableOf(text: string, source: string) {
  const lines = splitLines(text, source);
  const first: IteratorResult<Line, void> = lines.next();
  const line = first.value ?? { number: 1, text: '' };
  const header = fieldsOf(line, source).map((field) => field.trim());
  const plan = planTable(header, `${source}, line ${line.number}`);
  return { header, plan, rows: rowsOf(lines, { header, plan, source }) };
}

/** One by one: all at once would be a million texts. */
function* rowsOf(
  lines: Iterable<Line>,
  { header, plan, source }: { readonly header: readonly string[]; readonly plan: TablePlan; readonly source: string },
): Generator<TableRow> {
  const needed = plan.isMeasurement
    ? Math.max(plan.value.index, plan.communication ?? 0, ...plan.parameters.map(({ index }) => index)) + 1
    : header.length;
  let current: Line | null = null;
  let fields: readonly string[] = [];
  // Coordinates repeat from row to row, times do not.
  const known = new Map<string, number | null>();
  const text = (index: number): string => at(fields, index).trim();
  // One for all lines: it is asked before the next is read.
  const row: TableRow = {
    get place() {
      return `line ${current?.number}`;
    },
    text,
    number: (index) => {
      if (index === plan.value.index) return parseFinite(text(index));
      const field = at(fields, index);
      let value = known.get(field);
      if (value === undefined) {
        value = parseFinite(field.trim());
        known.set(field, value);
      }
      return value;
    },
  };
  for (const line of lines) {
    current = line;
    fields = fieldsOf(line, source);
    if (fields.length < needed || (!plan.isMeasurement && fields.length > needed)) {
      const start = line.text.slice(0, 80);
      throw badInput(`${source}, ${row.place}: '${start}' has ${fields.length} of ${needed} fields.`);
    }
    yield row;
  }
  if (current !== null) return;
  throw badInput(`${source} has a header but no rows: nothing was measured, or the file is truncated.`);
}

function fieldsOf({ number, text }: Line, source: string): string[] {
  const fields = csvFields(text);
  if (fields !== null) return fields;
  throw badInput(`${source}, line ${number}: '${shortened(text)}' has an unclosed or undoubled quote.`);
}

function quoteField(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
