import { join } from 'node:path';
import { duckdb, literal } from '../../../experiments/store/duckdb.ts';
import { type ParquetColumn, withTable } from '../../../experiments/store/write-table.ts';
import type { CallProfile, ProfileSelection } from '../questions/call-profile.ts';
import { ROOT, totalOf } from '../tree/call-tree.ts';
import { computeNodePotentials, findRecursionEdges } from '../tree/complete-tree.ts';

/** Writes the files that the tables of the view are filled from, into a folder of their own. Keys of functions count over all profiles. */
export async function writeGraphTables(folder: string, { names, profiles }: ProfileSelection): Promise<void> {
  const first = firstKeys(profiles);
  await withTable(profileColumns(profiles, first), (profileTable) =>
    withTable(
      [small('name', names.size, (id) => id), { name: 'code_path', type: 'text', values: names.texts() }],
      (nameTable) =>
        withTable(functionColumns(profiles), (functionTable) =>
          withTable(recursionColumns(profiles, first), (recursionTable) =>
            copyTables(folder, { profileTable, nameTable, functionTable, recursionTable }),
          ),
        ),
    ),
  );
}

interface Sources {
  readonly profileTable: string;
  readonly nameTable: string;
  readonly functionTable: string;
  readonly recursionTable: string;
}

async function copyTables(folder: string, sources: Sources): Promise<void> {
  const connection = await duckdb();
  for (const [table, select] of Object.entries(selects(sources)) as [GraphTable, string][]) {
    // Read once and thrown away: packing it would take longer.
    await connection.run(
      `COPY (${select}) TO ${literal(join(folder, graphFile(table)))} (FORMAT parquet, COMPRESSION uncompressed)`,
    );
  }
}

/** Ladybug takes columns by their place. p_n and c_n are shares of the profile, as in the thesis. */
function selects({
  profileTable,
  nameTable,
  functionTable,
  recursionTable,
}: Sources): Readonly<Record<GraphTable, string>> {
  const degrees = Array.from({ length: GRAPH_DEGREE }, (_, index) => index + 1);
  const share = (column: string): string => `n.${column} / p.total AS ${column}`;
  return {
    benchmarks: `SELECT DISTINCT benchmark, benchmark_group FROM ${profileTable}`,
    runs: `SELECT test_run, make_timestamp(min(time_ns) // 1000) AS date FROM ${profileTable} GROUP BY test_run`,
    profiles: `SELECT key, metric_mean, unit, total FROM ${profileTable}`,
    functions: `SELECT n.key::BIGINT AS key, coalesce(t.code_path, '') AS code_path, p.key AS profile_key, n.depth::BIGINT AS depth,
      n.own, n.total, n.own / p.total AS base, n.total / p.total AS share, n.own / p.total AS p0, ${degrees.map((n) => share(`p${n}`)).join(', ')},
      0::DOUBLE AS c0, ${degrees.map((n) => share(`c${n}`)).join(', ')}
      FROM ${functionTable} n JOIN ${profileTable} p USING (profile) LEFT JOIN ${nameTable} t USING (name)`,
    measures: `SELECT key, benchmark FROM ${profileTable}`,
    part_of: `SELECT key, test_run FROM ${profileTable}`,
    roots: `SELECT key, first::BIGINT FROM ${profileTable}`,
    invokes: `SELECT (p.first + n.parent)::BIGINT AS caller, n.key::BIGINT AS callee
      FROM ${functionTable} n JOIN ${profileTable} p USING (profile) WHERE n.parent >= 0`,
    recurs: `SELECT source::BIGINT AS source, target::BIGINT AS target, distance::BIGINT AS distance FROM ${recursionTable}`,
  };
}

/** The key of each profile's root; the last is their number. */
function firstKeys(profiles: readonly CallProfile[]): readonly number[] {
  const first = [0];
  for (const { tree } of profiles) first.push((first.at(-1) ?? 0) + tree.name.length);
  return first;
}

function profileColumns(profiles: readonly CallProfile[], first: readonly number[]): readonly ParquetColumn[] {
  return [
    small('profile', profiles.length, (index) => index),
    small('first', profiles.length, (index) => first[index] ?? 0),
    { name: 'key', type: 'text', values: profiles.map(({ key }) => key) },
    { name: 'benchmark', type: 'text', values: profiles.map(({ benchmark }) => benchmark) },
    { name: 'benchmark_group', type: 'text', values: profiles.map(({ benchmark }) => groupOf(benchmark)) },
    { name: 'test_run', type: 'text', values: profiles.map(({ testRun }) => testRun) },
    { name: 'time_ns', type: 'integer', values: profiles.map(({ timeNs }) => timeNs) },
    { name: 'metric_mean', type: 'real', values: profiles.map(({ metricMean }) => metricMean ?? Number.NaN) },
    { name: 'unit', type: 'text', values: profiles.map(({ unit }) => unit) },
    { name: 'total', type: 'real', values: profiles.map(({ tree }) => totalOf(tree)) },
  ];
}

/** What stands before the last `/` of a benchmark's name; nothing where there is none. */
function groupOf(benchmark: string): string {
  return benchmark.slice(0, Math.max(0, benchmark.lastIndexOf('/')));
}

