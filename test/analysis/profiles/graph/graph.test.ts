import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryGraph } from '../../../../analysis/profiles/graph/query-graph.ts';
import { importProfiles } from '../../../../analysis/profiles/store/import-profiles.ts';
import { readStore } from '../../../../analysis/profiles/store/read-store.ts';
import { querySql } from '../../../../analysis/profiles/store/store-tables.ts';
import { computeNodePotentials } from '../../../cases/profiles/node-potentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'graph-'));
const store = join(folder, "it's a store");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RUNS = [
  ['db/read', 'r1', 'main;a;b 3\nmain;a;b;a 4\nmain;c 3\n'],
  ['db/read', 'r2', 'main;a 1\nmain;c 9\n'],
  ['db/write', 'r1', 'main;b 5\nmain;b;b;b 5\n'],
] as const;

async function add(benchmark: string, testRun: string, text: string): Promise<void> {
  const file = join(folder, 'p.folded');
  writeFileSync(file, text);
  const time = 1_700_000_000_000_000_000n;
  await importProfiles(store, [file], { benchmark, testRun, timeNs: time, metricMean: 12.5, normalise: null });
}

beforeAll(async () => {
  for (const [benchmark, run, text] of RUNS) await add(benchmark, run, text);
});

test('core question 1: the benchmarks in which a function took more than a share of the samples', async () => {
  const cypher = await queryGraph(
    store,
    `MATCH (f:Function {codePath: 'b'}), (p:\`Profile\`)-[:MEASURES]->(m:Benchmark)
     WHERE p.key = f.profileKey AND NOT EXISTS { MATCH (:Function)-[:RECURS]->(f) }
     WITH m.name AS benchmark, p.key AS key, sum(f.total) AS share WHERE share > 0.5
     RETURN benchmark, key, share ORDER BY share DESC`,
  );
  expect(cypher).toEqual({
    columns: ['benchmark', 'key', 'share'],
    rows: [
      ['db/write', 'db/write/r1', 1],
      ['db/read', 'db/read/r1', 0.7],
    ],
  });
  const sql = await querySql(
    store,
    `SELECT p.benchmark, p.key, sum(n.total) / any_value(p.total) AS share FROM nodes n JOIN profiles p USING (key)
     WHERE n.code_path = 'b' AND NOT EXISTS (FROM recursions r WHERE r.key = n.key AND r."to" = n.node)
     GROUP BY ALL HAVING share > 0.5 ORDER BY share DESC`,
  );
  expect(sql.rows).toEqual(cypher.rows);
});

test('core question 2: run, benchmark and group of a function', async () => {
  const { rows } = await queryGraph(
    store,
    `MATCH (f:Function {codePath: 'c'}), (t:TestRun)<-[:PART_OF]-(p:\`Profile\`)-[:MEASURES]->(b:Benchmark)
     WHERE p.key = f.profileKey RETURN DISTINCT t.name, b.name, b.\`group\`, t.date ORDER BY t.name`,
  );
  expect(rows).toEqual([
    ['r1', 'db/read', 'db', '2023-11-14T22:13:20.000Z'],
    ['r2', 'db/read', 'db', '2023-11-14T22:13:20.000Z'],
  ]);
  const sql = await querySql(
    store,
    "SELECT DISTINCT test_run, benchmark FROM nodes JOIN profiles USING (key) WHERE code_path = 'c' ORDER BY test_run",
  );
  expect(sql.rows).toEqual(rows.map((row) => row.slice(0, 2)));
});

