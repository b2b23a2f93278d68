import type { Command } from 'commander';
import { answerProfileCase, ProfileFile } from '../../../analysis/profiles/index.ts';
import { badInput, shortened } from '../../../base/index.ts';
import { printJson } from '../print.ts';

/** The answers to a case as JSON, with and without --json. It is also what `profiles` does with a word that is no command of its. */
export async function profileCaseCommand(
  words: readonly string[],
  { case: path }: { readonly case?: string },
  command: Command,
): Promise<void> {
  const [word] = words;
  if (word !== undefined)
    throw badInput(`profiles: there is no command '${shortened(word)}' (predict profiles --help).`);
  if (path === undefined) return command.parent?.help({ error: true });
  const file = await ProfileFile.open(path, () => true);
  printJson(answerProfileCase(file?.json(), path));
}
