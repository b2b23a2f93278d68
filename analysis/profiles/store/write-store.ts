import { basename, join } from 'node:path';
import { badInput, PredictError } from '../../../base/errors.ts';
import { closeLocked } from '../../../base/lock-file.ts';
import { writeFileWhole, writeFolderWhole } from '../../../experiments/store/whole.ts';
import { type ParquetColumn, writeParquet } from '../../../experiments/store/write-table.ts';
import type { ModeSamples, StoredFacts, StoredProfile } from '../tree/call-profile.ts';
import { type CallTree, findLargest, findRecursionEdges, type NameTable, totalOf } from '../tree/call-tree.ts';
import {
  importFolder,
  importFolders,
  lockOfStore,
  MANIFEST,
  MODES,
  manifestText,
  NAMES,
  nodesFile,
  PROFILES,
  recursionsFile,
} from './manifest.ts';
import { columnsOfRows, type ProfileRow } from './profile-rows.ts';
import { listStore } from './read-store.ts';

/** So many nodes are written at once, where profiles are smaller. */
const PART_NODES = 1 << 20;

/**
 * Adds profiles to a store, which is made where it is missing: all of them or none, whatever ends the import. They come one after another, so that
 * no more than a part of them is in memory. Errors: badInput for a key that is there already, `busy` while another import writes,
 * `unwritable`, and whatever `profiles` throws.
 */
export async function addToStore(
  store: string,
  names: NameTable,
  profiles: AsyncIterable<StoredProfile>,
): Promise<{ readonly folder: string; readonly keys: readonly string[] }> {
  const lock = await lockOfStore(store, '.lock', { name: `The store ${store}`, waitS: 1 });
  if (lock === null) {
    throw new PredictError(`Another import writes to the store ${store}: wait for it to end.`, { kind: 'busy' });
  }
  try {
    const folders = await importFolders(store);
    const stored = await listStore(store);
    const taken = new Set(stored.map(({ key }) => key));
    const runs = new Set(stored.map(runOf));
    const folder = importFolder(store, 1 + Number(basename(folders.at(-1) ?? '0')));
    const keys: string[] = [];
    await writeFolderWhole(folder, async (partial) => {
      const writer = new ImportWriter(partial);
      for await (const profile of profiles) {
        const { key } = profile;
        if (taken.has(key) || runs.has(runOf(profile))) {
          throw badInput(
            `${store} has a profile of the run '${profile.testRun}' of '${profile.benchmark}' already, and a run can be imported only once: give this one another --run.`,
          );
        }
        taken.add(key);
        keys.push(key);
        await writer.add(profile);
      }
      if (keys.length === 0) throw badInput(`There is no profile to add to ${store}.`);
      await writer.end(names);
    });
    return { folder, keys };
  } finally {
    closeLocked(lock);
  }
}

function runOf({ benchmark, testRun }: StoredFacts): string {
  return JSON.stringify([benchmark, testRun]);
}

/** Fills the folder of one import. */
class ImportWriter {
  readonly #folder: string;
  readonly #rows: ProfileRow[] = [];
  readonly #modes: (ModeSamples & { readonly profile: number })[] = [];
  /** Trees of the part that is next, with the rows of their profiles. */
  #waiting: { readonly profile: number; readonly tree: CallTree }[] = [];
  #waitingNodes = 0;
  #parts = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add({ tree, modes, ...facts }: StoredProfile): Promise<void> {
    const profile = this.#rows.length;
    const nodes = tree.name.length;
    if (this.#waitingNodes > 0 && this.#waitingNodes + nodes > PART_NODES) await this.#writePart();
    this.#rows.push({
      ...facts,
      profile,
      nodes,
      part: this.#parts,
      total: totalOf(tree),
      depth: findLargest(tree.depth),
    });
    for (const mode of modes) this.#modes.push({ profile, ...mode });
    this.#waiting.push({ profile, tree });
    this.#waitingNodes += nodes;
  }

  async end(names: NameTable): Promise<void> {
    await this.#writePart();
    await writeParquet(join(this.#folder, PROFILES), columnsOfRows(this.#rows));
    await writeParquet(join(this.#folder, NAMES), [
      { name: 'name', type: 'small', values: Int32Array.from({ length: names.size }, (_, id) => id) },
      { name: 'code_path', type: 'text', values: names.texts() },
    ]);
    const modes = this.#modes;
    await writeParquet(join(this.#folder, MODES), [
      { name: 'profile', type: 'small', values: modes.map(({ profile }) => profile) },
      { name: 'name', type: 'small', values: modes.map(({ name }) => name) },
      { name: 'mode', type: 'text', values: modes.map(({ mode }) => mode) },
      { name: 'own', type: 'real', values: modes.map(({ own }) => own) },
    ]);
    await writeFileWhole(join(this.#folder, MANIFEST), await manifestText(this.#folder, this.#parts));
  }

  async #writePart(): Promise<void> {
    const waiting = this.#waiting;
    const part = this.#parts;
    this.#parts += 1;
    this.#waiting = [];
    this.#waitingNodes = 0;
    const nodes = stackedOf(waiting);
    await writeParquet(join(this.#folder, nodesFile(part)), [
      nodes('profile', 'small', ({ profile, tree }) => new Int32Array(tree.name.length).fill(profile)),
      nodes('node', 'small', ({ tree }) => tree.name.map((_, node) => node)),
      ...(['parent', 'name', 'depth'] as const).map((name) => nodes(name, 'small', ({ tree }) => tree[name])),
      ...(['own', 'total'] as const).map((name) => nodes(name, 'real', ({ tree }) => tree[name])),
    ]);
    const edges = stackedOf(waiting.map(({ profile, tree }) => ({ profile, ...findRecursionEdges(tree) })));
    await writeParquet(join(this.#folder, recursionsFile(part)), [
      edges('profile', 'small', ({ profile, to }) => new Int32Array(to.length).fill(profile)),
      ...(['from', 'to', 'distance'] as const).map((name) => edges(name, 'small', (one) => one[name])),
    ]);
  }
}

/** Columns in which what several parts have stands one below the other. */
function stackedOf<Part>(parts: readonly Part[]) {
  return (name: string, type: 'small' | 'real', columnOf: (part: Part) => ArrayLike<number>): ParquetColumn => {
    const columns = parts.map(columnOf);
    const length = columns.reduce((sum, column) => sum + column.length, 0);
    const values = type === 'small' ? new Int32Array(length) : new Float64Array(length);
    let from = 0;
    for (const column of columns) {
      values.set(column, from);
      from += column.length;
    }
    return { name, type, values };
  };
}
