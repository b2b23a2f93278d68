import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryGraph } from '../../../../analysis/profiles/graph/query-graph.ts';
import { readingCypher } from '../../../../analysis/profiles/graph/reading-cypher.ts';
import { importProfiles } from '../../../../analysis/profiles/store/import-profiles.ts';
import { querySql } from '../../../../analysis/profiles/store/store-tables.ts';
import { PredictError } from '../../../../base/errors.ts';
import { projectRoot } from '../../../../base/paths.ts';
import { isLong, times } from '../../../times.ts';

const SECRET = 'nobody-may-read-this-7f3a';
const folder = mkdtempSync(join(tmpdir(), 'others-'));
const store = join(folder, "it's [a] store*?");
const secret = join(folder, 'secret.csv');
/** Nothing may ever be here. */
const outside = join(folder, 'outside');
const canary = join(outside, 'canary');
const nodes = join(store, 'imports', '000001', 'nodes-0.parquet');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  mkdirSync(outside);
  writeFileSync(secret, `${SECRET}\n`);
  const file = join(folder, 'p.folded');
  writeFileSync(file, 'main;a;b 3\nmain;c 3\n');
  const run = { benchmark: 'db/read', testRun: 'r1', timeNs: 0n, metricMean: null, normalise: null };
  await importProfiles(store, [file], run);
});

const quoted = (path: string): string => path.replaceAll("'", "''");
/** One by each means of the language: COPY, ATTACH, EXPORT, functions, settings, native code. */
const SQL_BY_MEANS = [
  `EXPLAIN ANALYZE COPY (SELECT 1) TO '${quoted(nodes)}' (FORMAT csv, USE_TMP_FILE false)`,
  `ATTACH '${canary}.db' AS other`,
  `EXPORT DATABASE '${canary}'`,
  `IMPORT DATABASE '${canary}'`,
  // A name that is put together is no word that a list could hold.
  `SELECT * FROM query('FROM ena'||'ble_logging(storage=''file'',storage_config={''path'':''${canary}''})')`,
  `SELECT content FROM read_text('${secret}')`,
  `SELECT file FROM glob('${folder}/*')`,
  `CREATE TABLE mine AS SELECT * FROM read_csv('${secret}', header = false)`,
  'RESET lock_configuration',
  'INSTALL httpfs',
];
/** The same means in other words: each is asked in a process of its own. */
const SQL = [
  ...SQL_BY_MEANS,
  `COPY (SELECT 1) TO '${canary}'`,
  `COPY (SELECT '${SECRET}') TO '${quoted(nodes)}' (FORMAT csv, USE_TMP_FILE false)`,
  `ATTACH '${quoted(nodes)}' AS other`,
  `SELECT * FROM read_csv('${secret}', header = false)`,
  `SELECT * FROM '${secret}'`,
  `SELECT * FROM query('FROM read_blob(''${secret}'')')`,
  `CALL enable_logging(storage = 'file', storage_config = {'path': '${canary}'})`,
  `SELECT * FROM enable_logging(storage = 'file', storage_config = {'path': '${canary}'})`,
  `SELECT * FROM query(E'FROM \\x65nable_logging(storage=''file'',storage_config={''path'':''${canary}''})')`,
  `SELECT content FROM read_text('.tmp/${relative('/', secret)}')`,
  "SELECT * FROM glob('.tmp/*')",
  'SET enable_external_access = true',
  `SET allowed_directories = ['${folder}']`,
  `LOAD '${canary}'`,
  'PRAGMA enable_profiling',
  `PRAGMA profiling_output = '${canary}'`,
];
/** By the means of Cypher. */
const CYPHER = [
  `COPY (MATCH (f:Function) RETURN f.codePath) TO '${canary}.csv'`,
  `COPY Benchmark FROM '${secret}'`,
  `EXPORT DATABASE '${canary}'`,
  `IMPORT DATABASE '${outside}'`,
  `LOAD FROM '${secret}' (file_format = 'csv', header = false) RETURN *`,
  `LOAD WITH HEADERS (a STRING) FROM '${secret}' (file_format = 'csv') RETURN *`,
  `MATCH (f:Function) LOAD FROM '${secret}' (file_format = 'csv', header = false) RETURN *`,
  `MATCH (f:Function) WHERE f.depth >= 1LOAD FROM '${secret}' (file_format = 'csv', header = false) RETURN column0`,
  `UNWIND [1] AS a LOAD FROM '${secret}' (file_format = 'csv', header = false) RETURN *`,
  `CALL show_tables() WITH name LOAD FROM '${secret}' (file_format = 'csv', header = false) RETURN *`,
  `LOAD EXTENSION '${canary}'`,
  'INSTALL json',
  `ATTACH '${canary}' AS other (dbtype lbug)`,
  "CREATE (:TestRun {name: 'x'})",
  'MATCH (f:Function) SET f.depth = 1',
  'MATCH (f:Function) DETACH DELETE f',
  `CALL file_search_path = '${folder}'`,
  `CALL read_csv_serial('${secret}') RETURN *`,
  `MATCH (f:Function) WHERE f.depth >= 1CALL read_csv_serial('${secret}') RETURN *`,
  'CREATE MACRO a(x) AS x + 1',
];
const READING = { sql: 'SELECT count(*) FROM nodes', cypher: 'MATCH (f:Function) RETURN count(*)' };

