import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { type GraphFiles, writeEdges } from './graph-files.ts';

/** A program of other people on the graph of a bench, ready to run. */
export interface Anchor {
  readonly name: string;
  /** Undefined where it has no such algorithm. */
  command(run: AnchorRun): readonly string[] | undefined;
  /** Seconds of each timed run of the algorithm. */
  times(stdout: string): readonly number[];
  /** Reading the text and building, seconds. */
  loadSeconds(stdout: string): number;
}

export interface AnchorRun {
  readonly algorithm: string;
  readonly source: number;
  readonly runs: number;
  /** From the text of the edges instead of the program's own binary file. */
  readonly text: boolean;
}

/** Shortest paths with the delta that is quickest on these graphs, which for GAP is also that of its own suite. */
const GAP: Readonly<Record<string, readonly string[]>> = {
  bfs: ['gap-bfs'],
  pr: ['gap-pr_spmv', '-i', '10', '-t', '0'],
  wcc: ['gap-cc'],
  sssp: ['gap-sssp', '-d', '2'],
};
const LAGRAPH: Readonly<Record<string, string>> = {
  bfs: 'lag-bfs',
  pr: 'lag-gappagerank',
  wcc: 'lag-cc',
  sssp: 'lag-sssp',
  cdlp: 'lag-cdlp',
  lcc: 'lag-lcc',
};

/** The folder of built programs that PREDICT_ANCHORS names. */
export const anchorFolder = (): string | undefined => process.env.PREDICT_ANCHORS;

/** Those that are there, with the same graph in their own files. */
export async function openAnchors(graph: GraphFiles, folder: string): Promise<readonly Anchor[]> {
  const bin = anchorFolder();
  if (bin === undefined) {
    console.log('PREDICT_ANCHORS names no folder of GAP, LAGraph and Graph500 programs: ours are measured alone.');
    return [];
  }
  const anchors: Anchor[] = [];
  if (existsSync(join(bin, 'gap-bfs'))) {
    anchors.push(await openGap('GAP', graph, { bin, folder }));
    anchors.push(await openGap('GAP, sorted', byDegree(graph), { bin, folder }));
  }
  if (existsSync(join(bin, 'lag-bfs'))) anchors.push(await openLagraph(graph, { bin, folder }));
  return anchors;
}

interface Numbered extends Pick<GraphFiles, 'tails' | 'heads'> {
  readonly numberOf: (id: number) => number;
}

interface Where {
  readonly bin: string;
  readonly folder: string;
}

/** The same edges, the vertices numbered by falling degree. */
function byDegree({ degrees, tails, heads }: GraphFiles): Numbered {
  const order = Uint32Array.from(degrees.keys()).sort((a, b) => (degrees[b] ?? 0) - (degrees[a] ?? 0));
  const number = new Uint32Array(order.length);
  for (const [place, id] of order.entries()) number[id] = place;
  const numberOf = (id: number): number => number[id] ?? 0;
  return { tails: tails.map(numberOf), heads: heads.map(numberOf), numberOf };
}

async function openGap(
  name: string,
  { tails, heads, numberOf = (id) => id }: Pick<GraphFiles, 'tails' | 'heads'> & Partial<Numbered>,
  { bin, folder }: Where,
): Promise<Anchor> {
  const stem = join(folder, name.replace(/\W/g, ''));
  for (const [end, weighted] of [['.el', false] as const, ['.wel', true] as const]) {
    writeEdges(stem + end, { tails, heads, weighted });
    const binary = weighted ? ['-w', '-b', `${stem}.wsg`] : ['-b', `${stem}.sg`];
    await execa(join(bin, 'gap-converter'), ['-s', '-f', stem + end, ...binary]);
  }
  return {
    name,
    command: ({ algorithm, source, runs, text }) => {
      const [program, ...more] = GAP[algorithm] ?? [];
      if (program === undefined) return undefined;
      const file = `${stem}.${algorithm === 'sssp' ? 'w' : ''}${text ? 'el' : 'sg'}`;
      const start = algorithm === 'bfs' || algorithm === 'sssp' ? ['-r', String(numberOf(source))] : [];
      return [join(bin, program), '-f', file, ...(text ? ['-s'] : []), '-n', String(runs), ...start, ...more];
    },
    times: (stdout) => numbersIn(stdout, /^Trial Time: +(\S+)/gm),
    loadSeconds: (stdout) => numbersIn(stdout, /^(?:Read|Build) Time: +(\S+)/gm).reduce((sum, one) => sum + one, 0),
  };
}

/** Its PageRank iterates until it has converged: the time of ten iterations is derived from that. */
async function openLagraph({ scale, tails, heads }: GraphFiles, { bin, folder }: Where): Promise<Anchor> {
  const stem = join(folder, 'lagraph');
  const size = 2 ** scale;
  // Matrix Market counts from 1 and keeps the lower triangle.
  for (const [end, field] of [['', 'pattern'] as const, ['-w', 'integer'] as const]) {
    const file = `${stem}${end}.mtx`;
    const head = `%%MatrixMarket matrix coordinate ${field} symmetric\n${size} ${size} ${tails.length}\n`;
    const add = (ends: Uint32Array): Uint32Array => ends.map((id) => id + 1);
    writeEdges(file, { tails: add(heads), heads: add(tails), weighted: field === 'integer', head });
    await execa(join(bin, 'lag-mtx2bin'), [file, `${stem}${end}.grb`]);
  }
  return {
    name: 'LAGraph',
    command: ({ algorithm, source, runs, text }) => {
      const program = LAGRAPH[algorithm];
      if (program === undefined || !existsSync(join(bin, program))) return undefined;
      const file = `${stem}${algorithm === 'sssp' ? '-w' : ''}.${text ? 'mtx' : 'grb'}`;
      if (algorithm === 'cdlp' || algorithm === 'lcc') return [join(bin, program), file, String(runs)];
      const sources = `${stem}.sources.mtx`;
      const lines = Array.from({ length: runs }, (_, k) => `${k + 1} 1 ${source + 1}\n`);
      writeFileSync(sources, `%%MatrixMarket matrix coordinate integer general\n${runs} 1 ${runs}\n${lines.join('')}`);
      return [join(bin, program), file, sources, ...(algorithm === 'sssp' ? ['16'] : [])];
    },
    times: (stdout) => {
      const standard = stdout.slice(stdout.indexOf('GAP: '));
      const [iterations] = numbersIn(stdout, /^STD: .* iters: (\d+)/gm);
      if (iterations !== undefined)
        return numbersIn(standard, /^trial: +\d+ time: +(\S+) sec/gm).map((s) => (s * 10) / iterations);
      return numbersIn(stdout, /trial: +\d+ .*?(\S+) sec$/gm);
    },
    loadSeconds: (stdout) => numbersIn(stdout, /^read time: +(\S+)/gm)[0] ?? Number.NaN,
  };
}

function numbersIn(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map(([, value]) => Number(value));
}