function functionColumns(profiles: readonly CallProfile[]): readonly ParquetColumn[] {
  const count = profiles.reduce((sum, { tree }) => sum + tree.name.length, 0);
  const whole = {
    profile: new Int32Array(count),
    name: new Int32Array(count),
    parent: new Int32Array(count),
    depth: new Int32Array(count),
  };
  const real = Object.fromEntries(
    [
      'own',
      'total',
      ...['p', 'c'].flatMap((letter) => Array.from({ length: GRAPH_DEGREE }, (_, index) => `${letter}${index + 1}`)),
    ].map((name) => [name, new Float64Array(count)]),
  );
  let from = ROOT;
  for (const [index, { tree }] of profiles.entries()) {
    whole.profile.fill(index, from, from + tree.name.length);
    for (const name of ['name', 'parent', 'depth'] as const) whole[name].set(tree[name], from);
    const { p, c } = computeNodePotentials(tree, GRAPH_DEGREE);
    real.own?.set(tree.own, from);
    real.total?.set(tree.total, from);
    for (let degree = 1; degree <= GRAPH_DEGREE; degree += 1) {
      real[`p${degree}`]?.set(p[degree] ?? [], from);
      real[`c${degree}`]?.set(c[degree] ?? [], from);
    }
    from += tree.name.length;
  }
  return [
    small('key', count, (key) => key),
    ...Object.entries(whole).map(([name, values]): ParquetColumn => ({ name, type: 'small', values })),
    ...Object.entries(real).map(([name, values]): ParquetColumn => ({ name, type: 'real', values })),
  ];
}

function recursionColumns(profiles: readonly CallProfile[], first: readonly number[]): readonly ParquetColumn[] {
  const edges = profiles.map(({ tree }) => findRecursionEdges(tree));
  const count = edges.reduce((sum, { to }) => sum + to.length, 0);
  const columns = { source: new Int32Array(count), target: new Int32Array(count), distance: new Int32Array(count) };
  let row = 0;
  for (const [index, { from, to, distance }] of edges.entries()) {
    const root = first[index] ?? 0;
    columns.source.set(
      from.map((node) => root + node),
      row,
    );
    columns.target.set(
      to.map((node) => root + node),
      row,
    );
    columns.distance.set(distance, row);
    row += to.length;
  }
  return Object.entries(columns).map(([name, values]) => ({ name, type: 'small', values }));
}

function small(name: string, length: number, value: (index: number) => number): ParquetColumn {
  return { name, type: 'small', values: Int32Array.from({ length }, (_, index) => value(index)) };
}

// The schema of Lundberg and Rettig (LTH 2024), section 4.1, in Ladybug's Cypher. https://docs.ladybugdb.com/cypher/data-definition

/** Changes whenever a table does: a view of another number is built anew. */
export const GRAPH_SCHEMA = 1;
/** p_n and c_n are there up to this degree. */
const GRAPH_DEGREE = 3;

const potentials = (letter: 'p' | 'c'): string =>
  Array.from({ length: GRAPH_DEGREE + 1 }, (_, degree) => `${letter}${degree} DOUBLE`).join(', ');

/**
 * Tables, by the name of the file that fills them. Primary keys are unique and indexed. `ONE_MANY` holds each node to one caller, `MANY_ONE`
 * each profile to one benchmark and one run. `Profile` is a reserved word of Ladybug's: queries write it between backticks.
 */
const TABLES = {
  benchmarks: 'NODE TABLE Benchmark(name STRING PRIMARY KEY, `group` STRING)',
  runs: 'NODE TABLE TestRun(name STRING PRIMARY KEY, date TIMESTAMP)',
  profiles: 'NODE TABLE `Profile`(key STRING PRIMARY KEY, metricMean DOUBLE, unit STRING, totalSamples DOUBLE)',
  functions: `NODE TABLE Function(key INT64 PRIMARY KEY, codePath STRING, profileKey STRING, depth INT64, baseSamples DOUBLE, totalSamples DOUBLE, base DOUBLE, total DOUBLE, ${potentials('p')}, ${potentials('c')})`,
  measures: 'REL TABLE MEASURES(FROM `Profile` TO Benchmark, MANY_ONE)',
  part_of: 'REL TABLE PART_OF(FROM `Profile` TO TestRun, MANY_ONE)',
  roots: 'REL TABLE ROOT(FROM `Profile` TO Function, ONE_ONE)',
  invokes: 'REL TABLE INVOKES(FROM Function TO Function, ONE_MANY)',
  recurs: 'REL TABLE RECURS(FROM Function TO Function, distance INT64, ONE_MANY)',
} as const;

export type GraphTable = keyof typeof TABLES;

export const graphFile = (table: GraphTable): string => `${table}.parquet`;

/** Makes the tables, fills them from files beside the database, and indexes what queries look up. */
export function buildStatements(): readonly string[] {
  const tables = Object.entries(TABLES) as [GraphTable, string][];
  return [
    ...tables.map(([, definition]) => `CREATE ${definition}`),
    ...tables.map(([table, definition]) => `COPY \`${nameIn(definition)}\` FROM '${graphFile(table)}'`),
    'CREATE ART INDEX function_code_path FOR (f:Function) ON (f.codePath)',
    'CREATE ART INDEX function_profile_key FOR (f:Function) ON (f.profileKey)',
    'CHECKPOINT',
  ];
}

function nameIn(definition: string): string {
  return /TABLE `?(\w+)/.exec(definition)?.[1] ?? '';
}
