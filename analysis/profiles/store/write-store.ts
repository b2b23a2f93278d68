import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { badInput, PredictError, unwritable } from '../../../base/errors.ts';
import { closeLocked, lockFile } from '../../../base/lock-file.ts';
import { openToWriteSync } from '../../../experiments/store/regular.ts';
import { writeFileWhole, writeFolderWhole } from '../../../experiments/store/whole.ts';
import { type ParquetColumn, writeParquet } from '../../../experiments/store/write-table.ts';
import { type NameTable, totalOf } from '../tree/call-tree.ts';
import { findRecursionEdges, largest } from '../tree/complete-tree.ts';
import {
  importFolder,
  importFolders,
  importsFolder,
  MANIFEST,
  MODES,
  manifestText,
  NAMES,
  nodesFile,
  PROFILES,
  recursionsFile,
  storeLockPath,
} from './manifest.ts';
import { listStore, type StoredFacts, type StoredProfile } from './read-store.ts';

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
  const lock = await lockStore(store);
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

async function lockStore(store: string): Promise<number> {
  try {
    await mkdir(importsFolder(store), { recursive: true });
    const path = storeLockPath(store);
    const file = openToWriteSync(path);
    if (await lockFile(file, path, { name: `The store ${store}`, waitS: 1 })) return file;
    closeLocked(file);
  } catch (error) {
    if (error instanceof PredictError) throw error;
    throw unwritable(store, error);
  }
  throw new PredictError(`Another import writes to the store ${store}: wait for it to end.`, { kind: 'busy' });
}

/** Fills the folder of one import. */
class ImportWriter {
  readonly #folder: string;
  readonly #profiles: {
    readonly profile: Omit<StoredProfile, 'tree' | 'modes'>;
    readonly nodes: number;
    readonly part: number;
    readonly total: number;
    readonly depth: number;
  }[] = [];
  readonly #modes: { readonly profile: number; readonly name: number; readonly mode: string; readonly own: number }[] =
    [];
  #waiting: { readonly index: number; readonly tree: StoredProfile['tree'] }[] = [];
  #waitingNodes = 0;
  #parts = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add({ tree, modes, ...profile }: StoredProfile): Promise<void> {
    const index = this.#profiles.length;
    const nodes = tree.name.length;
    if (this.#waitingNodes > 0 && this.#waitingNodes + nodes > PART_NODES) await this.#writePart();
    this.#profiles.push({ profile, nodes, part: this.#parts, total: totalOf(tree), depth: largest(tree.depth) });
    for (const mode of modes) this.#modes.push({ profile: index, ...mode });
    this.#waiting.push({ index, tree });
    this.#waitingNodes += nodes;
  }

  async end(names: NameTable): Promise<void> {
    await this.#writePart();
    const rows = this.#profiles;
    const facts = rows.map(({ profile }) => profile);
    await writeParquet(join(this.#folder, PROFILES), [
      { name: 'profile', type: 'small', values: rows.map((_, index) => index) },
      { name: 'key', type: 'text', values: facts.map(({ key }) => key) },
      { name: 'benchmark', type: 'text', values: facts.map(({ benchmark }) => benchmark) },
      { name: 'test_run', type: 'text', values: facts.map(({ testRun }) => testRun) },
      { name: 'time_ns', type: 'integer', values: facts.map(({ timeNs }) => timeNs) },
      { name: 'metric_mean', type: 'real', values: facts.map(({ metricMean }) => metricMean ?? Number.NaN) },
      { name: 'unit', type: 'text', values: facts.map(({ unit }) => unit) },
      { name: 'total', type: 'real', values: rows.map(({ total }) => total) },
      { name: 'depth', type: 'small', values: rows.map(({ depth }) => depth) },
      { name: 'nodes', type: 'small', values: rows.map(({ nodes }) => nodes) },
      { name: 'part', type: 'small', values: rows.map(({ part }) => part) },
      { name: 'source', type: 'text', values: facts.map(({ source }) => source) },
      { name: 'format', type: 'text', values: facts.map(({ format }) => format) },
      { name: 'lost', type: 'real', values: facts.map(({ lost }) => lost) },
      { name: 'unknown', type: 'real', values: facts.map(({ unknown }) => unknown) },
      { name: 'truncated', type: 'real', values: facts.map(({ truncated }) => truncated) },
    ]);
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
    const count = this.#waitingNodes;
    const part = this.#parts;
    this.#parts += 1;
    this.#waiting = [];
    this.#waitingNodes = 0;
    const nodes = {
      profile: new Int32Array(count),
      node: new Int32Array(count),
      parent: new Int32Array(count),
      name: new Int32Array(count),
      depth: new Int32Array(count),
      own: new Float64Array(count),
      total: new Float64Array(count),
    };
    let from = 0;
    const edges = waiting.map(({ index, tree }) => ({ index, edges: findRecursionEdges(tree) }));
    for (const { index, tree } of waiting) {
      nodes.profile.fill(index, from, from + tree.name.length);
      for (let node = 0; node < tree.name.length; node += 1) nodes.node[from + node] = node;
      nodes.parent.set(tree.parent, from);
      nodes.name.set(tree.name, from);
      nodes.depth.set(tree.depth, from);
      nodes.own.set(tree.own, from);
      nodes.total.set(tree.total, from);
      from += tree.name.length;
    }
    await writeParquet(join(this.#folder, nodesFile(part)), [
      ...(['profile', 'node', 'parent', 'name', 'depth'] as const).map(
        (name): ParquetColumn => ({ name, type: 'small', values: nodes[name] }),
      ),
      ...(['own', 'total'] as const).map((name): ParquetColumn => ({ name, type: 'real', values: nodes[name] })),
    ]);
    const recursions = edges.reduce((sum, { edges: { to } }) => sum + to.length, 0);
    const columns = {
      profile: new Int32Array(recursions),
      from: new Int32Array(recursions),
      to: new Int32Array(recursions),
      distance: new Int32Array(recursions),
    };
    let edge = 0;
    for (const { index, edges: of } of edges) {
      columns.profile.fill(index, edge, edge + of.to.length);
      columns.from.set(of.from, edge);
      columns.to.set(of.to, edge);
      columns.distance.set(of.distance, edge);
      edge += of.to.length;
    }
    await writeParquet(
      join(this.#folder, recursionsFile(part)),
      (['profile', 'from', 'to', 'distance'] as const).map(
        (name): ParquetColumn => ({ name, type: 'small', values: columns[name] }),
      ),
    );
  }
}
