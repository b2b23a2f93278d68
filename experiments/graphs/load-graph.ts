import { badInput } from '../../base/errors.ts';
import { type Adjacency, rowsByTarget, rowsOfBothEnds, transpose } from './adjacency.ts';
import { Breaks, RULES } from './check/breaks.ts';
import { readFiles } from './check/check-dataset.ts';
import type { Dataset } from './dataset.ts';
import type { IdTable } from './id-table.ts';

/** A graph in memory: vertices are the numbers 0, 1, ... in ascending order of their ids. */
export interface Graph {
  readonly ids: IdTable;
  readonly vertices: number;
  readonly directed: boolean;
  /** Where edges lead to, and where they come from; the same rows in an undirected graph. */
  readonly out: Adjacency;
  readonly in: Adjacency;
}

/** Reads a dataset that keeps the rules. Errors: badInput with file and line for the first break of one. */
export async function loadGraph(dataset: Dataset): Promise<Graph> {
  const breaks = new Breaks();
  const { ids, edges } = await readFiles(dataset, breaks);
  const [broken] = breaks.all;
  const place = broken?.first[0];
  if (broken && place) {
    const where = place.line === null ? place.file : `${place.file} line ${place.line}`;
    const what = place.text === '' ? '' : ` ('${place.text}')`;
    throw badInput(
      `${where} breaks a rule${what}: a dataset must not have ${RULES[broken.rule]}. 'predict graph check' lists all errors.`,
    );
  }
  const { directed } = dataset;
  const vertices = ids.size;
  const incoming = directed ? rowsByTarget(edges, vertices) : rowsOfBothEnds(edges, vertices);
  return { ids, vertices, directed, in: incoming, out: directed ? transpose(incoming) : incoming };
}
