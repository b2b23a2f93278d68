import { parseCount, RANGES } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { parseRange } from '../../../base/ranges.ts';
import { joinWords } from '../../../base/text.ts';
import { formatBytes, trimNumber } from '../../../base/units.ts';
import { readDataset } from '../../../experiments/graphs/dataset.ts';
import { loadGraph } from '../../../experiments/graphs/load-graph.ts';
import { predictTraffic, type TrafficPrediction } from '../../../experiments/graphs/traffic/predict-traffic.ts';
import { type Flags, given } from '../flags.ts';
import { left, note, print, printJson, printTable, right } from '../print.ts';
import { parseAlgorithms } from './check-command.ts';

/** What the bundled kernels send on a dataset, from its edges: nothing is run on any host. */
export async function predictCommand(
  path: string,
  flags: Flags<'nodes' | 'ranksPerNode', 'algorithms'>,
): Promise<void> {
  const nodes = parseRange(flags.nodes, { what: 'graph predict --nodes', ...RANGES['--nodes'] });
  const ranksPerNode = parseCount(flags.ranksPerNode, '--ranks-per-node');
  const dataset = await readDataset(path);
  const { name, vertices, edges, directed, parameters, propertiesFile } = dataset;
  const algorithms = given(flags.algorithms, parseAlgorithms) ?? dataset.algorithms;
  const unknown = algorithms.filter((algorithm) => !dataset.algorithms.includes(algorithm));
  if (unknown.length > 0) {
    throw badInput(
      `${propertiesFile} does not list ${joinWords(unknown)}: without its parameters nothing can be predicted; add them there.`,
    );
  }
  for (const warning of dataset.warnings) note(`predict: ${warning}`);
  const ranks = nodes.map((count) => count * ranksPerNode);
  const prediction = predictTraffic(await loadGraph(dataset), { algorithms, parameters, ranks });
  if (flags.json) return printJson({ name, vertices, edges, directed, ranksPerNode, ...prediction });
  const kind = directed ? 'directed' : 'undirected';
  print(
    `${name}: ${vertices} vertices, ${edges} edges, ${kind}, ${ranksPerNode} ${ranksPerNode === 1 ? 'rank' : 'ranks'} per node`,
  );
  printPrediction(prediction, { ranksPerNode, most: Math.max(...ranks) });
}

function printPrediction(
  { balance, kernels }: TrafficPrediction,
  { ranksPerNode, most }: { readonly ranksPerNode: number; readonly most: number },
): void {
  printTable(balance, [
    right('nodes', ({ ranks }) => ranks / ranksPerNode),
    right('ranks', ({ ranks }) => ranks),
    right('copies per rank', ({ valuesPerRank }) => Math.round(valuesPerRank)),
    right('by degrees alone', ({ expectedValuesPerRank }) => Math.round(expectedValuesPerRank)),
    right('of PR by degrees', ({ expectedCoveredValuesPerRank }) => Math.round(expectedCoveredValuesPerRank)),
    right('edges max/mean', ({ edgeBalance }) => edgeBalance.toFixed(2)),
  ]);
  print('');
  printTable(
    kernels.flatMap(({ algorithm, at }) => at.map((one) => ({ algorithm, ...one }))),
    [
      left('kernel', ({ algorithm }) => algorithm),
      right('nodes', ({ ranks }) => ranks / ranksPerNode),
      right('bytes per rank', ({ bytesPerRank }) => formatBytes(bytesPerRank)),
      right('bytes in all', ({ bytes }) => formatBytes(bytes)),
      right('messages', ({ messages }) => messages),
      right('supersteps', ({ supersteps }) => supersteps),
      right('sent max/mean', ({ sendImbalance }) => sendImbalance.toFixed(2)),
      right('edges max/mean', ({ edgeImbalance }) => edgeImbalance.toFixed(2)),
    ],
  );
  print('');
  for (const { algorithm, from, isExact, sends, fallsBelowTwo, edgesAre, at } of kernels) {
    const known = isExact
      ? `exact, from ${from === 'edges' ? 'the edges' : 'a serial run'}`
      : 'near, from a serial run';
    const falls =
      fallsBelowTwo === null
        ? `On ${most} ranks, a rank sends no less than one of two.`
        : `From ${fallsBelowTwo} ranks on, a rank sends less than one of two.`;
    const read = at.map(({ edgesRead }) => trimNumber(edgesRead))[0] ?? '0';
    const ends = `It reads ${edgesAre === 'exact' ? '' : `${edgesAre} `}${read} ends of edges.`;
    print(`${algorithm} (${known}) sends ${sends}. ${falls} ${ends}`);
  }
}
