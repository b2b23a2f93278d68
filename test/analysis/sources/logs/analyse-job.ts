import { join } from 'node:path';
import { type Analysis, analyse } from '../../../../analysis/grade10/analyse-phases.ts';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { readJob } from '../../../../analysis/sources/logs/read-job.ts';
import { type CaseOutput, outputOf } from '../../case-output.ts';
import { textFolder } from './text-folder.ts';

export interface JobResults {
  readonly analysis: Analysis;
  readonly output: CaseOutput;
  readonly warnings: readonly string[];
}

/** Analyses the job in a folder as the model file in it (or a shipped model) says. */
export async function analyseFolder(folder: string, model = join(folder, 'model.yaml')): Promise<JobResults> {
  const platform = await loadPlatform(model);
  const job = await readJob(folder, { platform });
  const analysis = analyse(job.model, platform.analyseOptions(job.model));
  return { analysis, output: outputOf({ name: '' }, analysis), warnings: job.warnings };
}

/** The same for `model.yaml`, `phases.csv`, `rates.csv` and `waits.csv` given as texts. */
export async function analyseTexts(files: Readonly<Record<string, string>>): Promise<JobResults> {
  return analyseFolder(await textFolder(files));
}
