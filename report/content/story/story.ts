import { ascending, at, attempt } from '../../../base/index.ts';
import type { Campaign, CellRecord } from '../../../experiments/index.ts';
import {
  bestSize,
  createAbstention,
  type Estimate,
  estimate,
  insidePercent,
  neededBandwidth,
  nextCells,
  type Parts,
  partsOf,
  predict,
  type Rows,
  savingPercent,
  smallestAdmissible,
} from '../../../modeling/index.ts';
import type { Facts } from '../../data.ts';
import { measuredTime } from '../alike.ts';
import type { NamedFit } from '../fits.ts';
import { missOf } from '../miss.ts';
import { extrapolating } from '../predictions.ts';
import { mainSetting, type Setting } from '../time-over.ts';
import { bandwidthLine } from './bandwidth.ts';
import { blindLine } from './blind.ts';
import { heldUp } from './held-up.ts';
import { judgeLink, type LimitFacts, limitLine } from './limit.ts';
import type { StoryLine } from './line.ts';
import { type Advised, nextLine } from './next.ts';
import { pathShares } from './path-shares.ts';
import { judgeSize, type SizeFacts, sizeLine } from './size.ts';
import { verdictLine } from './verdict.ts';

/** Increment (percent) for which the needed bandwidth is said. */
const ACCEPTED = 10;
/** Sizes that the fastest one is looked for among. */
const MOST_SIZES = 200;
/** Of the cells to measure next, as many as people read. */
const NEXT_CELLS = 3;
/** The next cells may cost as much as this share of the campaign did. */
const NEXT_SHARE = 0.5;
/** Cells that leave more of the standard error than this tell little. */
const LITTLE = 0.95;

/** What a story is told from, beside the facts of the report. */
export interface StoryInput {
  readonly rows: Rows;
  /** The preferred one first. */
  readonly fits: readonly NamedFit[];
  readonly isAdmissible: (nodes: number) => boolean;
  readonly records: readonly CellRecord[];
  readonly planned: Campaign;
}

/**
 * The story of a campaign, one answer per question: what to buy, the fastest size, how far off a blind prediction was, what limits the largest
 * measured cluster, the bandwidth that it needs, what to measure next. Empty where nothing was measured.
 */
export function storyOf(facts: Facts, input: StoryInput): StoryLine[] {
  if (facts.points.length === 0) return [];
  const setting = mainSetting(facts.points);
  const preferred = extrapolating(input.fits).find(({ fit }) => fit.trainedOn.scales.includes(setting.scale)) ?? null;
  const model = preferred !== null && answersAt(facts, preferred, setting) ? preferred : null;
  const told = { ...input, setting, model };
  const [size, limit] = [sizeFacts(facts, told), limitFacts(facts, told)];
  const bandwidth = bandwidthOf(facts, told);
  const blind = missOf(facts);
  const verdict = verdictLine({
    measured: size.measured,
    size: judgeSize(size),
    more: moreNodes(told),
    insidePercent: blind === undefined ? null : insidePercent(blind.rows),
    link: judgeLink(limit),
    faster: fasterLink(told, limit.parts),
    bandwidth,
    lineRateBps: facts.campaign.lineRateBps,
  });
  return [verdict, sizeLine(size), blindLine(facts), limitLine(limit), bandwidth, nextOf(facts, told)];
}

/** Twice as many nodes as were measured, or the next count that can run, and what they save. */
function moreNodes({ setting, model, isAdmissible }: StoryInput & Told) {
  const nodes = smallestAdmissible(2 * setting.nodes, isAdmissible);
  if (model === null || nodes === null) return null;
  const to = { ...setting, nodes };
  return attempt(() => {
    const time = estimate(model.ensemble, (fit) => predict(fit, to));
    const abstains = createAbstention(model.ensemble)(to, time);
    return abstains === null ? { nodes, saving: savingPercent(model.ensemble, { from: setting, to }) } : null;
  });
}

/** What faster links save at the setting; null where the models know one bandwidth alone. */
function fasterLink({ setting, model }: Told, parts: Parts | null): { twice: Estimate; endless: Estimate } | null {
  if (model === null || parts === null || !model.row.usesBandwidth) return null;
  const to = { ...setting, bw: 2 * setting.bw };
  const twice = attempt(() => savingPercent(model.ensemble, { from: setting, to }));
  return twice && { twice, endless: parts.percent.link };
}

/** A model that has no answer for what was measured tells nothing else either. */
function answersAt({ projections }: Facts, { row }: NamedFit, { nodes, scale, bw }: Setting): boolean {
  return projections.some(
    (one) => one.fit === row.id && one.nodes === nodes && one.scale === scale && one.bw === bw && one.abstains === null,
  );
}

interface Told {
  readonly setting: Setting;
  readonly model: NamedFit | null;
}

