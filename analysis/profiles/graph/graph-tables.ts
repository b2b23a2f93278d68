// The schema of Lundberg and Rettig (LTH 2024), section 4.1, in Ladybug's Cypher. https://docs.ladybugdb.com/cypher/data-definition
import { join } from 'node:path';
import { literal, openDuckdb } from '../../../experiments/store/duckdb.ts';
import { storeTables } from '../store/store-tables.ts';

/** p_n and c_n are there from 0 up to this degree. */
const GRAPH_DEGREE = 3;

const degrees = Array.from({ length: GRAPH_DEGREE + 1 }, (_, degree) => degree);
const POTENTIALS = ['p', 'c'].flatMap((letter) => degrees.map((degree) => `${letter}${degree}`));

interface GraphTable {
  /** Primary keys are unique and indexed. `ONE_MANY` holds each node to one caller, `MANY_ONE` each profile to one benchmark and one run. */
  readonly definition: string;
  /** Of the views of `PREPARED` and of a store: Ladybug takes columns by their place. p_n and c_n are shares of the profile, as in the thesis. */
  readonly select: string;
}

/** By name. `Profile` is a reserved word of Ladybug's: queries write it between backticks. The group is what stands before the last `/` of a name. */
const TABLES: Readonly<Record<string, GraphTable>> = {
  Benchmark: {
    definition: 'NODE TABLE Benchmark(name STRING PRIMARY KEY, `group` STRING)',
    select: `SELECT DISTINCT benchmark, regexp_extract(benchmark, '(?s)^(.*)/', 1) FROM placed`,
  },
  TestRun: {
    definition: 'NODE TABLE TestRun(name STRING PRIMARY KEY, date TIMESTAMP)',
    select: 'SELECT test_run, make_timestamp(min(time_ns) // 1000) FROM placed GROUP BY test_run',
  },
  Profile: {
    definition: 'NODE TABLE `Profile`(key STRING PRIMARY KEY, metricMean DOUBLE, unit STRING, totalSamples DOUBLE)',
    select: 'SELECT key, metric_mean, unit, total FROM placed',
  },
  Function: {
    definition: `NODE TABLE Function(key INT64 PRIMARY KEY, codePath STRING, profileKey STRING, depth INT64, baseSamples DOUBLE, totalSamples DOUBLE, base DOUBLE, total DOUBLE, ${POTENTIALS.map((name) => `${name} DOUBLE`).join(', ')})`,
    select: `SELECT key, code_path, profile_key, depth::BIGINT, own, total, own / whole, total / whole,
      ${POTENTIALS.map((name) => `coalesce(${name}, 0) / whole`).join(', ')}
      FROM functions JOIN p${GRAPH_DEGREE} USING (key) LEFT JOIN recurring USING (key)`,
  },
  MEASURES: {
    definition: 'REL TABLE MEASURES(FROM `Profile` TO Benchmark, MANY_ONE)',
    select: 'SELECT key, benchmark FROM placed',
  },
  PART_OF: {
    definition: 'REL TABLE PART_OF(FROM `Profile` TO TestRun, MANY_ONE)',
    select: 'SELECT key, test_run FROM placed',
  },
  ROOT: {
    definition: 'REL TABLE ROOT(FROM `Profile` TO Function, ONE_ONE)',
    select: 'SELECT key, first FROM placed',
  },
  INVOKES: {
    definition: 'REL TABLE INVOKES(FROM Function TO Function, ONE_MANY)',
    select: 'SELECT caller, key FROM functions WHERE caller IS NOT NULL',
  },
  RECURS: {
    definition: 'REL TABLE RECURS(FROM Function TO Function, distance INT64, ONE_MANY)',
    select: 'SELECT source, target, distance::BIGINT FROM edges',
  },
};

/**
 * What the tables are selected from: profiles with the key of their root (`first`), functions whose keys count over all profiles, their p_n, recursion edges between them, and c_n of functions with such edges. p_0 = own, p_n(u) = own(u) + sum over children of p_{n-1}; c_n(u) = sum over edges
 * u -> v with distance d <= n of p_{n-d}(v) (Lundberg and Rettig 2024, sections 5.1 and 5.2, where the general formula of c writes P for p).
 */
const PREPARED: Readonly<Record<string, string>> = {
  placed: `SELECT *, (sum(nodes) OVER (ORDER BY place) - nodes)::BIGINT AS first
    FROM (SELECT *, row_number() OVER () AS place FROM profiles)`,
  functions: `SELECT first + node AS key, CASE WHEN parent >= 0 THEN first + parent END AS caller, key AS profile_key, code_path, n.depth, own,
    n.total, p.total AS whole FROM nodes n JOIN placed p USING (key)`,
  p0: 'SELECT key, caller, own AS p0 FROM functions',
  ...Object.fromEntries(
    degrees.slice(1).map((n) => [
      `p${n}`,
      `SELECT f.*, p0 + coalesce(below, 0) AS p${n} FROM p${n - 1} f
       LEFT JOIN (SELECT caller AS key, sum(p${n - 1}) AS below FROM p${n - 1} GROUP BY caller) USING (key)`,
    ]),
  ),
  edges: `SELECT first + "from" AS source, first + "to" AS target, distance FROM recursions JOIN placed USING (key)`,
  recurring: `SELECT source AS key, ${degrees.map((n) => `${recurring(n)} AS c${n}`).join(', ')}
    FROM edges JOIN p${GRAPH_DEGREE} ON target = key GROUP BY source`,
};

/** c_n of the functions that edges lead from. */
function recurring(degree: number): string {
  const terms = degrees.slice(1, degree + 1).map((distance) => `WHEN ${distance} THEN p${degree - distance}`);
  return terms.length === 0 ? '0' : `sum(CASE distance ${terms.join(' ')} END)`;
}

/** Writes the files that the tables of the graph are filled from into a folder. Errors: badInput where a file of the store is not as it was written. */
export async function writeGraphTables(folder: string, store: string): Promise<void> {
  const { views } = await storeTables(store);
  const { instance, connection } = await openDuckdb();
  try {
    for (const view of views) await connection.run(view);
    for (const [name, select] of Object.entries(PREPARED)) await connection.run(`CREATE TABLE ${name} AS ${select}`);
    for (const [name, { select }] of Object.entries(TABLES)) {
      // Read once and thrown away: packing it would take longer.
      const file = literal(join(folder, graphFile(name)));
      await connection.run(`COPY (${select}) TO ${file} (FORMAT parquet, COMPRESSION uncompressed)`);
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const graphFile = (table: string): string => `${table}.parquet`;

/** Makes the tables, fills them from files beside the database, and indexes what queries look up. */
export function buildStatements(): readonly string[] {
  return [
    ...Object.values(TABLES).map(({ definition }) => `CREATE ${definition}`),
    ...Object.keys(TABLES).map((name) => `COPY \`${name}\` FROM '${graphFile(name)}'`),
    'CREATE ART INDEX function_code_path FOR (f:Function) ON (f.codePath)',
    'CREATE ART INDEX function_profile_key FOR (f:Function) ON (f.profileKey)',
    'CHECKPOINT',
  ];
}
