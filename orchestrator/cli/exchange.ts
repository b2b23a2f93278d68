import { badInput } from '../../base/index.ts';
import { measuredRows, ofProgram, openCampaign, workloadOf, writeFileWhole } from '../../experiments/index.ts';
import * as exchange from '../../modeling/exchange/index.ts';
import type { Optional } from './flags.ts';
import { requireOneSource } from './flags.ts';
import { left, note, print, printJson, printPart, printTable, right } from './print.ts';

interface ExportFlags extends Optional<'data' | 'program' | 'format' | 'metric' | 'out'> {
  readonly json?: boolean;
}

interface ImportFlags extends ExportFlags, Optional<'callpath' | 'map'> {}

export async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const format = exchange.parseFormat(flags.format, file);
  const target =
    flags.out === undefined ? null : flags.out === '-' ? 'csv' : exchange.parseFormat(undefined, flags.out);
  const map = flags.map === undefined ? new Map() : exchange.parseParameterMap(flags.map);
  const experiment = exchange.selectSeries(await exchange.readExperiment(file, format), flags, file);
  const { parameters, series } = experiment;
  if (flags.out === undefined || target === null) {
    if (flags.json) printJson({ format, parameters, series: seriesSummaries(experiment), measurements: series });
    else printSeries(`${format} with the parameters ${parameters.join(', ')}`, experiment);
    return;
  }
  const chosen = exchange.chooseSeries(experiment, flags, file);
  const { rows, defaults } = exchange.seriesRows(experiment, chosen, { source: file, map });
  for (const [variable, value] of Object.entries(defaults)) {
    note(`${file} has no ${variable}: the rows get ${variable} ${value}. Use --map to name the parameter for it.`);
  }
  await writeFileWhole(flags.out, await exchange.encodeExperiment(exchange.experimentFromRows(rows), target));
  const shown = { parameters, series: [chosen] };
  if (flags.json) {
    printJson({ format, parameters, series: seriesSummaries(shown), measurements: shown.series, out: flags.out });
  } else {
    print(`${rows.length} rows of metric '${chosen.metric}', call path '${chosen.callpath}': ${flags.out}`);
  }
}

export async function exportFile(dir: string | undefined, flags: ExportFlags): Promise<void> {
  requireOneSource(dir, flags);
  if (flags.format === undefined && flags.out === undefined) {
    throw badInput(`Name a format: --format ${exchange.formatNames.join('|')}.`);
  }
  const format = exchange.parseFormat(flags.format, flags.out);
  if (flags.out === undefined && format === 'parquet') {
    throw badInput('Parquet is binary and cannot be shown in a terminal: add --out FILE.parquet.');
  }
  const source = dir ?? flags.data ?? '';
  const all =
    dir === undefined
      ? exchange.experimentFromRows(await exchange.readRowsFile(source))
      : await campaignExperiment(dir, flags.program);
  const chosen = exchange.selectSeries(all, { metric: flags.metric }, source);
  // The layout that fit reads has no column for a call path; Extra-P wants one.
  const isRows = (format === 'csv' || format === 'parquet') && chosen.series.every(({ metric }) => metric === 'ct');
  const series = chosen.series.map((one) => ({ ...one, callpath: isRows ? '' : one.callpath || 'main' }));
  const content = await exchange.encodeExperiment({ ...chosen, series }, format);
  const { parameters } = chosen;
  const summary = { format, out: flags.out ?? null, parameters, series: seriesSummaries({ parameters, series }) };
  if (flags.out === undefined) {
    if (flags.json) printJson({ ...summary, text: content });
    else printPart(String(content));
    return;
  }
  await writeFileWhole(flags.out, content);
  if (flags.json) printJson(summary);
  else printSeries(`${format}: ${flags.out}`, { parameters, series });
}

/** All timed searches: `ct` in seconds and, where the workload knows them, `teps`, as repetitions of their cell. */
async function campaignExperiment(dir: string, wanted: string | undefined): Promise<exchange.Experiment> {
  const open = await openCampaign(dir);
  const rows = measuredRows(dir, ofProgram(open.records, open, wanted));
  const { callpath } = workloadOf(open.campaign.workload);
  const measurements = rows.flatMap((row) =>
    (['ct', 'teps'] as const).flatMap((metric) => {
      const value = row[metric];
      return value === null ? [] : [{ callpath, metric, coordinate: [row.scale, row.nodes, row.bw], values: [value] }];
    }),
  );
  return exchange.gatherExperiment(['scale', 'nodes', 'bw'], measurements);
}

/** Of each series: points, repetitions of the point that has the fewest, and values of all points together. */
function seriesSummaries({ series }: exchange.Experiment) {
  return series.map(({ callpath, metric, points }) => {
    const counts = points.map(({ values }) => values.length);
    const repetitions = counts.reduce((least, count) => Math.min(least, count));
    return { callpath, metric, points: points.length, repetitions, values: counts.reduce((sum, count) => sum + count) };
  });
}

function printSeries(heading: string, experiment: exchange.Experiment): void {
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
