import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { badInput } from '../../../base/errors.ts';
import { PATH_NAME, PATH_NAME_RULE } from '../../../base/paths.ts';
import { shortened } from '../../../base/text.ts';
import { writeFolderWhole } from '../../store/whole.ts';
import { type Adjacency, sortedRows } from '../adjacency.ts';
import { findVertex } from '../check/read-vertices.ts';
import { type Dataset, readDataset } from '../dataset.ts';
import type { EdgeSink } from '../edge-list.ts';
import { escapedValue } from '../graph-properties.ts';
import type { IdTable } from '../id-table.ts';
import { LineWriter } from '../text/line-writer.ts';

const [NEWLINE, BLANK] = [10, 32];

export interface DatasetOptions {
  /** A folder that is not there yet. */
  readonly out: string;
  /** The folder's name by default. */
  readonly name?: string;
  readonly directed: boolean;
  /** Where searches begin; by default at the vertex with most out-edges, the one of the smallest id among several. */
  readonly source?: string;
  readonly family?: string;
}

/** The name that a dataset in a folder gets. Errors: badInput for a name that keys and files cannot have, or a folder that is there. */
export function datasetName({ out, name = basename(resolve(out)) }: Pick<DatasetOptions, 'out' | 'name'>): string {
  if (!PATH_NAME.test(name))
    throw badInput(`'${shortened(name)}' cannot be a graph's name: ${PATH_NAME_RULE} (--name).`);
  if (existsSync(out)) throw badInput(`${out} already exists: remove it, or choose another folder.`);
  return name;
}

/**
 * Writes the edges of a sink as a dataset of Graphalytics, in a folder that appears whole or not at all: ids ascending, edges sorted,
 * undirected ones once and from the smaller id; of repeated ones the first stays. Empties the sink. Errors: badInput, unwritable.
 */
export async function writeDataset(
  sink: EdgeSink,
  options: DatasetOptions,
): Promise<{ readonly dataset: Dataset; readonly repeated: number }> {
  const { out, directed, family } = options;
  const name = datasetName(options);
  const { ids, edges } = sink;
  if (ids.size === 0) throw badInput('There are no edges, so no graph can be made: check the file.');
  renumber(sink, directed);
  const sorted = sortedRows(edges, ids.size);
  const { rows, repeated } = dropRepeated(sorted);
  const source = options.source === undefined ? ids.text(busiest(rows, directed)) : knownId(options.source, ids);
  const text = propertiesText({
    name,
    directed,
    weighted: edges.weighted,
    vertices: ids.size,
    edges: rows.targets.length,
    source,
    ...(family !== undefined && { family }),
  });
  await writeFolderWhole(resolve(out), async (folder) => {
    await LineWriter.write(join(folder, `${name}.v`), (writer) => writeVertices(writer, ids));
    await LineWriter.write(join(folder, `${name}.e`), (writer) => writeEdges(writer, ids, rows));
    await writeFile(join(folder, `${name}.properties`), text);
  });
  return { dataset: await readDataset(join(out, `${name}.properties`)), repeated };
}

/** Numbers become those of ascending ids; undirected edges are turned towards the larger. */
function renumber({ ids, edges }: EdgeSink, directed: boolean): void {
  const ranks = ids.sortAscending();
  for (const { from, to, length } of edges.chunks) {
    for (let edge = 0; edge < length; edge += 1) {
      const [a, b] = [ranks[from[edge] ?? 0] ?? 0, ranks[to[edge] ?? 0] ?? 0];
      const isTurned = !directed && a > b;
      from[edge] = isTurned ? b : a;
      to[edge] = isTurned ? a : b;
    }
  }
}

/** The vertex with most out-edges; all of its edges count in an undirected graph. */
function busiest({ offsets, targets }: Adjacency, directed: boolean): number {
  const degrees = new Uint32Array(offsets.length - 1);
  for (let row = 0; row < degrees.length; row += 1) degrees[row] = (offsets[row + 1] ?? 0) - (offsets[row] ?? 0);
  if (!directed) {
    for (let edge = 0; edge < targets.length; edge += 1) {
      degrees[targets[edge] ?? 0] = (degrees[targets[edge] ?? 0] ?? 0) + 1;
    }
  }
  let best = 0;
  for (let vertex = 1; vertex < degrees.length; vertex += 1) {
    if ((degrees[vertex] ?? 0) > (degrees[best] ?? 0)) best = vertex;
  }
  return best;
}

