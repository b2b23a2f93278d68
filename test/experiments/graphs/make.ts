import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { projectRoot } from '../../../base/paths.ts';
import { type Converted, convert } from '../../../experiments/graphs/convert/convert-graph.ts';
import { tempFolder } from '../make.ts';

export const SAMPLES = join(projectRoot(), 'test/fixtures/graphalytics');

/** A text in a file of a folder that goes with its test. */
export function textFile(text: string | Uint8Array, name = 'edges.txt'): string {
  const file = join(tempFolder(), name);
  writeFileSync(file, text);
  return file;
}

/** A dataset of an edge list. */
export async function converted(
  text: string | Uint8Array,
  { file = 'edges.txt', ...options }: Partial<Parameters<typeof convert>[1]> & { readonly file?: string } = {},
): Promise<Converted> {
  const source = textFile(text, file);
  return await convert(source, { out: join(tempFolder(), 'made'), ...options });
}

/** A dataset written by hand: what is not given is right for the edges that are. */
export function handmade({
  vertices = '1\n2\n3\n',
  edges = '1 2\n1 3\n',
  directed = false,
  weighted = false,
  meta = [vertices.split('\n').length - 1, edges.split('\n').length - 1] as const,
  source = '1',
  properties,
}: {
  readonly vertices?: string;
  readonly edges?: string;
  readonly directed?: boolean;
  readonly weighted?: boolean;
  readonly meta?: readonly [number, number];
  readonly source?: string;
  readonly properties?: string;
}): string {
  const folder = join(tempFolder(), 'g');
  mkdirSync(folder);
  writeFileSync(join(folder, 'g.v'), vertices);
  writeFileSync(join(folder, 'g.e'), edges);
  const lines = [
    ...['vertex-file = g.v', 'edge-file = g.e', `meta.vertices = ${meta[0]}`, `meta.edges = ${meta[1]}`],
    ...[`directed = ${directed}`, `algorithms = bfs, cdlp, lcc, pr, wcc${weighted ? ', sssp' : ''}`],
    ...(weighted ? ['edge-properties.names = weight', 'edge-properties.types = real'] : []),
    ...[`bfs.source-vertex = ${source}`, 'pr.damping-factor = 0.85', 'pr.num-iterations = 10'],
    ...['cdlp.max-iterations = 10', `sssp.source-vertex = ${source}`, 'sssp.weight-property = weight'],
  ];
  const text = properties ?? `${lines.map((line) => `graph.g.${line}`).join('\n')}\n`;
  writeFileSync(join(folder, 'g.properties'), text);
  return folder;
}

/** Edges among few vertices, so that there are loops, repeated ones and triangles; some ids have 63 bits. */
export const edgeLists = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 11 }),
    to: fc.integer({ min: 0, max: 11 }),
    weight: fc.integer({ min: 0, max: 40 }).map((quarters) => quarters / 4),
  }),
  { minLength: 1, maxLength: 60 },
);

const LARGE = 2n ** 63n - 1n;

/** The vertex n of a list is this id: ascending, not in a row, the last ones as large as ids get. */
export function idOf(vertex: number): bigint {
  return vertex > 9 ? LARGE - 11n + BigInt(vertex) : BigInt(vertex * vertex + 3);
}
