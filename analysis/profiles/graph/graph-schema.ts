// The schema of Lundberg and Rettig (LTH 2024), section 4.1, in Ladybug's Cypher. https://docs.ladybugdb.com/cypher/data-definition

/** Changes whenever a table does: a view of another number is built anew. */
export const GRAPH_SCHEMA = 1;
/** p_n and c_n are there up to this degree. */
export const GRAPH_DEGREE = 3;

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
