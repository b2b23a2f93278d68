import { badInput } from '../../../base/index.ts';
import { withFile } from '../flags.ts';
import { note, printJson } from '../print.ts';
import { readJson } from '../read-json.ts';
import { type DagFlags, parseSaturation, parseThresholds } from './flags.ts';

/** What only watched runs can be asked. */
const OF_RUNS = ['target', 'size', 'price', 'out', 'trace'] as const;

/** Watched runs of a job, or a case: whichever was named. */
export async function dagCommand(named: readonly string[], given: DagFlags): Promise<void> {
  const { dir, flags } = withFile(named[0], given);
  const runs = dir === undefined ? named.slice(1) : named;
  if (runs.length > 0 === (flags.case !== undefined)) {
    throw badInput("Name one source: folders of runs that 'predict watch' wrote, or --case FILE.json.");
  }
  if (flags.case === undefined) return await (await import('./runs.ts')).dagOfRuns(runs, flags);
  const flag = OF_RUNS.find((one) => flags[one] !== undefined);
  if (flag !== undefined) throw badInput(`--${flag} is for watched runs: name their folders instead of a case.`);
  await dagOfCase(flags.case, flags);
}

/** The bottlenecks of a case. What flags say takes the place of what it says. */
async function dagOfCase(path: string, flags: DagFlags): Promise<void> {
  const { dagCaseResult, readDagCase } = await import('../../../analysis/dag/index.ts');
  const read = readDagCase(await readJson(path, '--case'), { saturation: parseSaturation(flags.saturation) });
  const dagCase = { ...read, thresholds: { ...read.thresholds, ...parseThresholds(flags) } };
  for (const text of read.notes) note(`predict: ${text}`);
  if (flags.json) printJson(dagCaseResult(dagCase));
  else (await import('./print-runs.ts')).printCase(dagCase);
}
