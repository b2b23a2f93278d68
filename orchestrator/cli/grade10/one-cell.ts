import {
  compareRuns,
  costFindings,
  type Difference,
  type Explained,
  explainCell,
  goodRuns,
  type RunChoice,
  resultJson,
  type SamplingError,
  samplingAccuracy,
} from '../../../analysis/index.ts';
import { badInput, formatSeconds } from '../../../base/index.ts';
import { openCampaign } from '../../../experiments/index.ts';
import { left, noteAlike, print, printPieces, printTable, right } from '../print.ts';
import { findCell } from './find-cell.ts';
import type { Grade10Flags } from './flags.ts';
import { printSummary } from './print-summary.ts';
import { saveTables, saveTrace } from './save.ts';

interface Options extends RunChoice {
  readonly flags: Grade10Flags & { readonly cell: string };
}

/** One measured run in detail, alone or against another. */
export async function explainOne(dir: string, { flags, ...choice }: Options): Promise<void> {
  const explain = async (from: string, wanted: string): Promise<Explained> => {
    const good = await goodRuns(await openCampaign(from), choice);
    return await explainCell(good, findCell(good, wanted), good.options);
  };
  const explained = await explain(dir, flags.cell);
  const { record, analysis, summary, warnings } = explained;
  const name = `${record.cell.nodes}:${record.cell.scale}:${record.cell.bw}:${record.cell.rep}`;
  await saveTrace(flags.trace, analysis, name);
  await saveTables(flags.export, analysis, flags.format);
  const before = flags.against === undefined ? null : await explain(...placeOf(flags.against, dir));
  if (before && before.platform.name !== explained.platform.name) {
    throw badInput(
      `The runs have the models ${before.platform.name} and ${explained.platform.name}: choose one for both with --model.`,
    );
  }
  const differences = before && compareRuns(before.summary, summary);
  const sampling = flags.sampling ? samplingAccuracy(analysis.model) : null;
  if (flags.json) {
    const { cell } = record;
    const more = {
      ...(differences ? { against: before?.record.cell, differences } : {}),
      ...(sampling ? { sampling } : {}),
    };
    const findings = costFindings(summary, explained.platform);
    const head = { cell, summary, warnings, findings, ...more };
    return await printPieces(resultJson(analysis, { name, head }));
  }
  noteAlike(warnings);
  printSummary(summary, explained.platform);
  if (differences) printDifferences(differences);
  if (sampling) printSampling(sampling);
}

/** `DIR:CELL`, or a cell of the same campaign; settings have colons of their own. */
export function placeOf(text: string, dir: string): [dir: string, cell: string] {
  const [end = '', cell = ''] = /:((?:\d+:\d+:[\d.]+(?::\d+)?)|[0-9a-f]{16})$/.exec(text) ?? [];
  const other = text.slice(0, text.length - end.length);
  return cell !== '' && /\D/.test(other) ? [other, cell] : [dir, text];
}

function printDifferences(differences: readonly Difference[]): void {
  const signed = (value: number): string => `${value < 0 ? '-' : '+'}${formatSeconds(Math.abs(value))}`;
  print('\nChanges since the other run:');
  printTable(differences.filter(({ kind, change }) => kind === 'total' || Math.abs(change) > 0).slice(0, 24), [
    left('what', ({ kind }) => kind),
    right('before', ({ before }) => formatSeconds(before)),
    right('after', ({ after }) => formatSeconds(after)),
    right('change', ({ change }) => signed(change)),
    left('of', ({ name }) => name),
  ]);
}

function printSampling(errors: readonly SamplingError[]): void {
  const every = [...new Set(errors.map((error) => error.every))];
  const rows = [...new Set(errors.map(({ metricType, sampler }) => `${metricType} ${sampler}`))];
  const cell = (row: string, k: number): SamplingError | undefined =>
    errors.find(({ metricType, sampler, every: own }) => `${metricType} ${sampler}` === row && own === k);
  print('\nMean error of samples (percent of the mean measurement) when k measurements are averaged:');
  const interval = (k: number): string =>
    formatSeconds(errors.find((error) => error.every === k)?.intervalSeconds ?? 0);
  printTable(rows, [
    left('metric and method', (row) => row),
    ...every.map((k) =>
      right<string>(`k=${k} (${interval(k)})`, (row) => cell(row, k)?.errorPercent?.toFixed(1) ?? '-'),
    ),
  ]);
}
