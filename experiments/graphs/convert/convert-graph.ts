import { existsSync } from 'node:fs';
import { badInput } from '../../../base/errors.ts';
import { type Dataset, readDataset } from '../dataset.ts';
import { EdgeSink } from '../edge-list.ts';
import { forEachLine } from '../text/line-blocks.ts';
import { ID, Scanner } from '../text/scanner.ts';
import { type Layout, type LayoutOptions, readLayout } from './graph-formats.ts';
import { readEdges } from './read-edges.ts';
import { type DatasetOptions, datasetName, writeDataset } from './write-dataset.ts';

interface ConvertOptions extends LayoutOptions, Omit<DatasetOptions, 'directed' | 'family'> {
  /** What the file says by default; an error where it says nothing. */
  readonly directed?: boolean;
}

/** What became of an edge list. */
export interface Converted {
  readonly dataset: Dataset;
  readonly format: Layout['format'];
  /** Which columns are the ends and the weight: their names, else their numbers from 1. */
  readonly columns: { readonly source: string; readonly target: string; readonly weight: string | null };
  /** Edges in the file. */
  readonly read: number;
  readonly selfLoops: number;
  /** Edges beyond the first of their ends; of an undirected graph those listed both ways, too. */
  readonly repeated: number;
  readonly warnings: readonly string[];
}

/**
 * Makes a dataset of an edge list. Vertices are the ends of edges (of self-loops too), and those of the `.v` beside a `.e`.
 * Holds 8 bytes per edge, 16 with weights, and as much again while it sorts. Errors: badInput with file and line, unwritable.
 */
export async function convert(file: string, options: ConvertOptions): Promise<Converted> {
  datasetName(options);
  const found = await readLayout(file, options);
  const beside = found.format === 'graphalytics' ? await graphalyticsFiles(file) : null;
  const directed = options.directed ?? beside?.directed ?? found.directed;
  if (directed === null)
    throw badInput(`${file} does not state whether its edges are directed: add --directed or --undirected.`);
  const layout = { ...found, directed };
  const sink = new EdgeSink(layout.weight !== null);
  if (beside?.vertexFile) await readVertexIds(beside.vertexFile, sink);
  const read = await readEdges(file, layout, sink);
  const { selfLoops } = sink;
  const { dataset, repeated } = await writeDataset(sink, { ...options, directed });
  const label = (column: number): string => layout.names?.[column] ?? String(column + 1);
  return {
    dataset,
    format: layout.format,
    columns: {
      source: label(layout.source),
      target: label(layout.target),
      weight: layout.weight === null ? null : label(layout.weight),
    },
    read,
    selfLoops,
    repeated,
    warnings: warningsOf(file, layout, read),
  };
}

function warningsOf(file: string, { announced, columns, weight, matrix }: Layout, read: number): string[] {
  const isShort = matrix === null && announced !== null && announced !== read;
  return [
    ...(isShort ? [`${file} announces ${announced} edges but has ${read}: it may be truncated.`] : []),
    ...(weight === null && columns > 2
      ? [`Only the two vertex columns are read of the ${columns} columns in ${file}.`]
      : []),
  ];
}

/** What lies beside NAME.e: its vertices, and what its properties say. */
async function graphalyticsFiles(
  file: string,
): Promise<{ readonly vertexFile: string | null; readonly directed: boolean | undefined }> {
  const stem = file.replace(/\.e(?:\.gz)?$/, '');
  const vertexFile = [`${stem}.v`, `${stem}.v.gz`].find((path) => path !== file && existsSync(path)) ?? null;
  const properties = `${stem}.properties`;
  return { vertexFile, directed: existsSync(properties) ? (await readDataset(properties)).directed : undefined };
}

async function readVertexIds(file: string, { ids }: EdgeSink): Promise<void> {
  const scanner = new Scanner();
  await forEachLine(file, scanner, (line) => {
    const byte = scanner.id() === ID.ok ? scanner.bytes[scanner.at] : 0;
    if (byte !== undefined && byte !== 10 && byte !== 13) throw badInput(`${file} line ${line} is not a vertex id.`);
    ids.add(scanner.hi, scanner.lo);
  });
}
