import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compareRuns, type Difference } from '../../../analysis/across/run-of-cell.ts';
import type { ModelChoice, RunChoice } from '../../../analysis/explain-campaign.ts';
import { analysisTables } from '../../../analysis/export/analysis-tables.ts';
import { toTsv } from '../../../analysis/export/create-table.ts';
import { renderChromeTrace } from '../../../analysis/export/write-chrome-trace.ts';
import { type Analysis, analyse } from '../../../analysis/grade10/analyse-phases.ts';
import { computeSamplingAccuracy, type SamplingError } from '../../../analysis/grade10/attribution/accuracy.ts';
import { renderResultJson } from '../../../analysis/grade10/result/result-json.ts';
import type { Platform } from '../../../analysis/platform/platform.ts';
import { readJob } from '../../../analysis/sources/logs/read-job.ts';
import { type Explained, explainCell } from '../../../analysis/sources/runs/explain-cell.ts';
import {
  componentLabel,
  costFindings,
  isBelowSlice,
  lastStep,
  type Part,
  type Summary,
  summarise,
} from '../../../analysis/sources/runs/summarise.ts';
import { badInput, unwritable } from '../../../base/errors.ts';
import { formatSeconds } from '../../../base/units.ts';
import { writeFileWhole } from '../../../experiments/store/whole.ts';
import { writeParquet } from '../../../experiments/store/write-table.ts';
import type { Flags } from '../flags.ts';
import { type Answer, left, note, noteAlike, print, printTable, right } from '../print.ts';
import { namedRun } from './find-cell.ts';
import { printThesisTables, thesisTables } from './thesis-tables.ts';

type Named = 'nodes' | 'job' | 'cell' | 'against' | 'program' | 'model' | 'slice' | 'trace' | 'export';

/** The options of `predict why --method grade10`, as given. */
export type Grade10Flags = Flags<'format', Named, 'sampling' | 'whole'>;

/** Explains a job that another program logged. */
export async function explainJob(
  folder: string,
  { platform, timesliceNs, flags }: ModelChoice & { readonly flags: Grade10Flags },
): Promise<Answer> {
  if (platform === undefined) throw badInput('--job needs --model: the name of a shipped model, or a YAML file.');
  const { model, warnings } = await readJob(folder, { platform, timesliceNs });
  const analysis = analyse(model, platform.analyseOptions(model));
  await save(analysis, { name: folder, flags });
  const summary = summarise(analysis, platform);
  const tables = thesisTables(analysis, platform);
  const say = (): void => {
    noteAlike(warnings);
    printSummary(summary, platform);
    printThesisTables(tables, platform);
  };
  return { pieces: renderResultJson(analysis, { name: folder, head: { summary, warnings, ...tables } }), say };
}

interface Options extends RunChoice {
  readonly flags: Grade10Flags & { readonly cell: string };
}

/** One measured run in detail, alone or against another. */
export async function explainOne(dir: string, { flags, ...choice }: Options): Promise<Answer> {
  const explain = async (wanted: string): Promise<Explained> => {
    const { good, record } = await namedRun(wanted, dir, choice);
    return await explainCell(good, record, good.options);
  };
  const { record, analysis, summary, warnings, platform, part } = await explain(flags.cell);
  const { cell } = record;
  const name = `${cell.nodes}:${cell.scale}:${cell.bw}:${cell.rep}`;
  await save(analysis, { name, flags });
  const before = flags.against === undefined ? null : await explain(flags.against);
  if (before && before.platform.name !== platform.name) {
    throw badInput(
      `The runs have the models ${before.platform.name} and ${platform.name}: choose one for both with --model.`,
    );
  }
  const differences = before && compareRuns(before.summary, summary);
  const tables = thesisTables(analysis, platform);
  const sampling = flags.sampling ? computeSamplingAccuracy(analysis.model) : null;
  const more = {
    ...(differences ? { against: before?.record.cell, differences } : {}),
    ...(sampling ? { sampling } : {}),
  };
  const head = { cell, part, summary, warnings, findings: costFindings(summary, platform), ...tables, ...more };
  const say = (): void => {
    noteAlike(warnings);
    if (part !== null) print(`The run ${part.words}.`);
    printSummary(summary, platform);
    if (!isBelowSlice(summary)) printThesisTables(tables, platform);
    if (differences) printDifferences(differences);
    if (sampling) printSampling(sampling);
  };
  return { pieces: renderResultJson(analysis, { name, head }), say };
}

/** One run in words: what its time went to, and what it could save. */
function printSummary(summary: Summary, platform: Platform): void {
  const { count, seconds, components, phases } = summary;
  const each = (all: number): string => formatSeconds(all / Math.max(1, count));
  const share = (part: Part): string => `${((part.seconds / Math.max(1e-12, seconds)) * 100).toFixed(0)} %`.padStart(5);
  const lines = (parts: readonly Part[], label: (name: string) => string): string =>
    parts.map((part) => `  ${share(part)}  ${each(part.seconds).padStart(8)}  ${label(part.name)}`).join('\n');
  if (isBelowSlice(summary)) {
    print(`${count} x ${summary.focus}, on average below a slice of ${formatSeconds(summary.sliceSeconds)}.`);
    return;
  }
  print(`${count} x ${summary.focus}, on average ${each(seconds)}.`);
  print(`\nBottlenecks:\n${lines(components, (name) => componentLabel(name, platform))}`);
  print(`\nTime by phase:\n${lines(phases, lastStep)}`);
  print('\nLargest possible savings, each alone with all else unchanged:');
  for (const { sentence } of costFindings(summary, platform).slice(0, 12)) print(`  ${sentence}`);
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
  print('\nMean error of samples (percent of the mean measurement) when k measurements are averaged:');
  printTable(errors, [
    left('metric', ({ metricType }) => metricType),
    left('method', ({ sampler }) => sampler),
    right('k', ({ every }) => every),
    right('interval', ({ intervalSeconds }) => formatSeconds(intervalSeconds)),
    right('error', ({ errorPercent }) => errorPercent?.toFixed(1) ?? '-'),
  ]);
}

/** Writes a trace for ui.perfetto.dev and an analysis as tables, as far as flags ask for them. */
async function save(
  analysis: Analysis,
  { name, flags }: { readonly name: string; readonly flags: Grade10Flags },
): Promise<void> {
  const { trace, export: folder, format } = flags;
  if (trace !== undefined) {
    await writeFileWhole(trace, renderChromeTrace(analysis, { name }));
    note(`predict: ${trace}: open it in https://ui.perfetto.dev.`);
  }
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw unwritable(folder, error);
  });
  const tables = analysisTables(analysis);
  for (const table of tables) {
    const path = join(folder, `${table.name}.${format}`);
    if (format === 'parquet') await writeParquet(path, table.columns);
    else await writeFileWhole(path, toTsv(table));
  }
  note(`predict: ${folder}: ${tables.map(({ name: table }) => table).join(', ')} as ${format}.`);
}
