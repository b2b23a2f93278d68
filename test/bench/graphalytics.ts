// The six algorithms of Graphalytics on one rank, Graph500 graphs of scale 18 and 20 (undirected, repeats and vertices
// without edges left out), beside figures of GAP and LAGraph with one thread on a machine of this kind; loading and
// memory as well. The best of the runs counts, as in the anchors.
//   npm run bench -- graphalytics
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/build.ts';

interface Anchor {
  readonly program: string;
  /** Seconds of one run by scale. */
  readonly seconds: Readonly<Record<number, number>>;
  readonly repetitions: number;
}

const ANCHORS: Readonly<Record<string, Anchor>> = {
  bfs: { program: 'GAP bfs', seconds: { 18: 0.007, 20: 0.0298 }, repetitions: 16 },
  pr: { program: 'GAP pr_spmv, LAGraph', seconds: { 18: 0.118, 20: 0.574 }, repetitions: 5 },
  wcc: { program: 'GAP cc', seconds: { 18: 0.0161, 20: 0.0875 }, repetitions: 8 },
  sssp: { program: 'GAP sssp', seconds: { 18: 0.082, 20: 0.491 }, repetitions: 5 },
  cdlp: { program: 'LAGraph cdlp', seconds: { 18: 3.08, 20: 18.6 }, repetitions: 2 },
  lcc: { program: 'GAP tc; LAGraph lcc takes 20.7 and over 100', seconds: { 18: 2.75, 20: 19.1 }, repetitions: 1 },
};

/** The first of them fills the cache. */
const LOADS = 3;

const programs = await buildHostPrograms();
const env = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
const folder = mkdtempSync(join(tmpdir(), 'predict-bench-ga-'));
try {
  for (const scale of [18, 20]) await benchScale(scale);
} finally {
  rmSync(folder, { recursive: true });
}

async function benchScale(scale: number): Promise<void> {
  const graph = await makeGraph(scale);
  console.log(`scale ${scale}: ${graph.vertices} vertices, ${graph.edges} undirected edges`);
  for (const [algorithm, { program, seconds, repetitions }] of Object.entries(ANCHORS)) {
    const told = await run(graph, algorithm, repetitions, []);
    const best = Math.min(...told('processing_time'));
    const anchor = seconds[scale] ?? Number.NaN;
    const memory = (Math.max(...told('memory_bytes_per_rank')) - 64 * graph.vertices) / (2 * graph.edges);
    console.log(
      `  ${algorithm.padEnd(5)} ${best.toFixed(4).padStart(8)} s, ${(best / anchor).toFixed(2)} of ${anchor} s (${program}); ` +
        `${memory.toFixed(1)} bytes per directed edge beside 64 per vertex`,
    );
  }
  await benchLoading(graph, 'bfs', statSync(graph.plain).size);
  await benchLoading(graph, 'sssp', statSync(graph.weighted).size);
}

async function benchLoading(graph: Graph, algorithm: string, bytes: number): Promise<void> {
  const cache = ['--graph-cache', join(folder, `cache-${graph.name}`)];
  const best = async (more: readonly string[]): Promise<number> => {
    const times: number[] = [];
    for (let k = 0; k < LOADS; k++) times.push(...(await run(graph, algorithm, 1, more))('load_time'));
    return Math.min(...times);
  };
  const text = await best([]);
  const cached = await best(cache);
  const rate = (seconds: number): string => `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`;
  console.log(
    `  load for ${algorithm}: ${(bytes / 1e6).toFixed(0)} MB of edges in ${text.toFixed(2)} s, ${rate(text)}; ` +
      `cached in ${cached.toFixed(3)} s, as ${rate(cached)} of text`,
  );
}

/** What a run printed, by key. */
async function run(graph: Graph, algorithm: string, repetitions: number, more: readonly string[]) {
  const weighted = algorithm === 'sssp';
  const files = ['--vertices', graph.nodes, '--edges', weighted ? graph.weighted : graph.plain];
  const kind = ['--directed', 'false', '--weighted', String(weighted), '--source', String(graph.source)];
  const args = ['--algorithm', algorithm, ...files, ...kind, '--repetitions', String(repetitions), ...more];
  const { stdout } = await execa(programs.graphalytics, args, { env });
  return (key: string): number[] =>
    [...stdout.matchAll(new RegExp(`^${key}: +(\\S+)$`, 'gm'))].map(([, value]) => Number(value));
}

interface Graph {
  readonly name: string;
  readonly nodes: string;
  readonly plain: string;
  readonly weighted: string;
  readonly vertices: number;
  readonly edges: number;
  /** An end of the first edge. */
  readonly source: number;
}

/** The generated tuples as a dataset: each edge once, smaller end first, in order; weights from 0 to 1. */
async function makeGraph(scale: number): Promise<Graph> {
  const name = `g${scale}`;
  const tuples = join(folder, `${name}.tuples`);
  await execa(programs.graph500, ['--scale', String(scale), '--edges-out', tuples], { env });
  const ends = readUint64(tuples);
  rmSync(tuples);
  const size = 2 ** scale;
  const keys = new Float64Array(ends.length / 2);
  for (let e = 0; e < keys.length; e++) {
    const [u = 0, v = 0] = [ends[2 * e], ends[2 * e + 1]];
    keys[e] = u === v ? -1 : Math.min(u, v) * size + Math.max(u, v);
  }
  keys.sort();
  const present = new Uint8Array(size);
  const edges = keys.filter((key, e) => key >= 0 && key !== keys[e - 1]);
  for (const key of edges) present[Math.floor(key / size)] = present[key % size] = 1;
  const nodes = [...present.keys()].filter((v) => present[v] === 1);
  const path = (end: string): string => join(folder, `${name}${end}`);
  writeLines(path('.v'), nodes.length, (k) => `${nodes[k]}\n`);
  const pair = (k: number): string => `${Math.floor((edges[k] ?? 0) / size)} ${(edges[k] ?? 0) % size}`;
  let state = 1;
  const weight = (): string => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return ((state + 1) / 2 ** 32).toFixed(6);
  };
  writeLines(path('.e'), edges.length, (k) => `${pair(k)}\n`);
  writeLines(path('.weighted.e'), edges.length, (k) => `${pair(k)} ${weight()}\n`);
  return {
    name,
    nodes: path('.v'),
    plain: path('.e'),
    weighted: path('.weighted.e'),
    vertices: nodes.length,
    edges: edges.length,
    source: Math.floor((edges[0] ?? 0) / size),
  };
}

/** Numbers below 2^32 that are stored in 64 bits. */
function readUint64(file: string): Uint32Array {
  const bytes = readFileSync(file);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return words.filter((_, k) => k % 2 === 0);
}

function writeLines(file: string, count: number, line: (k: number) => string): void {
  const out = openSync(file, 'w');
  for (let k = 0; k < count; k += 65536) {
    let text = '';
    for (let i = k; i < Math.min(count, k + 65536); i++) text += line(i);
    writeSync(out, text);
  }
  closeSync(out);
}
