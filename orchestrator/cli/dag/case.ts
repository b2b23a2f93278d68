import { dagCaseResult, readDagCase } from '../../../analysis/dag/index.ts';
import { note, printJson } from '../print.ts';
import { readJson } from '../read-json.ts';
import { type DagFlags, parseSaturation, parseThresholds } from './flags.ts';

/** The bottlenecks of a case as JSON. What flags say takes the place of what it says. */
export async function dagOfCase(path: string, flags: DagFlags): Promise<void> {
  const read = readDagCase(await readJson(path, '--case'), { saturation: parseSaturation(flags.saturation) });
  const dagCase = { ...read, thresholds: { ...read.thresholds, ...parseThresholds(flags) } };
  for (const text of dagCase.notes) note(`predict: ${text}`);
  printJson(dagCaseResult(dagCase));
}
