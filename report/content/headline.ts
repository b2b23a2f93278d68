import { fromNodesText } from '../../modeling/index.ts';
import type { DemandRow, DominanceRow, Facts } from '../data.ts';
import { fixed, list, number, percent, seconds, teps } from '../format.ts';
import { findingsOf, LARGE_MISS, type ReportFindings, shortTitle } from './findings.ts';

/** The answer in sentences, the main one first. Each is left out where its numbers are missing. */
export function headlineOf(facts: Facts): string[] {
  const findings = findingsOf(facts);
  return [
    mainSentence(facts, findings),
    gainSentence(findings),
    needSentence(findings),
    crossingSentence(facts, findings),
    projectionSentence(findings),
    facts.why?.answer ?? null,
    missSentence(findings),
  ].filter((sentence) => sentence !== null);
}

/** A few numbers large. */
export function keyFiguresOf(facts: Facts) {
  const { main, throttled, need, crossing, miss } = findingsOf(facts);
  const tiles = [
    main && {
      label: `Time per ${facts.noun}`,
      value: seconds(main.meanCt),
      note: `${nodesText(main.nodes)}, scale ${number(main.scale)}, ${percent(main.bw)} bandwidth`,
    },
    main &&
      throttled && {
        label: `At ${percent(throttled.bw)} bandwidth`,
        value: `${number(throttled.meanCt / main.meanCt)}×`,
        note: `the time: ${seconds(throttled.meanCt)}`,
      },
    need && {
      label: 'Bandwidth needed',
      value: `${need.most.atMost ? '≤ ' : ''}${rough(need.most.bw)}`,
      note: `to be at most ${percent(10)} slower on ${nodesText(need.most.nodes)}`,
    },
    crossing && {
      label: crossing.nodes !== null && crossing.nodes > 1 ? 'Communication dominates from' : 'Communication dominates',
      value: crossing.nodes === null ? 'never' : crossing.nodes <= 1 ? 'always' : `${sizeOf(crossing)} nodes`,
      note: `by ${titleOf(facts, crossing.fit)}${crossing.doubtful ? ', which fits poorly' : ', full bandwidth'}`,
    },
    miss && {
      label: 'Prediction error',
      value: rough(miss.medianPercent),
      note: `median, ${miss.model} on ${list(miss.heldOut)} nodes, which it had not seen`,
    },
  ];
  return tiles.filter((tile) => tile !== undefined);
}

function mainSentence(facts: Facts, { main, throttled }: ReportFindings): string | null {
  if (!main) return null;
  const rate = main.harmonicMeanTeps === null ? '' : ` (${teps(main.harmonicMeanTeps)})`;
  const slower = throttled
    ? `; at ${percent(throttled.bw)} of the bandwidth it takes ${number(throttled.meanCt / main.meanCt)} times as long`
    : '';
  const where = `On ${nodesText(main.nodes)} ${bandwidthText(main.bw)}`;
  return `${where}, one ${facts.noun} of scale ${number(main.scale)} takes ${seconds(main.meanCt)}${rate}${slower}.`;
}

function gainSentence({ main, smallest }: ReportFindings): string | null {
  if (!main || !smallest) return null;
  const ratio = smallest.meanCt / main.meanCt;
  const gain = ratio >= 1 ? `it is ${number(ratio)} times as fast` : `it takes ${number(1 / ratio)} times as long`;
  const larger = number(main.nodes / smallest.nodes);
  return `With ${larger} times the nodes (${number(smallest.nodes)} to ${number(main.nodes)}) ${gain}.`;
}

function needSentence({ need }: ReportFindings): string | null {
  if (!need) return null;
  const text = ({ bw, atMost }: DemandRow): string => `${atMost ? 'at most ' : ''}${rough(bw)}`;
  const before = need.fewest ? `; ${nodesText(need.fewest.nodes)} need ${text(need.fewest)}` : '';
  return `To be at most ${percent(10)} slower than at full bandwidth, ${nodesText(need.most.nodes)} need ${text(need.most)} of the line rate${before}.`;
}

function crossingSentence(facts: Facts, { crossing }: ReportFindings): string | null {
  if (!crossing) return null;
  const { nodes, interval, within, admissibleNodes: admissible } = crossing;
  const told = { nodes: { value: nodes, ...interval }, within, admissible };
  const what = fromNodesText({ subject: 'communication', verb: 'dominates', ...told });
  const doubt = crossing.doubtful ? ', which fits these cells poorly' : '';
  return `At full bandwidth ${what}, by ${titleOf(facts, crossing.fit)}${doubt}.`;
}

function projectionSentence({ projected, miss }: ReportFindings): string | null {
  if (!projected) return null;
  const { full, low } = projected;
  if (full.abstains !== null) return `There is no answer for ${nodesText(full.nodes)}. ${full.abstains}`;
  const doubt = miss && miss.medianPercent > LARGE_MISS ? ' (a direction, not a number: see the next line)' : '';
  const slow = low ? `, and ${seconds(low.ct)} ${bandwidthText(low.bw)}` : '';
  const { low: least, high: most } = full.interval;
  const interval =
    least === null ? '' : ` (90 % interval ${seconds(least)} to ${most === null ? 'any time' : seconds(most)})`;
  return `On ${nodesText(full.nodes)} the model projects ${seconds(full.ct)}${interval} ${bandwidthText(full.bw)}${slow}${doubt}.`;
}

function missSentence({ miss }: ReportFindings): string | null {
  if (!miss) return null;
  const { model, trainedOn, heldOut, medianPercent } = miss;
  return `Trained on ${list(trainedOn)} nodes only, ${model} missed ${list(heldOut)} nodes by ${rough(medianPercent)} (median).`;
}

function sizeOf({ nodes, admissibleNodes }: DominanceRow): string {
  return number(admissibleNodes ?? nodes);
}

function titleOf({ fits }: Facts, id: string): string {
  return shortTitle(fits.find((fit) => fit.id === id)?.title ?? id);
}

function nodesText(nodes: number): string {
  return `${number(nodes)} node${nodes === 1 ? '' : 's'}`;
}

function bandwidthText(bw: number): string {
  return bw === 100 ? 'at full bandwidth' : `at ${percent(bw)}`;
}

/** Percent with no more digits than such an estimate deserves. */
function rough(value: number): string {
  return `${fixed(value, value < 10 ? 1 : 0)}\u202f%`;
}
