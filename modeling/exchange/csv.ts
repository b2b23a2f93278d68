// Format: https://www.rfc-editor.org/rfc/rfc4180 with LF or CRLF, an optional BOM and a header line; no line breaks in fields.
import { at } from '../../base/at.ts';
import { badInput, csvFields, shortened } from '../../base/index.ts';
import { canonical, type Experiment } from './experiment.ts';
import { asMeasurement, experimentOf, planTable, type TablePlan, type TableRow, tableHeader } from './table.ts';
import { type Line, linesOf, parseFinite } from './text.ts';

/**
 * Reads measurements as rows: the measurement layout scale,n,bw,rep,ct, or the long form: a column per parameter, `value`,
 * and if need be `rep`, `callpath`, `metric`. Errors name the file, the line and the value.
 */
export function readExperimentCsv(text: string, source: string): Experiment {
  const all = linesOf(text, source);
  const [first, lines] = [at(all, 0), all.slice(1)];
  const header = fieldsOf(first, source);
  const plan = planTable(header, `${source}, line ${first.number}`);
  if (lines.length === 0)
    throw badInput(`${source} has a header but no rows: nothing was measured, or the file is truncated.`);
  return experimentOf(rowsOf(lines, { header, plan, source }), plan, source);
}

/** Writes the measurement layout where it holds everything, the long form elsewhere. */
export function writeExperimentCsv(experiment: Experiment): string {
  const valid = canonical(experiment, 'The experiment');
  const measurement = asMeasurement(valid);
  if (measurement) {
    const lines = measurement.points.flatMap(({ coordinate, values }) =>
      values.map((value, index) => `${coordinate.join(',')},${index + 1},${value}\n`),
    );
    return `scale,n,bw,rep,ct\n${lines.join('')}`;
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

function* rowsOf(
  lines: readonly Line[],
  { header, plan, source }: { readonly header: readonly string[]; readonly plan: TablePlan; readonly source: string },
): Generator<TableRow> {
  const needed = plan.isMeasurement
    ? Math.max(plan.value.index, ...plan.parameters.map(({ index }) => index)) + 1
    : header.length;
  for (const line of lines) {
    const fields = fieldsOf(line, source);
    const place = `line ${line.number}`;
    if (fields.length < needed || (!plan.isMeasurement && fields.length > needed)) {
      throw badInput(`${source}, ${place}: '${line.text.slice(0, 80)}' has ${fields.length} of ${needed} fields.`);
    }
    yield {
      place,
      text: (index) => at(fields, index),
      number: (index) => parseFinite(at(fields, index)),
    };
  }
}

function fieldsOf({ number, text }: Line, source: string): string[] {
  const fields = csvFields(text);
  if (fields !== null) return fields.map((field) => field.trim());
  throw badInput(`${source}, line ${number}: '${shortened(text)}' has an unclosed or undoubled quote.`);
}

function quoteField(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
