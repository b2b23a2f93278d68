import { readFile, realpath } from 'node:fs/promises';
import { badInput, messageOf } from '../../base/errors.ts';
import { closest, joinWords } from '../../base/text.ts';
import { parseYaml } from '../../base/yaml/parse-yaml.ts';
import { ALGORITHMS, type Algorithm, sizeOf } from '../graphs/benchmark-terms.ts';
import { type Dataset, readDatasets } from '../graphs/dataset.ts';
import { contentHash, knownDigest } from '../store/digest.ts';
import { workloadOf } from './adapters.ts';
import { type GraphFiles, graphalyticsWorkload } from './graphalytics.ts';
import type { Workload } from './workload.ts';
import { type GraphalyticsDefinition, workloadSchema } from './workload-schema.ts';

/** Workloads that have a name in place of a file. */
export const BUNDLED: readonly string[] = ['graph500', 'graphalytics'];

interface LoadOptions {
  readonly graphs?: readonly string[] | undefined;
  readonly algorithms?: readonly string[] | undefined;
  readonly validate?: number | undefined;
}

/**
 * `graph500` and `graphalytics` (with their options), or the path of a YAML file. Errors are `badInput` naming the file, the line and the key.
 */
export async function loadWorkload(
  nameOrFile: string,
  { graphs, algorithms, ...options }: LoadOptions = {},
): Promise<Workload> {
  if (nameOrFile === 'graphalytics') {
    if (graphs !== undefined) return await loadGraphalytics({ graphs, algorithms });
    throw badInput('graphalytics runs on datasets: name their folders with --graphs, such as --graphs graphs/web.');
  }
  if (graphs !== undefined || algorithms !== undefined) {
    throw badInput(`--graphs and --algorithms belong to --workload graphalytics, not to ${nameOrFile}.`);
  }
  if (nameOrFile === 'graph500') return workloadOf({ kind: 'graph500', name: 'graph500', ...options });
  const text = await readFile(nameOrFile, 'utf8').catch((error: unknown) => {
    const guess = closest(nameOrFile, BUNDLED);
    const meant = guess === undefined ? '' : `did you mean '${guess}'? Else `;
    const help = `${meant}write 'graph500', 'graphalytics' or the path of a workload's YAML file`;
    throw badInput(`workload '${nameOrFile}' cannot be read (${messageOf(error)}): ${help}.`, error);
  });
  return parseWorkload(text, nameOrFile);
}

/** A workload's YAML; `path` names it in messages. */
export function parseWorkload(text: string, path: string): Workload {
  return workloadOf(parseYaml(text, { path, schema: workloadSchema, verbatim: [['command'], ['args']] }));
}

/** Datasets to run on, folders or properties files, and which algorithms; without any, all. */
interface GraphalyticsOptions {
  readonly graphs: readonly string[];
  readonly algorithms?: readonly string[] | undefined;
}

/**
 * The kernels of Graphalytics on some datasets. Errors are `badInput`: those of a dataset's properties, files that are not
 * there, two graphs of one name, and algorithms that none of them is made for.
 */
async function loadGraphalytics({ graphs, algorithms }: GraphalyticsOptions): Promise<Workload> {
  const asked = algorithms?.map(algorithmOf);
  const datasets = (await Promise.all(graphs.map(readDatasets))).flat();
  const twice = datasets.find(({ name }, index) => datasets.findIndex((other) => other.name === name) < index);
  if (twice) throw badInput(`--graphs: two graphs are called ${twice.name}: a campaign tells graphs by their names.`);
  const possible = ALGORITHMS.filter((algorithm) => datasets.some((dataset) => dataset.algorithms.includes(algorithm)));
  const unused = asked?.find((algorithm) => !possible.includes(algorithm));
  if (unused !== undefined) {
    throw badInput(`--algorithms: ${unused} is on the list of none of ${joinWords(datasets.map(({ name }) => name))}.`);
  }
  const files = await Promise.all(datasets.map(filesOf));
  const definition = {
    kind: 'graphalytics',
    name: 'graphalytics',
    graphs: await Promise.all(
      datasets.map(async (dataset, index) => await definitionOf(dataset, files[index]?.files ?? [])),
    ),
    algorithms: possible.filter((algorithm) => asked === undefined || asked.includes(algorithm)),
  } as const satisfies GraphalyticsDefinition;
  return graphalyticsWorkload(definition, files);
}

/** What a campaign runs, on those of its graphs that some folders have. Errors: those of `loadWorkload`. */
export async function graphalyticsOn(
  definition: GraphalyticsDefinition,
  folders: readonly string[],
): Promise<Workload> {
  const datasets = (await Promise.all(folders.map(readDatasets))).flat();
  return graphalyticsWorkload(definition, await Promise.all(datasets.map(filesOf)));
}

function algorithmOf(text: string): Algorithm {
  const found = ALGORITHMS.find((algorithm) => algorithm === text.toLowerCase());
  if (found) return found;
  throw badInput(`--algorithms: '${text}' is none of ${ALGORITHMS.join(', ')}.`);
}

async function filesOf({ name, vertexFile, edgeFile, references }: Dataset): Promise<GraphFiles> {
  const real = async (path: string): Promise<string> => {
    try {
      return await realpath(path);
    } catch (error) {
      throw badInput(`${path} is not there, but the properties of ${name} name it.`, error);
    }
  };
  const [vertices, edges] = [await real(vertexFile), await real(edgeFile)];
  return { name, vertexFile: vertices, edgeFile: edges, files: [vertices, edges], references };
}

async function definitionOf(
  dataset: Dataset,
  files: readonly string[],
): Promise<GraphalyticsDefinition['graphs'][number]> {
  const { name, family, directed, weighted, vertices, edges, algorithms } = dataset;
  const digests = await Promise.all(files.map(async (file) => (await knownDigest(file)).sha256));
  return {
    ...{ name, family, directed, weighted, vertices, edges },
    scale: Math.max(0, sizeOf(dataset)),
    digest: contentHash(digests),
    parameters: Object.fromEntries(algorithms.map((algorithm) => [algorithm, told(dataset, algorithm)])),
  };
}

function told(
  { parameters }: Dataset,
  algorithm: Algorithm,
): { source?: string; iterations?: number; damping?: number } {
  switch (algorithm) {
    case 'bfs':
    case 'sssp':
      return source(parameters[algorithm]?.source);
    case 'pr':
      return parameters.pr ? { iterations: parameters.pr.iterations, damping: parameters.pr.dampingFactor } : {};
    case 'cdlp':
      return parameters.cdlp ? { iterations: parameters.cdlp.iterations } : {};
    default:
      return {};
  }
}

const source = (vertex: string | undefined): { source?: string } => (vertex === undefined ? {} : { source: vertex });
