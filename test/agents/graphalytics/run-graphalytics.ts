import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RanksRun, runRanks } from '../run-ranks.ts';

export type AlgorithmName = 'bfs' | 'pr' | 'wcc' | 'cdlp' | 'lcc' | 'sssp';

/** A graph's files and what is said of them. */
export interface GraphFiles {
  readonly vertices: string;
  readonly edges: string;
  readonly directed: boolean;
  readonly weighted: boolean;
}

export function graphalytics(
  ranks: number,
  algorithm: AlgorithmName,
  files: GraphFiles,
  ...more: readonly string[]
): Promise<RanksRun> {
  return runRanks('graphalytics', ranks, ...wordsFor(algorithm, files), ...more);
}

/** The options that say what is done on what graph. */
export function wordsFor(
  algorithm: AlgorithmName,
  { vertices, edges, directed, weighted }: GraphFiles,
): readonly string[] {
  const files = ['--vertices', vertices, '--edges', edges];
  return ['--algorithm', algorithm, ...files, '--directed', String(directed), '--weighted', String(weighted)];
}

/** Vertex to value, as written. */
export type Values = ReadonlyMap<string, string>;

export function readValues(file: string): Values {
  const rows = readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '');
  return new Map(rows.map((row) => [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)]));
}

export function writeGraph(
  folder: string,
  name: string,
  vertices: string,
  edges: string,
): Pick<GraphFiles, 'vertices' | 'edges'> {
  const files = { vertices: join(folder, `${name}.v`), edges: join(folder, `${name}.e`) };
  writeFileSync(files.vertices, vertices);
  writeFileSync(files.edges, edges);
  return files;
}

/** Vertices whose values differ by Graphalytics' rules: whole numbers exactly, components as a partition, reals to 1e-4. */
export function differences(algorithm: AlgorithmName, expected: Values, actual: Values): string[] {
  const [to, back] = [new Map<string, string>(), new Map<string, string>()];
  const same = (e: string, a: string): boolean => {
    if (algorithm === 'bfs' || algorithm === 'cdlp') return BigInt(e) === BigInt(a);
    if (algorithm !== 'wcc') return agree(real(e), real(a));
    to.set(e, to.get(e) ?? a);
    back.set(a, back.get(a) ?? e);
    return to.get(e) === a && back.get(a) === e;
  };
  const wrong = [...expected].filter(([vertex, e]) => {
    const a = actual.get(vertex);
    return a === undefined || !same(e, a);
  });
  return [...wrong.map(([vertex]) => vertex), ...[...actual.keys()].filter((vertex) => !expected.has(vertex))];
}

function real(text: string): number {
  return /^\+?inf/i.test(text) ? Number.POSITIVE_INFINITY : Number(text);
}

function agree(expected: number, actual: number): boolean {
  return expected === actual || Math.abs(expected - actual) <= 1e-4 * Math.abs(expected);
}
