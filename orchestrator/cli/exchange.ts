import type { Command } from 'commander';
import type { Experiment } from '../../modeling/exchange/index.ts';
import { HELP } from './help.ts';
import { note, print, printJson, table } from './print.ts';

interface ImportFlags {
  readonly format?: string;
  readonly metric?: string;
  readonly callpath?: string;
  readonly map?: string;
  readonly out?: string;
  readonly json?: boolean;
}

interface ExportFlags {
  readonly data?: string;
  readonly format?: string;
  readonly metric?: string;
  readonly out?: string;
  readonly json?: boolean;
}

const FORMATS = 'csv, parquet, extrap-text, extrap-json or extrap-jsonl; by default what the name of the file tells';

export function registerExchange(program: Command): void {
  program
    .command('import')
    .description('read measurements of other programs, check them, and write the rows that fit reads')
    .argument('<file>', 'CSV, Parquet, or Extra-P text, JSON or JSON Lines')
    .option('--format <name>', FORMATS)
    .option('--metric <name>', 'only this metric; for --out the only one, time or ct by default')
    .option('--callpath <name>', 'only this call path')
    .option('--map <list>', 'which parameter is which variable: p=nodes,size=scale')
    .option('--out <file>', 'write one series as rows (scale,n,bw,rep,ct); the name tells the format')
    .option('--json', HELP.json)
    .addHelpText(
      'after',
      '\nExamples:\n  predict import app.txt --format extrap-text\n' +
        '  predict import app.json --metric time --callpath main --map p=nodes,size=scale --out rows.csv',
    )
    .action(importFile);
  program
    .command('export')
    .description('write measurements for other programs')
    .argument('[dir]', 'campaign folder')
    .option('--data <file>', 'rows from a file instead: CSV with columns scale,n,bw,rep,ct, or Parquet')
    .option('--format <name>', FORMATS)
    .option('--metric <name>', 'only ct (seconds) or only teps; with ct, csv and parquet are what fit reads')
    .option('--out <file>', 'where to write; stdout by default, but for parquet')
    .option('--json', HELP.json)
    .addHelpText(
      'after',
      '\nExamples:\n  predict export campaigns/first --format extrap-json --out first.json\n' +
        '  predict export --data runs.csv --format extrap-text',
    )
    .action(exportFile);
}

async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const exchange = await import('../../modeling/exchange/index.ts');
  const format = exchange.parseFormat(flags.format, file);
  const target = flags.out === undefined ? null : exchange.parseFormat(undefined, flags.out);
  const map = flags.map === undefined ? new Map() : exchange.parseParameterMap(flags.map);
  const experiment = exchange.selectSeries(await exchange.readExperiment(file, format), flags, file);
  const { parameters, series } = experiment;
  if (flags.out === undefined || target === null) {
    if (flags.json) printJson({ format, parameters, series: seriesSummaries(experiment), measurements: series });
    else print(`${format} with the parameters ${parameters.join(', ')}\n${seriesTable(experiment)}`);
    return;
  }
  const chosen = exchange.chooseSeries(experiment, flags, file);
  const { rows, defaults } = exchange.seriesRows(experiment, chosen, { source: file, map });
  for (const [variable, value] of Object.entries(defaults)) {
    note(`${file} names no ${variable}: the rows have ${variable} ${value}; --map names a parameter that is it.`);
  }
  const { writeFileWhole } = await import('../../experiments/index.ts');
  await writeFileWhole(flags.out, await exchange.encodeExperiment(exchange.experimentFromRows(rows, file), target));
  const shown = { parameters, series: [chosen] };
  if (flags.json) {
    printJson({ format, parameters, series: seriesSummaries(shown), measurements: shown.series, out: flags.out });
  } else {
    print(`${rows.length} rows of metric '${chosen.metric}', call path '${chosen.callpath}': ${flags.out}`);
  }
}

