import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { badInput, messageOf, PredictError, unwritable } from '../../../base/errors.ts';
import { own } from '../../../base/lists.ts';
import { closeLocked, lockFile } from '../../../base/lock-file.ts';
import { PATH_NAME } from '../../../base/paths.ts';
import { type FileDigest, isSealed, knownDigest, newDigest, seal } from '../../../experiments/store/digest.ts';
import { openToWriteSync, readRegular } from '../../../experiments/store/regular.ts';

const SCHEMA = 1;
const count = z.int().min(0);
/** Of an import: far more than any fills. */
const MOST_PARTS = 10_000;
const manifestSchema = z.object({
  schema: z.literal(SCHEMA),
  parts: count.max(MOST_PARTS),
  files: z.record(z.string().regex(PATH_NAME), z.object({ bytes: count, sha256: z.string() })),
});

/** What an import wrote: its files, each known by size and SHA-256. */
type Manifest = z.infer<typeof manifestSchema>;

/** The manifest of a folder whose files are all there. */
export async function manifestText(folder: string, parts: number): Promise<string> {
  const files: Record<string, FileDigest> = {};
  for (const name of (await readdir(folder)).sort()) files[name] = await newDigest(join(folder, name));
  return `${JSON.stringify(seal({ schema: SCHEMA, parts, files }), null, 2)}\n`;
}

/** The folders of imports, oldest first. Errors: badInput where there is no store. */
export async function importFolders(store: string): Promise<readonly string[]> {
  try {
    const names = await readdir(importsFolder(store));
    return names
      .filter((name) => IMPORT_NAME.test(name))
      .sort((a, b) => Number(a) - Number(b))
      .map((name) => join(importsFolder(store), name));
  } catch (error) {
    throw badInput(
      `${store} is not a store of profiles (${messageOf(error)}): 'predict import FILE --into ${store}' makes one.`,
      error,
    );
  }
}

/** The manifest of an import, after all its files, or `only` one, were found as it says. Errors: badInput names the first that is not. */
export async function checkedManifest(folder: string, only?: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  const manifest = await readManifest(path, folder);
  const parts = Array.from({ length: manifest.parts }, (_, part) => [nodesFile(part), recursionsFile(part)]).flat();
  const needed = [PROFILES, NAMES, MODES, ...parts].find((name) => !lists(manifest, name));
  if (needed !== undefined) throw damagedImport(path, `does not name ${needed}`, folder);
  for (const [name, expected] of Object.entries(manifest.files)) {
    if (only !== undefined && name !== only) continue;
    const file = join(folder, name);
    const found = await knownDigest(file).catch((error: unknown) => {
      throw damagedImport(file, `cannot be read (${messageOf(error)})`, folder, error);
    });
    if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256) {
      throw damagedImport(file, 'was changed after it was written', folder);
    }
  }
  return manifest;
}

/** Whether a manifest lists a file. */
function lists({ files }: Manifest, name: string): boolean {
  return own(files, name) !== undefined;
}

export function damagedImport(path: string, problem: string, folder: string, cause?: unknown): PredictError {
  return badInput(
    `${path} ${problem}: restore it from a copy, or remove the folder ${basename(folder)} beside the other imports and import its profiles again.`,
    cause,
  );
}

async function readManifest(path: string, folder: string): Promise<Manifest> {
  let data: unknown;
  try {
    data = JSON.parse((await readRegular(path)).toString('utf8'));
  } catch (error) {
    throw damagedImport(path, `cannot be read (${messageOf(error)})`, folder, error);
  }
  const parsed = manifestSchema.safeParse(data);
  if (!parsed.success || !isSealed(data)) throw damagedImport(path, 'was changed after it was written', folder);
  return parsed.data;
}

/** Takes a lock of a store, which is made where it is missing; null where another command has had it for `waitS` seconds. Errors: `unwritable`. */
export async function lockOfStore(
  store: string,
  lock: string,
  options: { readonly name: string; readonly waitS: number },
): Promise<number | null> {
  try {
    await mkdir(importsFolder(store), { recursive: true });
    const path = join(store, lock);
    const file = openToWriteSync(path);
    if (await lockFile(file, path, options)) return file;
    closeLocked(file);
    return null;
  } catch (error) {
    throw error instanceof PredictError ? error : unwritable(store, error);
  }
}

// STORE/imports/000001/: what one import wrote, whole. docs/profiles.md describes it for users.

const importsFolder = (store: string): string => join(store, 'imports');
export const importFolder = (store: string, number: number): string => {
  return join(importsFolder(store), String(number).padStart(NUMBER_DIGITS, '0'));
};
const NUMBER_DIGITS = 6;

/** A hidden folder is one that an import is still filling, or did not finish. */
const IMPORT_NAME: RegExp = /^\d{6,15}$/;
/** What is in the folder of an import, by its parts. */
export const MANIFEST = 'import.json';
export const PROFILES = 'profiles.parquet';
export const NAMES = 'names.parquet';
export const MODES = 'modes.parquet';
export const nodesFile = (part: number): string => `nodes-${part}.parquet`;
export const recursionsFile = (part: number): string => `recursions-${part}.parquet`;
