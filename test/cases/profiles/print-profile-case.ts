import { ProfileFile } from '../../../analysis/profiles/formats/profile-file.ts';
import { printJson } from '../../../orchestrator/cli/print.ts';
import { answerProfileCase } from './answer-profile-case.ts';

/** The answers to the questions of a case. */
export async function printProfileCase(path: string): Promise<void> {
  const file = await ProfileFile.open(path, () => true);
  printJson(answerProfileCase(file?.json(), path));
}
