import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../base/paths.ts';
import { isLong } from '../../times.ts';
import { manyRuns, TEAMS } from './many-runs.ts';
import {
  type AlgorithmName,
  differences,
  type GraphFiles,
  readValues,
  wordsFor,
  writeGraph,
} from './run-graphalytics.ts';

const fixture = (name: string): string => join(projectRoot(), 'test', 'fixtures', 'graphalytics', name);
const folder = mkdtempSync(join(tmpdir(), 'predict-ga-'));
const ALGORITHMS: readonly AlgorithmName[] = ['bfs', 'pr', 'wcc', 'cdlp', 'lcc', 'sssp'];

interface Sample {
  readonly algorithm: AlgorithmName;
  readonly name: string;
  readonly files: GraphFiles;
  readonly reference: string;
  readonly options: readonly string[];
}

/** Folder and name of the two sets that come with properties. */
function sets(algorithm: AlgorithmName, directed: boolean): readonly string[] {
  const kind = directed ? 'directed' : 'undirected';
  return [`example/example-${kind}`, `public-test/test-${algorithm}-${kind}`];
}

/** Properties of one graph: what stands behind `graph.NAME.`. */
function properties(path: string): (key: string) => string {
  const text = readFileSync(fixture(`${path}.properties`), 'utf8');
  const name = basename(path);
  return (key) => text.match(new RegExp(`^graph\\.${name}\\.${key.replaceAll('.', '\\.')} *= *(\\S+)`, 'm'))?.[1] ?? '';
}

function optionsOf(algorithm: AlgorithmName, of: (key: string) => string): string[] {
  if (algorithm === 'bfs' || algorithm === 'sssp') return ['--source', of(`${algorithm}.source-vertex`)];
  if (algorithm === 'cdlp') return ['--iterations', of('cdlp.max-iterations')];
  if (algorithm !== 'pr') return [];
  return ['--iterations', of('pr.num-iterations'), '--damping', of('pr.damping-factor')];
}

function shipped(name: string, algorithm: AlgorithmName, directed: boolean): Sample {
  const path = (end: string): string => fixture(`${name}${end}`);
  const weighted = /^\S+ \S+ \S/.test(readFileSync(path('.e'), 'utf8'));
  const files = { vertices: path('.v'), edges: path('.e'), directed, weighted };
  const reference = path(`-${algorithm.toUpperCase()}`);
  return { algorithm, name, files, reference, options: optionsOf(algorithm, properties(name)) };
}

/** The sets for validation list the neighbours of each vertex; these parameters go with them. */
const VALIDATION: Readonly<Record<AlgorithmName, readonly string[]>> = {
  bfs: ['--source', '1'],
  sssp: ['--source', '1'],
  cdlp: ['--iterations', '5'],
  pr: ['--iterations', '30', '--damping', '0.85'], // the reference has converged
  wcc: [],
  lcc: [],
};

function validation(algorithm: AlgorithmName, directed: boolean): Sample {
  const kind = directed ? 'dir' : 'undir';
  const path = (end: string): string => fixture(`validation/${algorithm}/${kind}-${end}`);
  const name = `validation ${algorithm} ${kind}`;
  const reference = path('output');
  const options = VALIDATION[algorithm];
  if (algorithm === 'sssp') {
    const files = { vertices: path('input.v'), edges: path('input.e'), directed, weighted: true };
    return { algorithm, name, files, reference, options };
  }
  const rows = readFileSync(path('input'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const ids = [...new Set(rows.flat())].map(Number).sort((a, b) => a - b);
  const edges = rows.flatMap(([from, ...to]) => to.map((end) => [Number(from), Number(end)] as const));
  const once = edges.filter(([from, to]) => directed || from < to).map((edge) => edge.join(' '));
  const written = writeGraph(folder, `${algorithm}-${kind}`, `${ids.join('\n')}\n`, `${once.join('\n')}\n`);
  return { algorithm, name, files: { ...written, directed, weighted: false }, reference, options };
}

const samples = ALGORITHMS.flatMap((algorithm) =>
  [true, false].flatMap((directed) => [
    ...sets(algorithm, directed).map((name) => shipped(name, algorithm, directed)),
    validation(algorithm, directed),
  ]),
);

describe.skipIf(!existsSync('/usr/bin/mpirun'))('the samples of Graphalytics (needs mpirun)', () => {
  const startMany = manyRuns(folder);

  // Random graphs are tried on all of them.
  const teams = isLong ? TEAMS : TEAMS.filter((_, place) => place % 4 === 1);

  it.each(teams)('give the reference outputs on $ranks ranks x $threads threads', async (team) => {
    const output = (place: number): string => join(folder, `${team.ranks}-${team.threads}-${place}.out`);
    const runs = samples.map(({ algorithm, files, options }, place) => [
      ...wordsFor(algorithm, files),
      ...[...options, '--output', output(place)],
    ]);
    expect(await startMany(team, runs)).toHaveLength(samples.length);
    const wrong = samples.flatMap(({ algorithm, name, reference }, place) => {
      const vertices = differences(algorithm, readValues(reference), readValues(output(place)));
      return vertices.length > 0 ? [{ name, algorithm, vertices }] : [];
    });
    expect(wrong).toEqual([]);
  });
});
