import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertNever, badInput, PredictError, unwritable } from '../../../base/errors.ts';
import { joinWords } from '../../../base/text.ts';
import { syncPath } from '../../store/whole.ts';
import { type Algorithm, referenceName, UNREACHED } from '../benchmark-terms.ts';
import { findVertex } from '../check/read-vertices.ts';
import type { Dataset } from '../dataset.ts';
import { type Graph, loadGraph } from '../load-graph.ts';
import { LineWriter } from '../text/line-writer.ts';
import { cdlp, lcc, pageRank } from './neighbourhood.ts';
import { bfs, sssp, wcc } from './reachability.ts';

const [NEWLINE, BLANK] = [10, 32];

interface Reference {
  readonly algorithm: Algorithm;
  readonly file: string;
  readonly seconds: number;
}

/**
 * Computes outputs plainly, one after the other, and writes each beside its dataset, whole or not at all; `onWritten` hears of each.
 * Errors: badInput for a dataset that breaks the format's rules, an algorithm that its properties do not list, and (without `replace`)
 * an output that is there.
 */
export async function writeReferences(
  dataset: Dataset,
  {
    algorithms = dataset.algorithms,
    replace = false,
    onWritten = () => undefined,
  }: {
    readonly algorithms?: readonly Algorithm[];
    readonly replace?: boolean;
    readonly onWritten?: (reference: Reference) => void;
  } = {},
): Promise<readonly Reference[]> {
  const { name, folder } = dataset;
  const unknown = algorithms.filter((algorithm) => !dataset.algorithms.includes(algorithm));
  if (unknown.length > 0) {
    throw badInput(
      `${dataset.propertiesFile} does not list ${joinWords(unknown)}, so they have no parameters: add them there.`,
    );
  }
  const fileOf = (algorithm: Algorithm): string => join(folder, referenceName(name, algorithm));
  const there = algorithms.map(fileOf).filter((file) => !replace && existsSync(file));
  if (there.length > 0) throw badInput(`${joinWords(there)} already exists: add --replace to overwrite it.`);
  const graph = await loadGraph(dataset);
  const written: Reference[] = [];
  for (const algorithm of algorithms) {
    const start = performance.now();
    const putValue = outputOf(algorithm, graph, dataset);
    const file = fileOf(algorithm);
    await writeOutput(file, graph, putValue);
    const reference = { algorithm, file, seconds: (performance.now() - start) / 1000 };
    written.push(reference);
    onWritten(reference);
  }
  return written;
}

type PutValue = (writer: LineWriter, vertex: number) => void;

/** Computes an algorithm's output; how the value of a vertex is written. */
function outputOf(algorithm: Algorithm, graph: Graph, { parameters, propertiesFile }: Dataset): PutValue {
  const { ids } = graph;
  const missing = (): never => {
    throw badInput(`${propertiesFile} has no parameters of ${algorithm}: add it to the algorithms.`);
  };
  const putVertex =
    (of: ArrayLike<number>): PutValue =>
    (writer, vertex) =>
      writer.id(ids.hi(of[vertex] ?? 0), ids.lo(of[vertex] ?? 0));
  const putReal =
    (of: Float64Array): PutValue =>
    (writer, vertex) =>
      writer.real(of[vertex] ?? 0);
  switch (algorithm) {
    case 'bfs': {
      const depth = bfs(graph, sourceOf(parameters.bfs ?? missing(), graph));
      return (writer, vertex) => {
        const hops = depth[vertex] ?? -1;
        if (hops < 0) writer.text(UNREACHED);
        else writer.id(0, hops);
      };
    }
    case 'pr':
      return putReal(pageRank(graph, parameters.pr ?? missing()));
    case 'wcc':
      return putVertex(wcc(graph));
    case 'cdlp':
      return putVertex(cdlp(graph, (parameters.cdlp ?? missing()).iterations));
    case 'lcc':
      return putReal(lcc(graph));
    case 'sssp':
      return putReal(sssp(graph, sourceOf(parameters.sssp ?? missing(), graph)));
    default:
      return assertNever(algorithm);
  }
}

function sourceOf({ source }: { readonly source: string }, { ids }: Graph): number {
  return findVertex(ids, source);
}

async function writeOutput(file: string, { ids, vertices }: Graph, putValue: PutValue): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await rm(partial, { force: true });
    await LineWriter.write(partial, async (writer) => {
      for (let vertex = 0; vertex < vertices; vertex += 1) {
        writer.id(ids.hi(vertex), ids.lo(vertex));
        writer.byte(BLANK);
        putValue(writer, vertex);
        writer.byte(NEWLINE);
        if (writer.isFull) await writer.flush();
      }
    });
    await syncPath(partial);
    await rename(partial, file);
    await syncPath(dirname(file));
  } catch (error) {
    await rm(partial, { force: true });
    if (error instanceof PredictError) throw error;
    throw unwritable(file, error);
  }
}