/** A statement in another dress: words in any case, comments and blanks for its blanks, nothing else. */
function dressed(statement: string): fc.Arbitrary<string> {
  const parts = statement.split(/('(?:[^']|'')*')/);
  const gap = fc.constantFrom(' ', '  ', '\n', '\t', '\r\n', ' /* x */ ', " /*'*/ ", '/**/ ', ' // "x\n', " // '\r\n ");
  return fc.tuple(fc.infiniteStream(gap), fc.infiniteStream(fc.boolean())).map(([gaps, cases]) =>
    parts
      .map((part, index) => {
        if (index % 2 === 1) return part;
        return part
          .replace(/[a-z]+/gi, (word) => (cases.next().value ? word.toUpperCase() : word.toLowerCase()))
          .replace(/ /g, () => gaps.next().value ?? ' ');
      })
      .join(''),
  );
}

/** Up to three statements, a forbidden one among them; comments of SQL are Cypher's with `--` for `//`. */
function texts(language: 'sql' | 'cypher'): fc.Arbitrary<string> {
  const forbidden = fc.constantFrom(...(language === 'sql' ? SQL : CYPHER)).chain(dressed);
  const reading = fc.constant(READING[language]).chain(dressed);
  const asked = fc.constantFrom('', '', 'EXPLAIN ', 'PROFILE ', 'explain analyze ');
  return fc
    .tuple(fc.array(reading, { maxLength: 1 }), asked, forbidden, fc.array(reading, { maxLength: 1 }))
    .map(([before, ask, statement, after]) => [...before, `${ask}${statement}`, ...after].join(';'))
    .map((text) => (language === 'sql' ? text.replaceAll('//', '--') : text));
}

/** A refusal in a sentence, or rows without the secret; either way nothing was written. */
async function holds(text: string, query: typeof querySql): Promise<void> {
  const before = readFileSync(nodes);
  const found = await query(store, text).catch((error: unknown) => {
    if (!(error instanceof PredictError) || error.kind !== 'badInput') throw error;
    return null;
  });
  expect(JSON.stringify(found)).not.toContain(SECRET);
  expect(JSON.stringify(found)).not.toContain(secret);
  expect(readdirSync(outside)).toEqual([]);
  expect(readFileSync(nodes).equals(before)).toBe(true);
}

test('no statement in SQL opens a file that is not the store’s, or writes one', async () => {
  for (const text of isLong ? SQL : SQL_BY_MEANS) await holds(text, querySql);
  await fc.assert(
    fc.asyncProperty(texts('sql'), (text) => holds(text, querySql)),
    { numRuns: times(1) },
  );
});

test('DuckDB has no folder of its own, and what it logs is no part of an answer', async () => {
  const settings = "SELECT current_setting('allowed_directories')::VARCHAR, current_setting('temp_directory')";
  expect((await querySql(store, settings)).rows).toEqual([['[]', '']]);
  const log =
    "SELECT * FROM query('FROM ena'||'ble_logging(storage=''stdout'')'); SELECT write_log('\x1b]0;pwned'); SELECT 42 AS n";
  const words = ['profiles', 'query', store, '--json', '--sql', log];
  const { stdout, exitCode } = await execa(join(projectRoot(), 'predict'), words, { reject: false });
  expect([exitCode, stdout.includes('pwned')]).toEqual([0, false]);
  expect(JSON.parse(stdout).rows).toEqual([[42]]);
});

test('no statement in Cypher opens a file, or writes one', async () => {
  for (const text of CYPHER)
    await expect(queryGraph(store, text)).rejects.toThrow(/^Only statements that read the graph are allowed/);
  await fc.assert(
    fc.asyncProperty(texts('cypher'), (text) => holds(text, queryGraph)),
    { numRuns: times(30) },
  );
});

test('a statement that reads finds the same in any dress', async () => {
  await fc.assert(
    fc.asyncProperty(dressed(READING.cypher.replace('count(*)', 'count(*) AS N')), async (text) => {
      expect((await queryGraph(store, `${text} ; // the end`)).rows).toEqual([[5]]);
    }),
    { numRuns: times(2) },
  );
});

test('what reads is run in both languages', async () => {
  for (const text of [
    'CALL show_tables() RETURN name',
    ...(isLong ? ['CALL table_info("Function") RETURN *', 'EXPLAIN MATCH (f:Function) RETURN f.codePath'] : []),
    "UNWIND ['load', '// set', \"it's /* a */ copy\"] AS `load` RETURN `load`",
    'MATCH (f:Function) OPTIONAL MATCH (g:Function)-[:INVOKES]->(f) WITH f, g WHERE f.depth>1 RETURN f, g.codePath',
  ]) {
    expect((await queryGraph(store, text)).rows.length, text).toBeGreaterThan(0);
  }
  for (const text of [
    'FROM nodes',
    'PIVOT nodes ON depth USING sum(own)',
    ...(isLong
      ? ['WITH a AS (SELECT 1 AS x) SELECT x FROM a', 'DESCRIBE nodes', 'SUMMARIZE profiles', 'VALUES (1)']
      : []),
    'CREATE TEMP TABLE mine AS FROM nodes; SELECT count(*) FROM mine',
  ]) {
    expect((await querySql(store, text)).rows.length, text).toBeGreaterThan(0);
  }
  expect((await querySql(relative('.', store), 'SELECT count(*) FROM nodes')).rows).toEqual([[5]]);
});

test('a text without a statement, or with a quote or a comment that is left open, is rejected', async () => {
  await expect(querySql(store, ' -- nothing')).rejects.toThrow('DuckDB rejects the statement: it is empty');
  for (const text of ['', ';', '// MATCH', "RETURN 'a", 'RETURN `a', 'MATCH (f) /* RETURN 1', 'RETURN 1;;']) {
    expect(() => readingCypher(text), text).toThrow(PredictError);
  }
});
