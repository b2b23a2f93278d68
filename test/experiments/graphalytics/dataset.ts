import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Made {
  readonly name: string;
  readonly weighted?: boolean;
  readonly family?: string;
  /** A path of so many vertices. */
  readonly vertices?: number;
}

/** A dataset of its own folder: an undirected path 1 - 2 - ... with the reference output of BFS from vertex 1. */
export function pathDataset(root: string, { name, weighted = false, family, vertices = 40 }: Made): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const ids = Array.from({ length: vertices }, (_, index) => index + 1);
  const lines = (texts: readonly string[]): string => `${texts.join('\n')}\n`;
  writeFileSync(join(folder, `${name}.v`), lines(ids.map(String)));
  const edges = ids.slice(1).map((id) => `${id - 1} ${id}${weighted ? ' 0.5' : ''}`);
  writeFileSync(join(folder, `${name}.e`), lines(edges));
  writeFileSync(join(folder, `${name}-BFS`), lines(ids.map((id) => `${id} ${id - 1}`)));
  const properties = {
    'vertex-file': `${name}.v`,
    'edge-file': `${name}.e`,
    'meta.vertices': ids.length,
    'meta.edges': edges.length,
    directed: false,
    ...(family === undefined ? {} : { family }),
    ...(weighted ? { 'edge-properties.names': 'weight', 'edge-properties.types': 'real' } : {}),
    algorithms: `bfs, pr, wcc${weighted ? ', sssp' : ''}`,
    'bfs.source-vertex': 1,
    'pr.damping-factor': 0.85,
    'pr.num-iterations': 7,
    ...(weighted ? { 'sssp.source-vertex': 2, 'sssp.weight-property': 'weight' } : {}),
  };
  const text = Object.entries(properties).map(([key, value]) => `graph.${name}.${key} = ${value}`);
  writeFileSync(join(folder, `${name}.properties`), lines(text));
  return folder;
}
