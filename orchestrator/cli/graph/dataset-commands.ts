import { execa } from 'execa';
import { buildProgram } from '../../../agents/build.ts';
import { parseCount } from '../../../base/bounds.ts';
import { badInput, infrastructure } from '../../../base/errors.ts';
import { joinWords, lastLines } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import { classOf } from '../../../experiments/graphs/benchmark-terms.ts';
import { type Converted, convert } from '../../../experiments/graphs/convert/convert-graph.ts';
import { FORMATS } from '../../../experiments/graphs/convert/graph-formats.ts';
import type { Dataset } from '../../../experiments/graphs/dataset.ts';
import { generate } from '../../../experiments/graphs/generate-graph.ts';
import type { Flags } from '../flags.ts';
import { note, print, printJson } from '../print.ts';

interface ConvertFlags extends Flags<'out' | 'format', 'name' | 'source', 'directed' | 'undirected'> {
  readonly weights?: string | boolean;
}

export async function convertCommand(file: string, flags: ConvertFlags): Promise<void> {
  const { out, name, source, directed, undirected, weights } = flags;
  if (directed && undirected) throw badInput('--directed and --undirected exclude each other: name one.');
  const format = FORMATS.find((one) => one === flags.format);
  if (format === undefined) throw badInput(`--format: '${flags.format}' is not one of ${FORMATS.join(', ')}.`);
  const start = performance.now();
  const result = await convert(file, {
    out,
    format,
    ...(name !== undefined && { name }),
    ...(source !== undefined && { source }),
    ...((directed || undirected) && { directed: directed === true }),
    ...(weights === false && { weights: null }),
    ...(typeof weights === 'string' && { weights }),
  });
  const seconds = (performance.now() - start) / 1000;
  for (const warning of result.warnings) note(`predict: ${warning}`);
  const { dataset, ...rest } = result;
  const { text, ...said } = describeDataset(dataset);
  if (flags.json) return printJson({ ...said, ...rest, seconds });
  print(text);
  print(`${whatWasRead(result)} in ${formatSeconds(seconds)}`);
}

function whatWasRead({ format, columns, read, selfLoops, repeated }: Converted): string {
  const { source, target, weight } = columns;
  const used = joinWords([source, target, ...(weight === null ? [] : [weight])]);
  const dropped = `${selfLoops} self-loops and ${repeated} repeated edges dropped`;
  return `${read} edges read as ${format} (columns ${used}); ${dropped},`;
}

type GenerateFlags = Flags<'scale' | 'edgeFactor' | 'seed' | 'out', 'name', 'weights'>;

export async function generateCommand(flags: GenerateFlags): Promise<void> {
  const { out, name, weights = false } = flags;
  const scale = parseCount(flags.scale, 'graph generate --scale');
  const edgeFactor = parseCount(flags.edgeFactor, 'graph generate --edge-factor');
  const seed = parseCount(flags.seed, '--seed');
  const start = performance.now();
  const { dataset, ...rest } = await generate({
    ...{ scale, edgeFactor, seed, weights, out },
    ...(name !== undefined && { name }),
    writeEdges: (file) => runGenerator(file, { scale, edgeFactor, seed }),
  });
  const seconds = (performance.now() - start) / 1000;
  const { text, ...said } = describeDataset(dataset);
  if (flags.json) return printJson({ ...said, ...rest, seconds });
  print(text);
  const { read, selfLoops, repeated } = rest;
  const dropped = `${selfLoops} self-loops and ${repeated} repeated edges dropped`;
  print(`${read} edges generated; ${dropped}, in ${formatSeconds(seconds)}`);
}

/** The bundled Graph500's generator, on one rank. */
async function runGenerator(
  file: string,
  { scale, edgeFactor, seed }: { readonly scale: number; readonly edgeFactor: number; readonly seed: number },
): Promise<void> {
  const graph500 = await buildProgram('graph500');
  const words = { '--scale': scale, '--edgefactor': edgeFactor, '--seed': seed, '--edges-out': file };
  const result = await execa(graph500, Object.entries(words).flat().map(String), { reject: false, all: true });
  if (result.failed)
    throw infrastructure(`The generator of edges failed: ${lastLines(result.all ?? result.shortMessage)}`);
}

/** What a command says of a dataset that it made: plain data, and the same in one line. */
function describeDataset({ name, folder, vertices, edges, directed, weighted, parameters, family }: Dataset) {
  const said = { name, folder, vertices, edges, directed, weighted, class: classOf(vertices, edges), family };
  const source = parameters.bfs?.source ?? null;
  const kind = `${directed ? 'directed' : 'undirected'}, ${weighted ? 'with' : 'without'} weights`;
  const text = `${name}: ${vertices} vertices, ${edges} edges, ${kind}, class ${said.class}, source ${source}: ${folder}`;
  return { ...said, source, text };
}
