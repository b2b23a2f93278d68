import { statSync } from 'node:fs';
import { type Algorithm, classOf, scaleOf, sizeOf } from '../benchmark-terms.ts';
import { type AlgorithmParameters, type Dataset, readDataset } from '../dataset.ts';
import type { EdgeList } from '../edge-list.ts';
import type { IdTable } from '../id-table.ts';
import { Breaks, type BrokenRule } from './breaks.ts';
import { readGraphEdges } from './read-graph-edges.ts';
import { type FileFacts, findVertex, readVertices } from './read-vertices.ts';

/** Fewest and most edges of a vertex; the vertex is the first of those with most. */
export interface DegreeRange {
  readonly least: number;
  readonly most: number;
  readonly vertex: string;
}

/** What is in a dataset, and what of it breaks the format's rules. */
export interface DatasetCheck {
  readonly name: string;
  readonly folder: string;
  /** As counted in the files. */
  readonly vertices: number;
  readonly edges: number;
  readonly directed: boolean;
  readonly weighted: boolean;
  readonly scale: number;
  readonly class: string;
  /** null without edges. */
  readonly size: number | null;
  readonly family: string;
  /** `in` is null for an undirected graph. */
  readonly degrees: { readonly out: DegreeRange; readonly in: DegreeRange | null } | null;
  readonly isolated: number;
  readonly algorithms: readonly Algorithm[];
  readonly parameters: AlgorithmParameters;
  readonly references: Dataset['references'];
  readonly ok: boolean;
  readonly broken: readonly BrokenRule[];
  readonly warnings: readonly string[];
}

/** Reads all of a dataset once. Errors: badInput for properties that cannot be read, and for missing files. */
export async function checkDataset(path: string): Promise<DatasetCheck> {
  const dataset = await readDataset(path);
  const breaks = new Breaks();
  const { ids, edges, files } = await readFiles(dataset, breaks);
  const degrees = degreesOf(edges, ids.size);
  const all = breaks.all;
  const { name, folder, directed, weighted, family, algorithms, parameters, references } = dataset;
  return {
    name,
    folder,
    vertices: ids.size,
    edges: edges.length,
    directed,
    weighted,
    scale: ids.size === 0 ? 0 : scaleOf(ids.size, edges.length),
    class: classOf(ids.size, edges.length),
    size: edges.length === 0 ? null : sizeOf({ name, edges: edges.length }),
    family,
    degrees: ids.size === 0 ? null : rangesOf(degrees, ids, directed),
    isolated: isolatedOf(degrees),
    algorithms,
    parameters,
    references,
    ok: all.length === 0,
    broken: all,
    warnings: [
      ...dataset.warnings,
      ...files.flatMap(warningsOf),
      ...(edges.length === 0 && ids.size > 0 ? [`${name} has no edges.`] : []),
    ],
  };
}

/** The ends and weights of a dataset's edges, and all that breaks a rule in it. */
export async function readFiles(dataset: Dataset, breaks: Breaks) {
  const { vertexFile, edgeFile, propertiesFile, parameters } = dataset;
  const { ids, ...vertexFacts } = await readVertices(vertexFile, roomFor(dataset), breaks);
  const { edges, ...edgeFacts } = await readGraphEdges(dataset, ids, breaks);
  for (const algorithm of ['bfs', 'sssp'] as const) {
    const source = parameters[algorithm]?.source;
    if (source === undefined || findVertex(ids, source) >= 0) continue;
    breaks.add('source', propertiesFile, null, () => `${algorithm}.source-vertex = ${source}`);
  }
  const counted = { vertices: vertexFacts.lines, edges: edgeFacts.lines };
  for (const what of ['vertices', 'edges'] as const) {
    if (counted[what] === dataset[what]) continue;
    const said = `meta.${what} = ${dataset[what]}, but the file has ${counted[what]} lines`;
    breaks.add('count', propertiesFile, null, () => said);
  }
  return {
    ids,
    edges,
    files: [
      { file: vertexFile, ...vertexFacts },
      { file: edgeFile, ...edgeFacts },
    ],
  };
}

/** What the properties say, but no more than the file has room for. */
function roomFor({ vertexFile, vertices }: Dataset): number {
  return Math.min(vertices, (statSync(vertexFile, { throwIfNoEntry: false })?.size ?? 0) / 2);
}

function warningsOf({ file, isEnded, hasReturns, lines }: FileFacts & { readonly file: string }): string[] {
  return [
    ...(hasReturns ? [`${file} has lines that end in CR LF: the format requires LF.`] : []),
    ...(isEnded || lines === 0 ? [] : [`${file} does not end with a newline: it may be truncated.`]),
  ];
}

interface Degrees {
  readonly out: Uint32Array;
  readonly in: Uint32Array;
}

function degreesOf(edges: EdgeList, vertices: number): Degrees {
  const degrees = { out: new Uint32Array(vertices), in: new Uint32Array(vertices) };
  for (const { from, to, length } of edges.chunks) {
    for (let edge = 0; edge < length; edge += 1) {
      degrees.out[from[edge] ?? 0] = (degrees.out[from[edge] ?? 0] ?? 0) + 1;
      degrees.in[to[edge] ?? 0] = (degrees.in[to[edge] ?? 0] ?? 0) + 1;
    }
  }
  return degrees;
}

function isolatedOf(degrees: Degrees): number {
  let isolated = 0;
  for (let vertex = 0; vertex < degrees.out.length; vertex += 1) {
    if (degrees.out[vertex] === 0 && degrees.in[vertex] === 0) isolated += 1;
  }
  return isolated;
}

function rangesOf(degrees: Degrees, ids: IdTable, directed: boolean): { out: DegreeRange; in: DegreeRange | null } {
  if (directed) return { out: rangeOf(degrees.out, ids), in: rangeOf(degrees.in, ids) };
  const both = degrees.out.map((degree, vertex) => degree + (degrees.in[vertex] ?? 0));
  return { out: rangeOf(both, ids), in: null };
}

function rangeOf(degrees: Uint32Array, ids: IdTable): DegreeRange {
  let [least, most] = [0, 0];
  for (let vertex = 1; vertex < degrees.length; vertex += 1) {
    if ((degrees[vertex] ?? 0) < (degrees[least] ?? 0)) least = vertex;
    if ((degrees[vertex] ?? 0) > (degrees[most] ?? 0)) most = vertex;
  }
  return { least: degrees[least] ?? 0, most: degrees[most] ?? 0, vertex: ids.text(most) };
}
