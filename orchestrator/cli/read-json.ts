import { readFile } from 'node:fs/promises';
import { badInput, messageOf } from '../../base/index.ts';

/** A file that `flag` named, as JSON with or without a byte order mark. Errors: badInput. */
export async function readJson(path: string, flag: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    throw badInput(`${flag}: ${path} cannot be read as JSON (${messageOf(error)}).`, error);
  }
}
