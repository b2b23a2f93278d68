import { basename, resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { measuredRows } from '../../experiments/store/observations.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { ofProgram } from '../../experiments/store/programs.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { type Experiment, gatherExperiment } from '../../modeling/exchange/experiment.ts';
import {
  encodeExperiment,
  formatNames,
  parseFormat,
  readExperiment,
  readRowsFile,
} from '../../modeling/exchange/formats.ts';
import { writePrometheus } from '../../modeling/exchange/prometheus.ts';
import {
  chooseSeries,
  experimentFromRows,
  parseParameterMap,
  selectSeries,
  seriesRows,
  variablesOf,
} from '../../modeling/exchange/to-rows.ts';
import { rowsFrom } from '../../modeling/rows.ts';
import { type ImportFlags, type Optional, refuseFlags, requireOneSource, type Switches } from './flags.ts';
import { type Answer, left, note, print, printPart, printTable, right } from './print.ts';

/** Checks a file of measurements and says what is in it, or writes one series as rows that `--data` takes. */
export async function importRows([file = '', ...others]: readonly string[], flags: ImportFlags): Promise<Answer> {
  if (others.length > 0) throw badInput(`${file} is a file of measurements, which is imported alone: name no other.`);
  const format = parseFormat(flags.format, file);
  const target = flags.out === undefined ? null : flags.out === '-' ? 'csv' : parseFormat(undefined, flags.out);
  const map = flags.map === undefined ? new Map() : parseParameterMap(flags.map);
  const experiment = selectSeries(await readExperiment(file, format), flags, file);
  const { parameters, series } = experiment;
  if (flags.out === undefined || target === null) {
    return {
      json: { format, parameters, series: seriesSummaries(experiment), measurements: series },
      say: () => printSeries(`${format} with the parameters ${parameters.join(', ')}`, experiment),
    };
  }
  const chosen = chooseSeries(experiment, flags, file);
  const { rows, defaults } = seriesRows(experiment, chosen, { source: file, map });
  for (const [variable, value] of Object.entries(defaults)) {
    note(`${file} has no ${variable}: the rows get ${variable} ${value}. Use --map to name the parameter for it.`);
  }
  await writeFileWhole(flags.out, await encodeExperiment(experimentFromRows(rows), target));
  const shown = { parameters, series: [chosen] };
  const said = `${rows.length} rows of metric '${chosen.metric}', call path '${chosen.callpath}': ${flags.out}`;
  return {
    json: { format, parameters, series: seriesSummaries(shown), measurements: shown.series, out: flags.out },
    say: () => print(said),
  };
}

type ExportFlags = Optional<'data' | 'program' | 'format' | 'metric' | 'out' | 'inventory'> & Switches<'prometheus'>;

/** What goes out that is no measurement. */
const DRIVER = 'graphalytics-driver';

/** Writes the measurements of a campaign or a file in a format of another program. */
export async function exportCommand(dir: string | undefined, flags: ExportFlags): Promise<Answer | undefined> {
  const { out, inventory, json } = flags;
  if (flags.format === DRIVER) {
    if (out === undefined) throw badInput(`--format ${DRIVER} needs --out: name the folder of the driver.`);
    await (await import('./graph/driver.ts')).graphDriver(out, { inventory, json });
    return undefined;
  }
  refuseFlags(flags, ['inventory'], `is for --format ${DRIVER}: leave it out.`);
  requireOneSource(dir, flags);
  if (flags.prometheus) return await exportPrometheus(dir, flags);
  if (flags.format === undefined && out === undefined) {
    throw badInput(`Name a format: --format ${formatNames.join('|')}|${DRIVER}, or --prometheus.`);
  }
  const format = parseFormat(flags.format, out);
  if (out === undefined && format === 'parquet') {
    throw badInput('Parquet is binary and cannot be shown in a terminal: add --out FILE.parquet.');
  }
  const chosen = await chosenSeries(dir, flags);
  // The layout that fit reads has no column for a call path; Extra-P wants one.
  const isRows = (format === 'csv' || format === 'parquet') && chosen.series.every(({ metric }) => metric === 'ct');
  const series = chosen.series.map((one) => ({ ...one, callpath: isRows ? '' : one.callpath || 'main' }));
  const content = await encodeExperiment({ ...chosen, series }, format);
  const shown = { parameters: chosen.parameters, series };
  const summary = { format, out: out ?? null, parameters: chosen.parameters, series: seriesSummaries(shown) };
  if (out === undefined) return { json: { ...summary, text: content }, say: () => printPart(String(content)) };
  await writeFileWhole(out, content);
  return { json: summary, say: () => printSeries(`${format}: ${out}`, shown) };
}

async function chosenSeries(dir: string | undefined, { data, program, metric }: ExportFlags): Promise<Experiment> {
  const source = dir ?? data ?? '';
  const all =
    dir === undefined ? experimentFromRows(await readRowsFile(source)) : await campaignExperiment(dir, program);
  return selectSeries(all, { metric }, source);
}

/** The medians, for a dashboard. */
async function exportPrometheus(dir: string | undefined, flags: ExportFlags): Promise<Answer> {
  refuseFlags(flags, ['format'], 'names another format than --prometheus: leave one of them out.');
  const { out, data = '' } = flags;
  const chosen = await chosenSeries(dir, flags);
  const text = writePrometheus(chosen, { campaign: basename(resolve(dir ?? data)) });
  const json = { format: 'prometheus', out: out ?? null, series: seriesSummaries(chosen) };
  if (out === undefined) return { json: { ...json, text }, say: () => printPart(text) };
  await writeFileWhole(out, text);
  return { json, say: () => printSeries(`prometheus: ${out}`, chosen) };
}

/** All timed searches: `ct` in seconds and, where the workload knows them, `teps`, as repetitions of their cell. */
async function campaignExperiment(dir: string, wanted: string | undefined): Promise<Experiment> {
  const open = await openCampaign(dir);
  const records = ofProgram(open.records, open, wanted, { overThreads: true });
  const rows = measuredRows(dir, records);
  const callpath = workloadOf(open.campaign.workload).callpath(records[0]?.cell.params ?? {});
  const variables = variablesOf(rowsFrom(rows));
  const coordinateOf = (row: (typeof rows)[number]): number[] => variables.map((variable) => row[variable] ?? 1);
  const measurements = rows.flatMap((row) =>
    (['ct', 'teps'] as const).flatMap((metric) => {
      const value = row[metric];
      return value === null ? [] : [{ callpath, metric, coordinate: coordinateOf(row), values: [value] }];
    }),
  );
  return gatherExperiment(variables, measurements);
}

/** Of each series: points, repetitions of the point that has the fewest, and values of all points together. */
function seriesSummaries({ series }: Experiment) {
  return series.map(({ callpath, metric, points }) => {
    const counts = points.map(({ values }) => values.length);
    const repetitions = counts.reduce((least, count) => Math.min(least, count));
    return { callpath, metric, points: points.length, repetitions, values: counts.reduce((sum, count) => sum + count) };
  });
}

function printSeries(heading: string, experiment: Experiment): void {
  const shown = (name: string): string => (name === '' ? '(none)' : name);
  print(heading);
  printTable(seriesSummaries(experiment), [
    left('call path', ({ callpath }) => shown(callpath)),
    left('metric', ({ metric }) => shown(metric)),
    right('points', ({ points }) => points),
    right('repetitions', ({ repetitions }) => repetitions),
    right('values', ({ values }) => values),
  ]);
}
