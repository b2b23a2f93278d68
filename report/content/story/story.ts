import { ascending, at, attempt } from '../../../base/index.ts';
import type { Campaign, CellRecord } from '../../../experiments/index.ts';
import {
  bestSize,
  neededBandwidth,
  nextCells,
  partsOf,
  type Rows,
  smallestAdmissible,
} from '../../../modeling/index.ts';
import type { Facts } from '../../data.ts';
import type { NamedFit } from '../fits.ts';
import { extrapolating } from '../predictions.ts';
import { mainSetting, type Setting } from '../time-over.ts';
import { bandwidthLine } from './bandwidth.ts';
import { blindLine } from './blind.ts';
import { type Held, limitLine } from './limit.ts';
import type { StoryLine } from './line.ts';
import { type Advised, nextLine } from './next.ts';
import { pathShares } from './path-shares.ts';
import { sizeLine } from './size.ts';

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
 * The story of a campaign, one answer per question: the fastest size, how far off a blind prediction was, what limits the largest
 * measured cluster, the bandwidth that it needs, what to measure next. Empty where nothing was measured.
 */
export function storyOf(facts: Facts, input: StoryInput): StoryLine[] {
  if (facts.points.length === 0) return [];
  const setting = mainSetting(facts.points);
  const preferred = extrapolating(input.fits).find(({ fit }) => fit.trainedOn.scales.includes(setting.scale)) ?? null;
  const model = preferred !== null && answersAt(facts, preferred, setting) ? preferred : null;
  return [
    sizeOf(facts, { ...input, setting, model }),
    blindLine(facts),
    limitOf(facts, { setting, model }),
    bandwidthOf(facts, { ...input, setting, model }),
    nextOf(facts, { ...input, setting, model }),
  ];
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

function sizeOf(facts: Facts, { setting, model, isAdmissible }: StoryInput & Told): StoryLine {
  const { scale, bw } = setting;
  const measured = facts.points
    .filter((point) => point.scale === scale && point.bw === bw)
    .map(({ nodes, meanCt }) => ({ nodes, seconds: meanCt }));
  const farthest = answeredBeyond(facts, { setting, model }).at(-1);
  const reach = farthest?.nodes ?? setting.nodes;
  const projected = farthest ? { value: farthest.ct, ...farthest.interval } : null;
  const nodes = sizesBetween(at(measured, 0).nodes, reach, isAdmissible);
  const best = model && measured.length > 1 ? attempt(() => bestSize(model.ensemble, { nodes, bw, scale })) : null;
  return sizeLine({ measured, best, reach, projected, scale, bw, noun: facts.noun });
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

function limitOf({ why, path, callStacks, noun }: Facts, { setting, model }: Told): StoryLine {
  const { nodes, scale, bw } = setting;
  const parts = model && model.fit.trainedOn.bw.length > 1 ? partsOf(model.ensemble, setting) : null;
  const runs = (why?.rows ?? []).filter((row) => row.nodes === nodes && row.scale === scale && row.bw === bw);
  const total = runs.reduce((sum, { seconds }) => sum + seconds, 0);
  const held = (why?.components ?? []).map(({ name, label }, index): Held => {
    const seconds = runs.reduce((sum, { parts: own }) => sum + at(own, index), 0);
    return { name, label, percent: (seconds / total) * 100 };
  });
  const shares = path === null ? null : pathShares(path, setting);
  const seen = callStacks?.isAllTime ? callStacks.shares : [];
  const stacks = seen.find((one) => one.nodes === nodes && one.scale === scale && one.bw === bw) ?? null;
  return limitLine({ parts, held: total > 0 ? held : [], path: shares, stacks, nodes, bw, noun: why?.noun ?? noun });
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
