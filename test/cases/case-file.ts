import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { badInput, messageOf } from '../../base/errors.ts';

/** Endings that the name of a case may leave out. */
const ENDINGS = ['.json', '.jsonl', '.jsonl.gz'] as const;
/** What lies beside the input of a case. */
const BESIDE = /expected|\.meta\.json|\.md|\.csv$/;

/**
 * The file that holds a case: the path itself, or of a folder its `input.*`, else its only file that is no reference output, no
 * description and no copy as CSV. Errors: badInput where there is none, or there are several.
 */
export function findCaseFile(path: string): string {
  const found = ['', ...ENDINGS].map((ending) => path + ending).find((each) => existsSync(each));
  if (found === undefined) throw badInput(`${path} does not exist: name the folder of a case, or its file.`);
  if (!statSync(found).isDirectory()) return found;
  const names = readdirSync(found).sort();
  const inputs = names.filter((name) => name.startsWith('input.') && !BESIDE.test(name));
  const candidates = inputs.length > 0 ? inputs : names.filter((name) => !BESIDE.test(name));
  const [only, another] = candidates;
  if (only === undefined) throw badInput(`${path} has no case: name a folder with an input.json, or a file.`);
  if (another !== undefined) throw badInput(`${path} has several cases (${candidates.join(', ')}): name one file.`);
  return join(found, only);
}

/** A case as JSON with or without a byte order mark. Errors: badInput. */
export async function readCaseJson(path: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    throw badInput(`${path} cannot be read as JSON (${messageOf(error)}).`, error);
  }
}
