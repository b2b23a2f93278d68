import { escapedValue } from '../graph-properties.ts';

/** Parameters of the benchmark's own datasets. */
const [DAMPING, ITERATIONS] = [0.85, 10];

/** A properties file with the keys of Graphalytics, in their usual order; `family` is our own. */
export function propertiesText({
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