function sizeFacts(facts: Facts, { setting, model, isAdmissible }: StoryInput & Told): SizeFacts {
  const { scale, bw } = setting;
  const measured = facts.points
    .filter((point) => point.scale === scale && point.bw === bw)
    .map((point) => ({ nodes: point.nodes, ...measuredTime(point) }));
  const farthest = answeredBeyond(facts, { setting, model }).at(-1);
  const reach = farthest?.nodes ?? setting.nodes;
  const projected = farthest ? { value: farthest.ct, ...farthest.interval } : null;
  const nodes = sizesBetween(at(measured, 0).nodes, reach, isAdmissible);
  const best = model && measured.length > 1 ? attempt(() => bestSize(model.ensemble, { nodes, bw, scale })) : null;
  return { measured, best, reach, projected, scale, bw, noun: facts.noun };
}

/** The projections beyond all measured sizes, up to the first without an answer. */
function answeredBeyond({ projections }: Facts, { setting, model }: Told) {
  const beyond = projections
    .filter((row) => row.fit === model?.row.id && row.scale === setting.scale && row.bw === setting.bw)
    .filter((row) => row.nodes > setting.nodes)
    .sort((x, y) => x.nodes - y.nodes);
  const open = beyond.findIndex(({ abstains }) => abstains !== null);
  return open === -1 ? beyond : beyond.slice(0, open);
}

/** Node counts on which the program can run, both ends included; of many, even steps on a logarithmic scale. */
function sizesBetween(least: number, most: number, isAdmissible: (nodes: number) => boolean): readonly number[] {
  const all = Array.from({ length: most - least + 1 }, (_, index) => least + index).filter(
    (nodes) => nodes === least || nodes === most || isAdmissible(nodes),
  );
  if (all.length <= MOST_SIZES) return all;
  const steps = Array.from({ length: MOST_SIZES }, (_, step) => least * (most / least) ** (step / (MOST_SIZES - 1)));
  return ascending(steps.map((step) => all.find((nodes) => nodes >= step - 1e-6) ?? most));
}

function limitFacts({ why, path, callStacks, noun }: Facts, { setting, model }: Told): LimitFacts {
  const { nodes, scale, bw } = setting;
  const seen = callStacks?.isAllTime ? callStacks.shares : [];
  return {
    parts: model && model.fit.trainedOn.bw.length > 1 ? partsOf(model.ensemble, setting) : null,
    held: why === null ? [] : heldUp(why, setting),
    path: path === null ? null : pathShares(path, setting),
    stacks: seen.find((one) => one.nodes === nodes && one.scale === scale && one.bw === bw) ?? null,
    ...{ nodes, bw },
    noun: why?.noun ?? noun,
  };
}

function bandwidthOf(facts: Facts, { setting, model, rows, fits }: StoryInput & Told): StoryLine {
  const { nodes, scale } = setting;
  const levels = facts.points.filter((point) => point.nodes === nodes && point.scale === scale).map(({ bw }) => bw);
  // Of one node count a model tells that one alone.
  const here = fits.find(({ fit }) => fit.form.fixed.includes('nodes') && fit.trainedOn.scales.includes(scale));
  const ensemble = [model ?? here].find((one) => one?.row.usesBandwidth)?.ensemble ?? null;
  const asked = { nodes, scale, ctiPercent: ACCEPTED };
  return bandwidthLine({
    needed: levels.length > 1 && setting.bw === 100 ? neededBandwidth(ensemble, rows, asked) : null,
    lowest: Math.min(...levels),
    nodes,
    ctiPercent: ACCEPTED,
    lineRateBps: facts.campaign.lineRateBps,
    noun: facts.noun,
  });
}

function nextOf(facts: Facts, { setting, model, records, planned, isAdmissible }: StoryInput & Told): StoryLine {
  const { planned: count, done, failed } = facts.campaign.cells;
  const farthest = Math.max(
    setting.nodes,
    ...facts.projections.filter(({ fit }) => fit === model?.row.id).map(({ nodes }) => nodes),
  );
  const spent = records.reduce((sum, { cell, timing }) => sum + (cell.nodes * timing.totalMs) / 3.6e6, 0);
  const advised = (budgetNodeHours: number, most: number, nodes?: readonly number[]): Advised | null =>
    model &&
    attempt(() => {
      const { cells, target } = nextCells({ isAdmissible, campaign: { campaign: planned, records } }, model.solved, {
        target: { ...setting, nodes: farthest },
        budgetNodeHours,
        nodes,
        scales: [setting.scale],
        // Every record tells what its cell took beside its runs.
        overheadS: 0,
        replicates: 20,
      });
      const first = cells.slice(0, most);
      return { cells: first, standardErrorLeft: first.at(-1)?.standardErrorLeft ?? 1, target };
    });
  const here = advised(spent * NEXT_SHARE, NEXT_CELLS);
  const beyond = smallestAdmissible(Math.round(Math.sqrt(farthest * setting.nodes)), isAdmissible);
  const tellsLittle = here !== null && here.standardErrorLeft > LITTLE && beyond !== null && beyond > setting.nodes;
  return nextLine({
    open: count - done - failed,
    here,
    larger: tellsLittle ? advised(Number.MAX_VALUE, 1, [beyond]) : null,
    sizes: ascending(facts.points.map(({ nodes }) => nodes)),
    bandwidths: new Set(facts.points.map(({ bw }) => bw)).size,
  });
}
