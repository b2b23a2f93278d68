import { execa } from 'execa';
import { buildProgram } from '../../../agents/build.ts';
import { parseCount } from '../../../base/bounds.ts';
import { infrastructure } from '../../../base/errors.ts';
import { lastLines } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import { generate } from '../../../experiments/graphs/generate-graph.ts';
import type { Flags } from '../flags.ts';
import { print, printJson } from '../print.ts';
import { describeDataset } from './describe-dataset.ts';

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
