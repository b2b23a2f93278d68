import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { answerProfileCase } from '../../../analysis/profiles/index.ts';
import { badInput, messageOf } from '../../../base/index.ts';
import { printJson } from '../print.ts';

/** `profiles --case FILE`: the answers as JSON, with and without --json. */
export async function profileCaseCommand({ case: path }: { readonly case?: string }, command: Command): Promise<void> {
  if (path === undefined) return command.help({ error: true });
  printJson(answerProfileCase(await readJson(path), path));
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    throw badInput(`--case: ${path} cannot be read as JSON (${messageOf(error)}).`, error);
  }
}
