import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importProfiles } from '../../../analysis/profiles/store/import-profiles.ts';
import { listStore, readStore } from '../../../analysis/profiles/store/read-store.ts';
import { storeTables } from '../../../analysis/profiles/store/store-tables.ts';
import { addToStore } from '../../../analysis/profiles/store/write-store.ts';
import type { StoredProfile } from '../../../analysis/profiles/tree/call-profile.ts';
import { duckdb, query } from '../../../experiments/store/duckdb.ts';
import { foldedText } from '../../cases/profiles/collapsed-text.ts';
import { tempFolder } from '../../experiments/make.ts';
import { selectionOf, stacks, textOf } from './make.ts';

const CHOICE = { benchmark: 'b', testRun: 'r', timeNs: 5n, metricMean: 1.5, normalise: null };

function written(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('what is read back folds to the same text, and is known as it was imported', async () => {
  const folder = tempFolder();
  const store = join(folder, 'store');
  const samples = fc.sample(stacks, { numRuns: 4, seed: 7 });
  const selection = selectionOf(samples.map((all) => ({ text: textOf(all) })));
  const stored = selection.profiles.map((profile): StoredProfile => {
    const mode = { name: profile.tree.name[1] ?? 0, mode: 'jit', own: 2 };
    const timeNs = 1_700_000_000_123_456_789n + profile.timeNs;
    return {
      ...profile,
      timeNs,
      modes: [mode],
      source: "it's.folded",
      format: 'folded',
      lost: 1,
      unknown: 2,
      truncated: 3,
    };
  });
  // In two imports, whose names have different numbers.
  for (const part of [stored.slice(2), stored.slice(0, 2)]) {
    await addToStore(
      store,
      selection.names,
      (async function* () {
        yield* part;
      })(),
    );
  }
  const read = await readStore(store);
  for (const [index, { tree, modes, ...facts }] of read.profiles.entries()) {
    const { tree: before, modes: modesBefore, ...wanted } = stored[(index + 2) % 4] as StoredProfile;
    expect(facts).toEqual(wanted);
    expect(foldedText(tree, read.names)).toBe(foldedText(before, selection.names));
    expect([tree.depth, tree.total, tree.above, tree.parent]).toEqual([
      before.depth,
      before.total,
      before.above,
      before.parent,
    ]);
    expect(modes.map(({ name }) => read.names.text(name))).toEqual(
      modesBefore.map(({ name }) => selection.names.text(name)),
    );
  }
  expect((await readStore(store, { benchmark: 'other' })).profiles).toEqual([]);
});

test('tables for SQL join by key', async () => {
  const folder = tempFolder();
  const store = join(folder, 'store');
  await importProfiles(store, [written(folder, 'a', 'main;f 3\nmain;f;f 1\n')], CHOICE);
  await importProfiles(store, [written(folder, 'b', 'main;g 2\nmain;f 1\n')], {
    ...CHOICE,
    testRun: 's',
    metricMean: null,
  });
  const connection = await duckdb();
  for (const statement of (await storeTables(store)).views) await connection.run(statement);
  expect(await query("SELECT key, sum(own) FROM nodes WHERE code_path = 'f' GROUP BY key ORDER BY key")).toEqual([
    ['b/r', 'b/s'],
    [4, 1],
  ]);
  expect(
    await query('SELECT key, distance, n.depth FROM recursions r JOIN nodes n USING (key) WHERE n.node = r."to"'),
  ).toEqual([['b/r'], [1], [3]]);
  expect(await query('SELECT test_run, metric_mean, total FROM profiles ORDER BY key')).toEqual([
    ['r', 's'],
    [1.5, null],
    [4, 3],
  ]);
});

test('several files of one run have keys of their own; a run is imported once', async () => {
  const folder = tempFolder();
  const store = join(folder, 'store');
  const files = [written(folder, 'a', 'a 1\n'), written(folder, 'b', 'b 2\n')];
  await importProfiles(store, files, CHOICE);
  expect((await listStore(store)).map(({ key, source }) => [key, source])).toEqual([
    ['b/r/1', files[0]],
    ['b/r/2', files[1]],
  ]);
  await expect(importProfiles(store, [files[0] ?? ''], CHOICE)).rejects.toThrow(
    "has a profile of the run 'r' of 'b' already",
  );
  expect(await listStore(store)).toHaveLength(2);
});

test('of an import with one bad file nothing is there', async () => {
  const folder = tempFolder();
  const store = join(folder, 'store');
  const bad = written(folder, 'bad', 'a 1\nb\n');
  await expect(importProfiles(store, [written(folder, 'good', 'a 1\n'), bad], CHOICE)).rejects.toThrow(
    `${bad}, line 2`,
  );
  expect(readdirSync(join(store, 'imports'))).toEqual([]);
  expect(await listStore(store)).toEqual([]);
});

test('what a killed import left is passed over, and replaced by the next', async () => {
  const folder = tempFolder();
  const store = join(folder, 'store');
  const left = join(store, 'imports', '.000001.partial');
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, 'names.parquet'), 'half');
  expect(await listStore(store)).toEqual([]);
  await importProfiles(store, [written(folder, 'a', 'a 1\n')], CHOICE);
  expect(existsSync(left)).toBe(false);
  expect(await listStore(store)).toHaveLength(1);
});

test('two imports at once are both there', async () => {
  const folder = tempFolder();
  const store = join(folder, 'store');
  const file = written(folder, 'a', 'a 1\n');
  const both = ['r', 's'].map((testRun) => importProfiles(store, [file], { ...CHOICE, testRun }));
  const ended = await Promise.allSettled(both);
  const done = ended.filter(({ status }) => status === 'fulfilled');
  for (const one of ended) if (one.status === 'rejected') expect(one.reason).toMatchObject({ kind: 'busy' });
  expect(await listStore(store)).toHaveLength(done.length);
  expect(done.length).toBeGreaterThan(0);
});

test('every file of a store that was changed after it was written is named', async () => {
  const folder = tempFolder();
  const store = join(folder, 'store');
  await importProfiles(store, [written(folder, 'a', 'a;b 1\n')], CHOICE);
  const own = join(store, 'imports', '000001');
  const names = readdirSync(own);
  expect(names.sort()).toEqual([
    'import.json',
    'modes.parquet',
    'names.parquet',
    'nodes-0.parquet',
    'profiles.parquet',
    'recursions-0.parquet',
  ]);
  for (const name of names) {
    const path = join(own, name);
    const whole = readFileSync(path);
    const changed = Buffer.from(whole);
    changed[20] = (changed[20] ?? 0) ^ 1;
    for (const bytes of [changed, whole.subarray(0, -5), null]) {
      if (bytes === null) rmSync(path);
      else writeFileSync(path, bytes);
      await expect(readStore(store)).rejects.toMatchObject({
        kind: 'badInput',
        message: expect.stringContaining(path),
      });
    }
    writeFileSync(path, whole);
  }
  expect((await readStore(store)).profiles).toHaveLength(1);
});

test('a folder that is no store is refused', async () => {
  await expect(readStore(tempFolder())).rejects.toThrow('is not a store of profiles');
});
