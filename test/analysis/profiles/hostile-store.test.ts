import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { importProfiles } from '../../../analysis/profiles/store/import-profiles.ts';
import { listStore, readStore } from '../../../analysis/profiles/store/read-store.ts';
import { querySql } from '../../../analysis/profiles/store/store-tables.ts';
import { PredictError } from '../../../base/errors.ts';
import { newDigest, seal } from '../../../experiments/store/digest.ts';
import { duckdb, literal } from '../../../experiments/store/duckdb.ts';

/** A store that somebody else made: its digests are right, because anybody can make them. */
const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const whole = join(folder, 'whole');

beforeAll(async () => {
  const file = join(folder, 'p.folded');
  writeFileSync(file, 'main;a;b 3\nmain;c 3\n');
  const run = { benchmark: 'db/read', testRun: 'r1', timeNs: 0n, metricMean: null, normalise: null };
  await importProfiles(whole, [file], run);
});

interface Told {
  parts: number;
  files: Record<string, unknown>;
}

/** A copy in which a table is what a query makes of it, and the manifest what a change makes of it. */
async function changed(
  name: string | null,
  query = '',
  change: (told: Told) => void = () => undefined,
): Promise<string> {
  const store = mkdtempSync(join(folder, 'copy-'));
  onTestFinished(() => rmSync(store, { recursive: true, force: true }));
  cpSync(whole, store, { recursive: true });
  const place = join(store, 'imports', '000001');
  const manifest = join(place, 'import.json');
  const { digest: _, ...told } = JSON.parse(readFileSync(manifest, 'utf8')) as Told & { digest: string };
  if (name !== null) {
    const [path, fresh] = [join(place, name), join(place, 'fresh')];
    const sql = query.replace('TABLE', `read_parquet(${literal(path)})`);
    await (await duckdb()).run(`COPY (${sql}) TO ${literal(fresh)} (FORMAT parquet)`);
    cpSync(fresh, path);
    rmSync(fresh);
    told.files[name] = await newDigest(path);
  }
  change(told);
  writeFileSync(manifest, JSON.stringify(seal(told)));
  return store;
}

test.each<[string, string | null, string, ((told: Told) => void) | undefined, RegExp]>([
  [
    'five billion parts',
    null,
    '',
    (told) => {
      told.parts = 5e9;
    },
    /import\.json was changed after it was written/,
  ],
  [
    'parts that it has no files of',
    null,
    '',
    (told) => {
      told.parts = 9;
    },
    /import\.json does not name nodes-1\.parquet/,
  ],
  [
    'no digests',
    null,
    '',
    (told) => {
      told.files = {};
    },
    /import\.json does not name profiles\.parquet/,
  ],
  [
    'more nodes than rows',
    'profiles.parquet',
    'SELECT * REPLACE (400000000 AS nodes) FROM TABLE',
    undefined,
    /nodes-0\.parquet has 5 nodes instead of 400000000/,
  ],
  [
    'nodes that lie below later ones',
    'nodes-0.parquet',
    'SELECT * REPLACE (5 AS parent) FROM TABLE',
    undefined,
    /node 0 lies below node 5/,
  ],
])('a store with %s is refused', async (_, name, query, change, why) => {
  const store = await changed(name, query, change);
  const error = await readStore(store).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PredictError);
  expect((error as Error).message).toMatch(why);
});

test('hundreds of thousands of equal profiles are listed', async () => {
  const store = await changed('profiles.parquet', 'SELECT t.* FROM TABLE t, range(130000)');
  expect(await listStore(store)).toHaveLength(130_000);
});

test('a FIFO in place of a table is refused, and not waited for', async () => {
  const store = await changed(null);
  const names = join(store, 'imports', '000001', 'names.parquet');
  rmSync(names);
  execFileSync('mkfifo', [names]);
  await expect(readStore(store)).rejects.toThrow(/names\.parquet cannot be read \(is a FIFO/);
  await expect(querySql(store, 'SELECT 1')).rejects.toThrow(/names\.parquet cannot be read \(is a FIFO/);
});