test('core question 3: the whole tree of a run, with absolute samples', async () => {
  const { rows } = await queryGraph(
    store,
    `MATCH (f:Function) WHERE f.profileKey = 'db/read/r1' OPTIONAL MATCH (u:Function)-[:INVOKES]->(f)
     OPTIONAL MATCH (p:\`Profile\`)-[:ROOT]->(f)
     RETURN u.codePath, f.codePath, f.depth, f.baseSamples, f.totalSamples, p.key ORDER BY f.key`,
  );
  expect(rows.map((row) => row[5])).toEqual(['db/read/r1', null, null, null, null, null]);
  const tree = rows.map((row) => row.slice(0, 5));
  expect(tree).toEqual([
    [null, '', 0, 0, 10],
    ['', 'main', 1, 0, 10],
    ['main', 'a', 2, 0, 7],
    ['a', 'b', 3, 3, 7],
    ['b', 'a', 4, 4, 4],
    ['main', 'c', 2, 3, 3],
  ]);
  const sql = await querySql(
    store,
    `SELECT u.code_path, n.code_path, n.depth, n.own, n.total FROM nodes n LEFT JOIN nodes u ON u.key = n.key AND u.node = n.parent
     WHERE n.key = 'db/read/r1' ORDER BY n.node`,
  );
  expect(sql.rows).toEqual(tree);
});

test('potentials are the columns p0 to p3 and c0 to c3, as the trees have them', async () => {
  const columns = ['p', 'c'].flatMap((letter) => [0, 1, 2, 3].map((n) => `f.${letter}${n}`)).join(', ');
  const { rows } = await queryGraph(
    store,
    `MATCH (f:Function) OPTIONAL MATCH (u:Function)-[r:RECURS]->(f) RETURN ${columns}, r.distance, u.codePath ORDER BY f.key`,
  );
  const { profiles } = await readStore(store);
  const expected = profiles.flatMap(({ tree }) => {
    const { p, c } = computeNodePotentials(tree, 3);
    const total = tree.total[0] ?? 0;
    return Array.from(tree.own, (_, node) => [...p, ...c].map((values) => (values[node] ?? 0) / total));
  });
  expect(rows.map((row) => row.slice(0, 8))).toEqual(expected);
  expect(rows.map((row) => row.slice(8)).filter(([distance]) => distance !== null)).toEqual([
    [2, 'a'],
    [1, 'b'],
    [1, 'b'],
  ]);
});

test('what is no statement, or would change the graph, is refused in one sentence', async () => {
  await expect(queryGraph(store, 'MATCH f:Function')).rejects.toThrow(
    /^Ladybug rejects the statement: Parser exception/,
  );
  await expect(queryGraph(store, "CREATE (:TestRun {name: 'x'})")).rejects.toThrow(
    /^Only statements that read the graph are allowed, and this one has CREATE first\. Use MATCH, /,
  );
  await expect(querySql(store, 'SELEC 1')).rejects.toThrow(/^DuckDB rejects the statement: Parser Error/);
});

test('where Ladybug is not installed for this machine, the sentence says what to do', async () => {
  const { arch } = process;
  Object.defineProperty(process, 'arch', { value: 'pdp11' });
  try {
    await expect(queryGraph(store, 'MATCH (f:Function) RETURN count(f)')).rejects.toThrow(
      /^Cypher needs Ladybug, which is not installed .*npm install @ladybugdb\/core-linux-pdp11@0\.19\.1.*--sql/,
    );
  } finally {
    Object.defineProperty(process, 'arch', { value: arch });
  }
});

test('keys are unique, one caller calls a node, and what queries look up is indexed', async () => {
  const { rows } = await queryGraph(
    store,
    'CALL show_indexes() RETURN table_name, property_names ORDER BY table_name, index_name',
  );
  expect(rows.filter(([table]) => table === 'Function')).toEqual([
    ['Function', ['key']],
    ['Function', ['codePath']],
    ['Function', ['profileKey']],
  ]);
});

test('the graph is that of the store as it stands, and leaves nothing behind', async () => {
  await add('db/read', 'r3', 'main 1\n');
  const { rows } = await queryGraph(store, 'MATCH (p:`Profile`) RETURN count(p)');
  expect(rows).toEqual([[4]]);
  expect(readdirSync(store).sort()).toEqual(['.lock', 'imports']);
});
