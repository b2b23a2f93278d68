import type { Dataset } from '../../../experiments/graphs/dataset.ts';
import { classOf } from '../../../experiments/graphs/size.ts';

/** What a command says of a dataset that it made: plain data, and the same in one line. */
export function describeDataset({ name, folder, vertices, edges, directed, weighted, parameters, family }: Dataset) {
  const said = { name, folder, vertices, edges, directed, weighted, class: classOf(vertices, edges), family };
  const source = parameters.bfs?.source ?? null;
  const kind = `${directed ? 'directed' : 'undirected'}, ${weighted ? 'with' : 'without'} weights`;
  const text = `${name}: ${vertices} vertices, ${edges} edges, ${kind}, class ${said.class}, source ${source}: ${folder}`;
  return { ...said, source, text };
}
