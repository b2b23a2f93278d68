import { analyse, type ModelChoice, readJob, resultJson, summarise } from '../../../analysis/index.ts';
import { badInput } from '../../../base/index.ts';
import { noteAlike, printPieces } from '../print.ts';

import type { Grade10Flags } from './flags.ts';
import { printSummary } from './print-summary.ts';
import { saveTables, saveTrace } from './save.ts';

/** Explains a job that another program logged. */
export async function explainJob(
  folder: string,
  { platform, timesliceNs, flags }: ModelChoice & { readonly flags: Grade10Flags },
): Promise<void> {
  if (platform === undefined) throw badInput('--job needs --model: the name of a shipped model, or a YAML file.');
  const { model, warnings } = await readJob(folder, { platform, timesliceNs });
  const analysis = analyse(model, platform.analyseOptions(model));
  await saveTrace(flags.trace, analysis, folder);
  await saveTables(flags.export, analysis, flags.format);
  const summary = summarise(analysis, platform);
  if (flags.json) return await printPieces(resultJson(analysis, { name: folder, head: { summary, warnings } }));
  noteAlike(warnings);
  printSummary(summary, platform);
}
