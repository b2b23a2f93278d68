import { mkdir, rm } from 'node:fs/promises';
import { freemem } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { refuseMore } from '../../base/bounds.ts';
import { badInput } from '../../base/errors.ts';
import { formatBytes } from '../../base/units.ts';
import { datasetName, writeDataset } from './convert/write-dataset.ts';
import type { Dataset } from './dataset.ts';
import { EdgeSink } from './edge-list.ts';
import { fileBlocks } from './text/line-blocks.ts';

/** Edges that one process turns into a dataset. */
const MOST_EDGES = 2 ** 31;
/** What an edge and a label take at most while they are sorted, bytes. */
const MEMORY = { edge: 20, weightedEdge: 36, label: 64 } as const;
/** Two labels of 8 bytes each. */
const PAIR = 16;

interface GenerateOptions {
  /** 2^scale labels. */
  readonly scale: number;
  readonly edgeFactor: number;
  readonly seed: number;
  readonly weights: boolean;
  /** A folder that is not there yet. */
  readonly out: string;
  readonly name?: string;
  /** Writes the generated edges into a file: pairs of little-endian 64-bit labels, repeats and self-loops included. */
  readonly writeEdges: (file: string) => Promise<void>;
  /** Bytes; what the machine has left by default. */
  readonly freeMemory?: number;
}

interface Generated {
  readonly dataset: Dataset;
  /** Edges that were generated. */
  readonly read: number;
  readonly selfLoops: number;
  readonly repeated: number;
}

/**
 * The Graph500 graph as an undirected dataset: each edge once, without self-loops and without the vertices that are then alone, as the
 * benchmark's own graph500 datasets are. Errors: badInput, unwritable, and those of `writeEdges`.
 */
export async function generate(options: GenerateOptions): Promise<Generated> {
  const { scale, edgeFactor, seed, weights, out, writeEdges } = options;
  const edges = 2 ** scale * edgeFactor;
  refuseMore(edges, MOST_EDGES, {
    what: `The graph has ${edges.toLocaleString('en')} edges`,
    help: 'choose a smaller --scale',
  });
  const needed = edges * (weights ? MEMORY.weightedEdge : MEMORY.edge) + 2 ** scale * MEMORY.label;
  const free = options.freeMemory ?? freemem();
  if (needed > free) {
    const what = `The graph needs ${formatBytes(needed)} of memory, but this machine has ${formatBytes(free)} free`;
    throw badInput(`${what}: choose a smaller --scale.`);
  }
  const name = datasetName(options);
  const folder = dirname(resolve(out));
  const file = join(folder, `.${basename(resolve(out))}.edges.partial`);
  const sink = new EdgeSink(weights);
  let found: { readonly read: number; readonly selfLoops: number };
  try {
    await mkdir(folder, { recursive: true });
    await writeEdges(file);
    found = await readPairs(file, sink, seed);
  } finally {
    await rm(file, { force: true });
  }
  if (found.read !== edges)
    throw badInput(`The generator wrote ${found.read} edges instead of ${edges}: run the command again.`);
  const { dataset, repeated } = await writeDataset(sink, { out, name, directed: false, family: 'graph500' });
  return { dataset, repeated, ...found };
}

async function readPairs(file: string, sink: EdgeSink, seed: number): Promise<{ read: number; selfLoops: number }> {
  let [read, selfLoops] = [0, 0];
  for await (const block of fileBlocks(file, PAIR)) {
    const halves = new Uint32Array(block.buffer, block.byteOffset, block.length / 4);
    for (let at = 0; at < halves.length; at += 4) {
      const [loA, hiA] = [halves[at] ?? 0, halves[at + 1] ?? 0];
      const [loB, hiB] = [halves[at + 2] ?? 0, halves[at + 3] ?? 0];
      read += 1;
      if (loA === loB && hiA === hiB) selfLoops += 1;
      else {
        const isTurned = hiA > hiB || (hiA === hiB && loA > loB);
        const weight = sink.edges.weighted
          ? isTurned
            ? weightOf(seed, hiB, loB, hiA, loA)
            : weightOf(seed, hiA, loA, hiB, loB)
          : 0;
        sink.add(hiA, loA, hiB, loB, weight);
      }
    }
  }
  return { read, selfLoops };
}

const STEPS = 1e9;

/** Uniform in (0, 1] in steps of 1e-9, from the seed and the ends alone (the smaller one first), so that edges listed twice agree. */
function weightOf(seed: number, hiA: number, loA: number, hiB: number, loB: number): number {
  let hash = mixed(0x9e3779b9, seed >>> 0);
  hash = mixed(hash, Math.floor(seed / 2 ** 32) >>> 0);
  hash = mixed(mixed(hash, hiA), loA);
  hash = mixed(mixed(hash, hiB), loB);
  return (Math.floor(((hash >>> 0) / 2 ** 32) * STEPS) + 1) / STEPS;
}

/** One round of Austin Appleby's MurmurHash3 with its finalizer. */
function mixed(hash: number, value: number): number {
  let k = Math.imul(value, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  let h = hash ^ k;
  h = Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