function knownId(text: string, ids: IdTable): string {
  const vertex = findVertex(ids, text);
  if (vertex < 0) throw badInput(`--source: the graph has no vertex '${shortened(text)}'.`);
  return ids.text(vertex);
}

async function writeVertices(writer: LineWriter, ids: IdTable): Promise<void> {
  for (let vertex = 0; vertex < ids.size; vertex += 1) {
    writer.id(ids.hi(vertex), ids.lo(vertex));
    writer.byte(NEWLINE);
    if (writer.isFull) await writer.flush();
  }
}

async function writeEdges(writer: LineWriter, ids: IdTable, { offsets, targets, weights }: Adjacency): Promise<void> {
  for (let row = 0; row < ids.size; row += 1) {
    const [hi, lo, end] = [ids.hi(row), ids.lo(row), offsets[row + 1] ?? 0];
    for (let edge = offsets[row] ?? 0; edge < end; edge += 1) {
      const target = targets[edge] ?? 0;
      writer.id(hi, lo);
      writer.byte(BLANK);
      writer.id(ids.hi(target), ids.lo(target));
      if (weights !== null) {
        writer.byte(BLANK);
        writer.real(weights[edge] ?? 0);
      }
      writer.byte(NEWLINE);
      if (writer.isFull) await writer.flush();
    }
  }
}

/** The first of equal neighbours in each row, which lie beside each other in ascending rows. Works in place. */
function dropRepeated({ offsets, targets, weights }: Adjacency): {
  readonly rows: Adjacency;
  readonly repeated: number;
} {
  let kept = 0;
  let start = 0;
  for (let row = 0; row + 1 < offsets.length; row += 1) {
    const end = offsets[row + 1] ?? 0;
    const rowStart = kept;
    for (let edge = start; edge < end; edge += 1) {
      const target = targets[edge] ?? 0;
      if (kept > rowStart && targets[kept - 1] === target) continue;
      targets[kept] = target;
      if (weights !== null) weights[kept] = weights[edge] ?? 0;
      kept += 1;
    }
    start = end;
    offsets[row + 1] = kept;
  }
  return {
    rows: { offsets, targets: targets.subarray(0, kept), weights: weights?.subarray(0, kept) ?? null },
    repeated: targets.length - kept,
  };
}

/** Parameters of the benchmark's own datasets. */
const [DAMPING, ITERATIONS] = [0.85, 10];

/** A properties file with the keys of Graphalytics, in their usual order; `family` is our own. */
function propertiesText({
  name,
  directed,
  weighted,
  vertices,
  edges,
  source,
  family,
}: {
  readonly name: string;
  readonly directed: boolean;
  readonly weighted: boolean;
  readonly vertices: number;
  readonly edges: number;
  readonly source: string;
  readonly family?: string;
}): string {
  const key = (suffix: string, value: string | number | boolean): string =>
    `graph.${name}.${suffix} = ${escapedValue(String(value))}`;
  return [
    `# The graph ${name}`,
    '',
    key('vertex-file', `${name}.v`),
    key('edge-file', `${name}.e`),
    '',
    key('meta.vertices', vertices),
    key('meta.edges', edges),
    ...(family === undefined ? [] : [key('family', family)]),
    '',
    key('directed', directed),
    '',
    ...(weighted ? [key('edge-properties.names', 'weight'), key('edge-properties.types', 'real'), ''] : []),
    key('algorithms', `bfs, cdlp, lcc, pr, ${weighted ? 'sssp, ' : ''}wcc`),
    '',
    key('bfs.source-vertex', source),
    key('cdlp.max-iterations', ITERATIONS),
    key('pr.damping-factor', DAMPING),
    key('pr.num-iterations', ITERATIONS),
    ...(weighted ? [key('sssp.weight-property', 'weight'), key('sssp.source-vertex', source)] : []),
    '',
  ].join('\n');
}
