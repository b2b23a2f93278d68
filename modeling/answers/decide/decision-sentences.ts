import { groupAlike } from '../../../base/text.ts';
import {
  formatBytes,
  formatRate,
  formatSeconds,
  intervalText,
  nodesText,
  sizeText,
  threeDigits,
} from '../../../base/units.ts';
import type { Estimate } from '../../model-records.ts';
import type { Target } from '../../rows.ts';
import { fromNodesText } from '../dominance.ts';
import { neededBandwidthText } from '../needed-bandwidth.ts';
import type { Decisions } from './decide.ts';

/** The answers in words, each with its numbers and intervals, and where there is none; times of clusters stand in tables. */
export function describeDecisions(decisions: Decisions): string[] {
  const asked = decisions.options.map(({ nodes }) => nodes);
  const within = Math.max(decisions.referenceNodes, ...asked);
  return [
    ...groupAlike(decisions.options.flatMap(({ abstains }) => abstains ?? [])).map((why) => `No prediction: ${why}`),
    ...decisions.diminishing.filter(({ abstains }) => abstains === null).map((one) => diminishingSentence(one, within)),
    ...deadlineSentences(decisions),
    ...farthest(decisions.linkRate).map((one) => linkSentence(one)),
    ...decisions.memory.flatMap((one) => memorySentence(one)),
  ];
}

const DEFINITIONS = {
  'communication-dominates': { subject: 'communication', verb: () => 'takes longer than processing' },
  'doubling-gains-less': {
    subject: 'doubling the nodes',
    verb: (percent: number | null) => `saves less than ${percent} % of the time`,
  },
  'efficiency-below': { subject: 'efficiency', verb: (percent: number | null) => `is below ${percent} %` },
  'time-rises': { subject: 'time', verb: () => 'rises with nodes' },
} as const;

function diminishingSentence(one: Decisions['diminishing'][number], within: number): string {
  const { definition, percent, bw, scale, nodes, admissibleNodes } = one;
  const { subject, verb } = DEFINITIONS[definition];
  const told = { subject, verb: verb(percent), nodes, within, admissible: admissibleNodes.value };
  return `At ${bw} % bandwidth${sizeText(scale)}, ${fromNodesText(told)}.`;
}

function deadlineSentences({ deadline, level, options }: Decisions): string[] {
  if (!deadline) return [];
  const limit = formatSeconds(deadline.seconds);
  const scale = Math.max(...options.map((one) => one.scale));
  if (!deadline.smallest) return [`None of these clusters stays under ${limit}${sizeText(scale, ' at ')}.`];
  const { ct } = deadline.smallest;
  const sure = deadline.smallestSure;
  const certain = sure
    ? same(sure, deadline.smallest)
      ? ', also with the upper end of its interval'
      : `; by the upper end of its ${Math.round(level * 100)} % interval ${where(sure)}`
    : '; with the upper end of the interval, none';
  const cheapest =
    deadline.cheapest && !same(deadline.cheapest, deadline.smallest)
      ? [`The cheapest under ${limit} is ${where(deadline.cheapest)}, ${expense(deadline.cheapest)}.`]
      : [];
  return [
    `The smallest cluster under ${limit} is ${where(deadline.smallest)} (${formatSeconds(ct.value ?? 0)}, ${intervalText(ct, formatSeconds, { level })}; ${expense(deadline.smallest)})${certain}.`,
    ...cheapest,
  ];
}

/** Of a long list the smallest and the largest cluster of each scale. */
function farthest(rates: Decisions['linkRate']): Decisions['linkRate'] {
  return rates.filter(({ nodes, scale }) => {
    const own = rates.filter((one) => one.scale === scale).map((one) => one.nodes);
    return nodes === Math.min(...own) || nodes === Math.max(...own);
  });
}

function linkSentence(needed: Decisions['linkRate'][number]): string {
  const { nodes, scale, ctiPercent, rateBps } = needed;
  const rate = rateBps?.value == null ? '' : `, ${formatRate(rateBps.value)}`;
  return `To be at most ${Math.round(ctiPercent)} % slower than on the full link, ${nodesText(nodes)} need ${neededBandwidthText(needed)} of it${sizeText(scale)}${rate}.`;
}

function memorySentence({
  scale,
  bytesPerEdge,
  totalBytes,
  bytesPerNode,
  smallestNodes,
  tooSmall,
}: Decisions['memory'][number]): string[] {
  const need = `At ${bytesPerEdge} bytes per edge the graph of scale ${scale} takes ${formatBytes(totalBytes)}`;
  if (bytesPerNode === null) return [`${need} of memory over all nodes.`];
  const least = smallestNodes === null ? 'no cluster that can run' : `at least ${nodesText(smallestNodes)}`;
  const wrong = tooSmall.length === 0 ? '' : `; it does not fit on ${tooSmall.join(', ')}`;
  return [`${need}: with ${formatBytes(bytesPerNode)} per node ${least}${wrong}.`];
}

/** `574 node-hours`, with a price `574 node-hours, cost 516`. */
function expense({ nodeHours, cost }: { readonly nodeHours: Estimate; readonly cost: Estimate | null }): string {
  const number = ({ value }: Estimate): string => (value === null ? '?' : threeDigits(value));
  return `${number(nodeHours)} node-hours${cost === null ? '' : `, cost ${number(cost)}`}`;
}

function where({ nodes, bw, scale }: Target): string {
  return `${nodesText(nodes)} at ${bw} % bandwidth${sizeText(scale)}`;
}

function same(a: Omit<Target, 'scale'>, b: Omit<Target, 'scale'>): boolean {
  return a.nodes === b.nodes && a.bw === b.bw;
}
