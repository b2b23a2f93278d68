import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { badInput, PredictError, unwritable } from '../../../base/errors.ts';
import { closeLocked, lockFile } from '../../../base/lock-file.ts';
import { openToWriteSync } from '../../../experiments/store/regular.ts';
import { writeFileWhole, writeFolderWhole } from '../../../experiments/store/whole.ts';
import { type ParquetColumn, writeParquet } from '../../../experiments/store/write-table.ts';
import type { StoredFacts, StoredProfile } from '../tree/call-profile.ts';
import { type CallTree, findLargest, findRecursionEdges, type NameTable, totalOf } from '../tree/call-tree.ts';
import { IMPORT_FILES, importFolders, importsFolder, manifestText } from './import-folder.ts';
import { columnsOfRows, type ProfileRow } from './profile-rows.ts';
import { listStore } from './read-store.ts';

/** So many nodes are written at once, where profiles are smaller. */
const PART_NODES = 1 << 20;
/** Of the name of an import's folder. */
const NUMBER_DIGITS = 6;

/**
 * Adds profiles to a store, which is made where it is missing: all of them or none, whatever ends the import. They come one after another, so that
 * no more than a part of them is in memory. Errors: badInput for a key that is there already, `busy` while another import writes,
 * `unwritable`, and whatever `profiles` throws.
 */
export async function addToStore(
  store: string,
  names: NameTable,
  profiles: AsyncIterable<StoredProfile>,
): Promise<void> {
  const lock = await lockStore(store);
  try {
    const newest = (await importFolders(store)).at(-1);
    const number = newest === undefined ? 1 : 1 + Number(basename(newest));
    const folder = join(importsFolder(store), String(number).padStart(NUMBER_DIGITS, '0'));
    const fresh = requireNew(store, await listStore(store), profiles);
    await writeFolderWhole(folder, (partial) => writeImport(partial, names, fresh));
  } finally {
    closeLocked(lock);
  }
}

/** Errors: `busy`, `unwritable`. */
async function lockStore(store: string): Promise<number> {
  try {
    await mkdir(importsFolder(store), { recursive: true });
    const path = join(store, '.lock');
    const file = openToWriteSync(path);
    if (await lockFile(file, path, { name: `The store ${store}`, waitS: 1 })) return file;
    closeLocked(file);
  } catch (error) {
    throw error instanceof PredictError ? error : unwritable(store, error);
  }
  throw new PredictError(`Another import writes to the store ${store}: wait for it to end.`, { kind: 'busy' });
}

/** Passes profiles on. Errors: badInput for one whose run or key is stored or came before in another import, and for none at all. */
async function* requireNew(
  store: string,
  stored: readonly StoredFacts[],
  profiles: AsyncIterable<StoredProfile>,
): AsyncGenerator<StoredProfile> {
  const runOf = ({ benchmark, testRun }: StoredFacts): string => JSON.stringify([benchmark, testRun]);
  const runs = new Set(stored.map(runOf));
  const keys = new Set(stored.map(({ key }) => key));
  for await (const profile of profiles) {
    if (keys.has(profile.key) || runs.has(runOf(profile))) {
      throw badInput(
        `${store} has a profile of the run '${profile.testRun}' of '${profile.benchmark}' already, and a run can be imported only once: give this one another --run.`,
      );
    }
    keys.add(profile.key);
    yield profile;
  }
  if (keys.size === stored.length) throw badInput(`There is no profile to add to ${store}.`);
}

/** Fills the folder of one import. */
async function writeImport(folder: string, names: NameTable, profiles: AsyncIterable<StoredProfile>): Promise<void> {
  const rows: ProfileRow[] = [];
  const modes: { readonly profile: number; readonly name: number; readonly mode: string; readonly own: number }[] = [];
  let parts = 0;
  for await (const part of partsOf(profiles)) {
    await writePart(folder, { part: parts, first: rows.length, profiles: part });
    for (const { tree, modes: own, ...facts } of part) {
      const profile = rows.length;
      const size = { nodes: tree.name.length, total: totalOf(tree), depth: findLargest(tree.depth) };
      rows.push({ ...facts, ...size, profile, part: parts });
      for (const mode of own) modes.push({ profile, ...mode });
    }
    parts += 1;
  }
  await writeParquet(join(folder, IMPORT_FILES.profiles), columnsOfRows(rows));
  await writeParquet(join(folder, IMPORT_FILES.names), [
    { name: 'name', type: 'small', values: [...names.texts().keys()] },
    { name: 'code_path', type: 'text', values: names.texts() },
  ]);
  await writeParquet(join(folder, IMPORT_FILES.modes), [
    { name: 'profile', type: 'small', values: modes.map(({ profile }) => profile) },
    { name: 'name', type: 'small', values: modes.map(({ name }) => name) },
    { name: 'mode', type: 'text', values: modes.map(({ mode }) => mode) },
    { name: 'own', type: 'real', values: modes.map(({ own }) => own) },
  ]);
  await writeFileWhole(join(folder, IMPORT_FILES.manifest), await manifestText(folder, parts));
}

/** Profiles together as long as they have few nodes. */
async function* partsOf(profiles: AsyncIterable<StoredProfile>): AsyncGenerator<readonly StoredProfile[]> {
  let part: StoredProfile[] = [];
  let nodes = 0;
  for await (const profile of profiles) {
    const more = profile.tree.name.length;
    if (nodes > 0 && nodes + more > PART_NODES) {
      yield part;
      part = [];
      nodes = 0;
    }
    part.push(profile);
    nodes += more;
  }
  if (part.length > 0) yield part;
}

/** The trees of profiles, one below the other; `first` is the number of the first profile. */
async function writePart(
  folder: string,
  {
    part,
    first,
    profiles,
  }: { readonly part: number; readonly first: number; readonly profiles: readonly StoredProfile[] },
): Promise<void> {
  const trees = profiles.map(({ tree }) => tree);
  const edges = trees.map(findRecursionEdges);
  const profileOf = (counts: readonly number[]): ParquetColumn =>
    stacked(
      'profile',
      'small',
      counts.map((count, index) => new Int32Array(count).fill(first + index)),
    );
  const ofTrees = (type: 'small' | 'real', ...columns: (keyof CallTree)[]): ParquetColumn[] =>
    columns.map((name) =>
      stacked(
        name,
        type,
        trees.map((tree) => tree[name]),
      ),
    );
  await writeParquet(join(folder, IMPORT_FILES.nodes(part)), [
    profileOf(trees.map(({ name }) => name.length)),
    stacked(
      'node',
      'small',
      trees.map(({ name }) => Int32Array.from(name.keys())),
    ),
    ...ofTrees('small', 'parent', 'name', 'depth'),
    ...ofTrees('real', 'own', 'total'),
  ]);
  await writeParquet(join(folder, IMPORT_FILES.recursions(part)), [
    profileOf(edges.map(({ to }) => to.length)),
    ...(['from', 'to', 'distance'] as const).map((name) =>
      stacked(
        name,
        'small',
        edges.map((one) => one[name]),
      ),
    ),
  ]);
}

/** A column that others make one below the other. */
function stacked(name: string, type: 'small' | 'real', columns: readonly ArrayLike<number>[]): ParquetColumn {
  const values = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const column of columns) {
    values.set(column, from);
    from += column.length;
  }
  return { name, type, values };
}