async function exportFile(dir: string | undefined, flags: ExportFlags): Promise<void> {
  const { badInput } = await import('../../base/index.ts');
  const exchange = await import('../../modeling/exchange/index.ts');
  if ((dir === undefined) === (flags.data === undefined)) {
    throw badInput('Name one source: a campaign folder, or --data FILE.csv.');
  }
  if (flags.format === undefined && flags.out === undefined) {
    throw badInput(`Name a format: --format ${exchange.formatNames.join('|')}.`);
  }
  const format = exchange.parseFormat(flags.format, flags.out);
  if (flags.out === undefined && format === 'parquet') {
    throw badInput('Parquet is no text for a terminal: add --out FILE.parquet.');
  }
  const source = dir ?? flags.data ?? '';
  const all =
    dir === undefined
      ? exchange.experimentFromRows(await exchange.readRowsFile(source), source)
      : await campaignExperiment(dir);
  const chosen = exchange.selectSeries(all, { metric: flags.metric }, source);
  // The layout that fit reads has no column for a call path; Extra-P wants one.
  const isRows = (format === 'csv' || format === 'parquet') && chosen.series.every(({ metric }) => metric === 'ct');
  const series = chosen.series.map((one) => ({ ...one, callpath: isRows ? '' : one.callpath || 'main' }));
  const content = await exchange.encodeExperiment({ ...chosen, series }, format);
  const { parameters } = chosen;
  const summary = { format, out: flags.out ?? null, parameters, series: seriesSummaries({ parameters, series }) };
  if (flags.out === undefined) {
    if (flags.json) printJson({ ...summary, text: content });
    else process.stdout.write(content);
    return;
  }
  const { writeFileWhole } = await import('../../experiments/index.ts');
  await writeFileWhole(flags.out, content);
  if (flags.json) printJson(summary);
  else print(`${format}: ${flags.out}\n${seriesTable({ parameters, series })}`);
}

/** All timed searches: `ct` in seconds and, where the workload knows them, `teps`, as repetitions of their cell. */
async function campaignExperiment(dir: string): Promise<Experiment> {
  const { badInput } = await import('../../base/index.ts');
  const { observations, readCampaign, workloadOf } = await import('../../experiments/index.ts');
  const { gatherExperiment } = await import('../../modeling/exchange/index.ts');
  const { workload } = await readCampaign(dir);
  const rows = await observations(dir);
  if (rows.length === 0) throw badInput(`${dir} has no measured cell yet: run its sweep first.`);
  const { callpath } = workloadOf(workload);
  const measurements = rows.flatMap((row) =>
    (['ct', 'teps'] as const).flatMap((metric) => {
      const value = row[metric];
      return value === null ? [] : [{ callpath, metric, coordinate: [row.scale, row.nodes, row.bw], values: [value] }];
    }),
  );
  return gatherExperiment(['scale', 'nodes', 'bw'], measurements, dir);
}

interface SeriesSummary {
  readonly callpath: string;
  readonly metric: string;
  readonly points: number;
  /** Of the point that has the fewest. */
  readonly repetitions: number;
  /** Of all points together. */
  readonly values: number;
}

function seriesSummaries({ series }: Experiment): SeriesSummary[] {
  return series.map(({ callpath, metric, points }) => {
    const counts = points.map(({ values }) => values.length);
    const repetitions = counts.reduce((least, count) => Math.min(least, count));
    return { callpath, metric, points: points.length, repetitions, values: counts.reduce((sum, count) => sum + count) };
  });
}

function seriesTable(experiment: Experiment): string {
  const shown = (name: string): string => (name === '' ? '(none)' : name);
  return table(seriesSummaries(experiment), [
    { title: 'call path', value: ({ callpath }) => shown(callpath) },
    { title: 'metric', value: ({ metric }) => shown(metric) },
    { title: 'points', value: ({ points }) => `${points}`, align: 'right' },
    { title: 'repetitions', value: ({ repetitions }) => `${repetitions}`, align: 'right' },
    { title: 'values', value: ({ values }) => `${values}`, align: 'right' },
  ]);
}
