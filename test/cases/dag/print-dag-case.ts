import { dagResult } from '../../../analysis/dag/explain/explained.ts';
import { DagJudge } from '../../../analysis/dag/judge/judge.ts';
import { type DagFlags, parseSaturation, parseThresholds } from '../../../orchestrator/cli/dag/dag-flags.ts';
import { note, printJson } from '../../../orchestrator/cli/print.ts';
import { readCaseJson } from '../case-file.ts';
import { type DagCase, readDagCase } from './read-dag-case.ts';

/** The bottlenecks of a case. What flags say takes the place of what it says. */
export async function printDagCase(path: string, flags: DagFlags): Promise<void> {
  const read = readDagCase(await readCaseJson(path), { saturation: parseSaturation(flags.saturation) });
  for (const text of read.notes) note(`predict: ${text}`);
  printJson(dagCaseResult({ ...read, thresholds: { ...read.thresholds, ...parseThresholds(flags) } }));
}

/** All that a case says, as plain data. */
export function dagCaseResult({ shape, thresholds, periods }: DagCase): ReturnType<typeof dagResult> {
  const judge = new DagJudge(shape, thresholds);
  for (const period of periods) judge.add(period);
  return dagResult(judge, new Map(shape.vertices.map(({ id, instances }) => [id, instances])));
}
