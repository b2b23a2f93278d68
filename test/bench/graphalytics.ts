// The algorithms of Graphalytics beside GAP and LAGraph on the same Graph500 graphs, the programs in turns, a random
// source per round (the same for all). PREDICT_ANCHORS names the folder of their programs; docs/evaluation.md has the names.
//   npm run bench -- graphalytics [--scale 18,20] [--algorithms bfs,pr,wcc,sssp,cdlp,lcc] [--rounds 6] [--runs 3] [--loads 3]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { median } from 'simple-statistics';
import { buildProgram } from '../../agents/build.ts';
import { mulberry32 } from '../../base/lists.ts';
import { type Anchor, openAnchors } from './anchors.ts';
import { type GraphFiles, makeGraphFiles } from './graph-files.ts';
import { type Ended, formatBusy, formatRatio, onRanks, runPinned, shareOfOthers } from './pinned.ts';

const flag = (name: string, otherwise: string): string[] =>
  ((process.argv.includes(name) && process.argv[process.argv.indexOf(name) + 1]) || otherwise).split(',');
/** Timed runs per start; their median counts. */
const runs = Number(flag('--runs', '3')[0]);
const program = await buildProgram('graphalytics');
const hasThreads = (await execa(program, ['--help'])).stdout.includes('--threads');
const folder = mkdtempSync(join(tmpdir(), 'predict-bench-ga-'));
try {
  for (const scale of flag('--scale', '18,20')) await benchScale(Number(scale));
} finally {
  rmSync(folder, { recursive: true });
}

interface Lane {
  readonly name: string;
  readonly processors: number;
  readonly run: (how: How) => Promise<Ended> | undefined;
  readonly times: (stdout: string) => readonly number[];
  readonly loadSeconds: (stdout: string) => number;
}

interface How {
  readonly algorithm: string;
  readonly source: number;
  readonly runs: number;
  readonly text: boolean;
}

async function benchScale(scale: number): Promise<void> {
  const graph = await makeGraphFiles(scale, folder);
  console.log(`scale ${scale}: ${graph.vertexCount} vertices with an edge, ${graph.edgeCount} undirected edges`);
  const anchors = await openAnchors(graph, folder);
  const lanes = [
    ...[ours(graph, 1, 1), ...anchors.map((anchor) => theirs(anchor, 1))],
    ...[ours(graph, 2, 1), ...(hasThreads ? [ours(graph, 1, 2)] : []), ...anchors.map((one) => theirs(one, 2))],
  ];
  const sources = drawSources(graph, Number(flag('--rounds', '6')[0]));
  for (const algorithm of flag('--algorithms', 'bfs,pr,wcc,sssp')) {
    const columns = lanes.map((lane) => ({ lane, values: [] as number[] }));
    const busy: number[] = [];
    for (const source of sources) {
      busy.push(await shareOfOthers());
      for (const { lane, values } of columns) {
        const ended = await lane.run({ algorithm, source, runs, text: false });
        if (ended !== undefined) values.push(median([...lane.times(ended.stdout)]));
      }
    }
    print(algorithm, columns, formatBusy(busy));
  }
  const loads = sources.slice(0, Number(flag('--loads', '3')[0]));
  for (const algorithm of loads.length > 0 ? ['bfs', 'sssp'] : []) await benchLoading(algorithm, lanes, loads);
}

/** Of each start: reading and building, and all from start to end with one run. */
async function benchLoading(algorithm: string, lanes: readonly Lane[], sources: readonly number[]): Promise<void> {
  const loads = lanes.map((lane) => ({ lane, values: [] as number[] }));
  const wholes = lanes.map((lane) => ({ lane, values: [] as number[] }));
  const work = lanes.map((lane) => ({ lane, values: [] as number[] }));
  const busy: number[] = [];
  for (const source of sources) {
    busy.push(await shareOfOthers());
    for (const [k, lane] of lanes.entries()) {
      const ended = await lane.run({ algorithm, source, runs: 1, text: true });
      if (ended === undefined) continue;
      loads[k]?.values.push(lane.loadSeconds(ended.stdout));
      wholes[k]?.values.push(ended.wallSeconds);
      work[k]?.values.push(ended.cpuSeconds);
    }
  }
  print(`${algorithm}, reading the text and building`, loads, formatBusy(busy));
  print(`${algorithm}, start to end with the text`, wholes, formatBusy(busy));
  print(`${algorithm}, processor time of that`, work, formatBusy(busy));
}

function print(what: string, columns: readonly { lane: Lane; values: readonly number[] }[], busy: string): void {
  console.log(`  ${what}; ${busy}`);
  for (const { lane, values } of columns) {
    if (values.length === 0) continue;
    const ratios = columns
      .filter((one) => one.lane.processors === lane.processors && one.lane.name.startsWith('ours'))
      .filter((one) => one.lane !== lane && !lane.name.startsWith('ours'))
      .map((one) => `${one.lane.name} / it ${formatRatio(one.values, values)}`);
    const seconds = `${median([...values]).toFixed(4)} s`.padStart(11);
    console.log(`    ${lane.name.padEnd(24)} ${seconds}  ${ratios.join(', ')}`);
  }
}

function ours(graph: GraphFiles, ranks: number, threads: number): Lane {
  const name = `ours, ${ranks} x ${threads}`;
  const run = ({ algorithm, source, runs, text }: How): Promise<Ended> => {
    const weighted = algorithm === 'sssp';
    const files = ['--vertices', graph.vertices, '--edges', weighted ? graph.weighted : graph.plain];
    const kind = ['--directed', 'false', '--weighted', String(weighted), '--source', String(source)];
    const times = ['--repetitions', String(runs), ...(text ? [] : ['--warm-up', '1'])];
    const cache = text ? [] : ['--graph-cache', join(folder, `cache-${graph.scale}`)];
    const more = threads > 1 ? ['--threads', String(threads)] : [];
    const words = ['--algorithm', algorithm, ...files, ...kind, ...times, ...cache, ...more];
    return runPinned(ranks * threads, onRanks(ranks, [program, ...words]), threads);
  };
  const keyed = (stdout: string, key: string): readonly number[] =>
    [...stdout.matchAll(new RegExp(`^${key}: +(\\S+)$`, 'gm'))].map(([, value]) => Number(value));
  return {
    ...{ name, processors: ranks * threads, run },
    times: (stdout) => keyed(stdout, 'processing_time'),
    loadSeconds: (stdout) => keyed(stdout, 'load_time')[0] ?? Number.NaN,
  };
}

function theirs(anchor: Anchor, threads: number): Lane {
  const name = `${anchor.name}, ${threads} thread${threads > 1 ? 's' : ''}`;
  const run = (how: How): Promise<Ended> | undefined => {
    const command = anchor.command(how);
    return command && runPinned(threads, command);
  };
  return { name, processors: threads, run, times: anchor.times, loadSeconds: anchor.loadSeconds };
}

/** Vertices with an edge, drawn at random. */
function drawSources({ degrees }: GraphFiles, count: number): readonly number[] {
  const random = mulberry32(7);
  const sources: number[] = [];
  while (sources.length < count) {
    const source = Math.floor(random() * degrees.length);
    if (degrees[source] !== 0) sources.push(source);
  }
  return sources;
}
