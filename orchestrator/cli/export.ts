import { badInput } from '../../base/errors.ts';
import { measuredRows } from '../../experiments/store/observations.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { ofProgram } from '../../experiments/store/programs.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { type Experiment, gatherExperiment } from '../../modeling/exchange/experiment.ts';
import { encodeExperiment, formatNames, parseFormat, readRowsFile } from '../../modeling/exchange/formats.ts';
import { experimentFromRows, selectSeries } from '../../modeling/exchange/to-rows.ts';
import { type Optional, requireOneSource, type Switches } from './flags.ts';
import { printSeries, seriesSummaries } from './import-rows.ts';
import { printJson, printPart } from './print.ts';

type ExportFlags = Optional<'data' | 'program' | 'format' | 'metric' | 'out' | 'inventory'> & Switches;

/** What goes out that is no measurement. */
const DRIVER = 'graphalytics-driver';

export async function exportCommand(dir: string | undefined, flags: ExportFlags): Promise<void> {
  const { out, inventory, json } = flags;
  if (flags.format === DRIVER) {
    if (out === undefined) throw badInput(`--format ${DRIVER} needs --out: name the folder of the driver.`);
    return await (await import('./graph/driver.ts')).graphDriver(out, { inventory, json });
  }
  if (inventory !== undefined) throw badInput(`--inventory is for --format ${DRIVER}: leave it out.`);
  requireOneSource(dir, flags);
  if (flags.format === undefined && flags.out === undefined) {
    throw badInput(`Name a format: --format ${formatNames.join('|')}|${DRIVER}.`);
  }
  const format = parseFormat(flags.format, flags.out);
  if (flags.out === undefined && format === 'parquet') {
    throw badInput('Parquet is binary and cannot be shown in a terminal: add --out FILE.parquet.');
  }
  const source = dir ?? flags.data ?? '';
  const all =
    dir === undefined ? experimentFromRows(await readRowsFile(source)) : await campaignExperiment(dir, flags.program);
  const chosen = selectSeries(all, { metric: flags.metric }, source);
  // The layout that fit reads has no column for a call path; Extra-P wants one.
  const isRows = (format === 'csv' || format === 'parquet') && chosen.series.every(({ metric }) => metric === 'ct');
  const series = chosen.series.map((one) => ({ ...one, callpath: isRows ? '' : one.callpath || 'main' }));
  const content = await encodeExperiment({ ...chosen, series }, format);
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
async function campaignExperiment(dir: string, wanted: string | undefined): Promise<Experiment> {
  const open = await openCampaign(dir);
  const rows = measuredRows(dir, ofProgram(open.records, open, wanted));
  const { callpath } = workloadOf(open.campaign.workload);
  const measurements = rows.flatMap((row) =>
    (['ct', 'teps'] as const).flatMap((metric) => {
      const value = row[metric];
      return value === null ? [] : [{ callpath, metric, coordinate: [row.scale, row.nodes, row.bw], values: [value] }];
    }),
  );
  return gatherExperiment(['scale', 'nodes', 'bw'], measurements);
}
