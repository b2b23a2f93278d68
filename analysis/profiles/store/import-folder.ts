import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { badInput, messageOf, type PredictError } from '../../../base/errors.ts';
import { own } from '../../../base/lists.ts';
import { PATH_NAME } from '../../../base/paths.ts';
import { type FileDigest, isSealed, knownDigest, newDigest, seal } from '../../../experiments/store/digest.ts';
import { readRegular } from '../../../experiments/store/regular.ts';

// STORE/imports/000001/: what one import wrote, whole. docs/profiles.md describes it for users.

export function importsFolder(store: string): string {
  return join(store, 'imports');
}

/** A hidden folder is one that an import is still filling, or did not finish. */
const IMPORT_NAME = /^\d{6,15}$/;
/** What is in the folder of an import; nodes and recursions by its parts. */
export const IMPORT_FILES = {
  manifest: 'import.json',
  profiles: 'profiles.parquet',
  names: 'names.parquet',
  modes: 'modes.parquet',
  nodes: (part: number): string => `nodes-${part}.parquet`,
  recursions: (part: number): string => `recursions-${part}.parquet`,
} as const;

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
  const path = join(folder, IMPORT_FILES.manifest);
  const manifest = await readManifest(path, folder);
  const { profiles, names, modes, nodes, recursions } = IMPORT_FILES;
  const parts = Array.from({ length: manifest.parts }, (_, part) => [nodes(part), recursions(part)]).flat();
  const needed = [profiles, names, modes, ...parts].find((name) => own(manifest.files, name) === undefined);
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
