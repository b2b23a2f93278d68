import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { buildProgram } from '../../agents/build.ts';

/** An undirected Graph500 graph as a dataset of Graphalytics: vertices with an edge, each edge once, smaller end first. */
export interface GraphFiles {
  readonly scale: number;
  readonly vertices: string;
  /** Without weights; GAP reads it too, so it is called `.el`. */
  readonly plain: string;
  /** The same edges with whole weights from 1 to 255; GAP's `.wel`. */
  readonly weighted: string;
  readonly vertexCount: number;
  readonly edgeCount: number;
  /** Per id, edges at it. */
  readonly degrees: Uint32Array;
  /** Ends of the edges in the files' order. */
  readonly tails: Uint32Array;
  readonly heads: Uint32Array;
}

const LINES_AT_ONCE = 65536;

/** Generates tuples with our Graph500, leaves out loops and repeats, and writes the files into the folder. */
export async function makeGraphFiles(scale: number, folder: string): Promise<GraphFiles> {
  const [size, path] = [2 ** scale, (end: string): string => join(folder, `g${scale}${end}`)];
  const keys = await readKeys(scale, path('.tuples'));
  const edges = keys.filter((key, e) => key >= 0 && key !== keys[e - 1]);
  const [tails, heads] = [new Uint32Array(edges.length), new Uint32Array(edges.length)];
  const degrees = new Uint32Array(size);
  for (const [e, key] of edges.entries()) {
    const [tail, head] = [Math.floor(key / size), key % size];
    tails[e] = tail;
    heads[e] = head;
    degrees[tail] = (degrees[tail] ?? 0) + 1;
    degrees[head] = (degrees[head] ?? 0) + 1;
  }
  const ids = [...degrees.keys()].filter((v) => degrees[v] !== 0);
  writeLines(path('.v'), ids.length, (k) => `${ids[k]}\n`);
  const [vertices, plain, weighted] = [path('.v'), path('.el'), path('.wel')];
  writeEdges(plain, { tails, heads });
  writeEdges(weighted, { tails, heads, weighted: true });
  return { scale, vertices, plain, weighted, vertexCount: ids.length, edgeCount: edges.length, degrees, tails, heads };
}

/** `head`, then one line per edge; the weight of the k-th is the same in each file. */
export function writeEdges(
  file: string,
  {
    tails,
    heads,
    weighted = false,
    head = '',
  }: Pick<GraphFiles, 'tails' | 'heads'> & { readonly weighted?: boolean; readonly head?: string },
): void {
  let state = 1;
  const weight = (): number => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return 1 + Math.floor((state / 2 ** 32) * 255);
  };
  writeLines(file, tails.length, (k) => `${tails[k]} ${heads[k]}${weighted ? ` ${weight()}` : ''}\n`, head);
}

/** Per tuple smaller end times size plus larger end, in ascending order; -1 for loops. */
async function readKeys(scale: number, file: string): Promise<Float64Array> {
  const program = await buildProgram('graph500');
  const env = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
  await execa(program, ['--scale', String(scale), '--edges-out', file], { env });
  const bytes = readFileSync(file);
  rmSync(file);
  // Ends below 2^32 in 64 bits each, lower half first.
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const keys = new Float64Array(words.length / 4);
  for (let e = 0; e < keys.length; e++) {
    const [u = 0, v = 0] = [words[4 * e], words[4 * e + 2]];
    keys[e] = u === v ? -1 : Math.min(u, v) * 2 ** scale + Math.max(u, v);
  }
  return keys.sort();
}

function writeLines(file: string, count: number, line: (k: number) => string, head = ''): void {
  const out = openSync(file, 'w');
  writeSync(out, head);
  for (let from = 0; from < count; from += LINES_AT_ONCE) {
    let text = '';
    for (let k = from; k < Math.min(count, from + LINES_AT_ONCE); k++) text += line(k);
    writeSync(out, text);
  }
  closeSync(out);
}
