import { badInput } from '../../base/errors.ts';
import { at, groupBy } from '../../base/lists.ts';
import { compareText } from '../../base/text.ts';
import { formatRate } from '../../base/units.ts';
import { describeMarks, withMarks } from '../../experiments/marks.ts';
import type { Cell } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { ofProgram, programOf } from '../../experiments/store/programs.ts';
import { type Gate, judgeGate } from '../judge/gate.ts';
import { computeUnsureness, ratioInterval, type Unsureness, unsurenessOfMean } from '../judge/ratio.ts';
import { steadyRecords } from './steady.ts';
import { computeTypicalTimes, type TypicalTime } from './typical-times.ts';

/** A ratio of times; the ends of its interval are null where nothing tells how times scatter. */
interface Ratio {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Where a cell was measured; `program` is empty where a workload is told nothing. */
export interface CellPlace {
  readonly program: string;
  readonly nodes: number;
  readonly scale: number;
  /** Percent of the line rate. */
  readonly bw: number;
}

/** What two campaigns both measured. */
export interface CommonCell extends CellPlace {
  /** Typical times (`typicalTimes`) in the campaign and in the one that it is held against. */
  readonly seconds: number;
  readonly against: number;
  /** seconds / against: above 1 it got slower. */
  readonly ratio: Ratio;
  /** Beyond scatter, though so many cells were looked at (Bonferroni); null where it may be chance. */
  readonly differs: 'slower' | 'faster' | null;
}

export interface CampaignComparison {
  /** Probability with which the interval of one cell holds. */
  readonly level: number;
  /** By program, nodes, scale and bandwidth. */
  readonly cells: readonly CommonCell[];
  /** Geometric mean of the ratios of these very cells. */
  readonly mean: Ratio;
  /** What is slower than allowed; null where nobody asked, or where how visits or cells scatter is not known. */
  readonly gate: Gate<CommonCell> | null;
  /** How many cells one of them alone has times of. */
  readonly onlyHere: number;
  readonly onlyAgainst: number;
  /** Cells that have times in the other campaign, and whose runs all failed in this one. */
  readonly failed: readonly CellPlace[];
  /** In what the campaigns themselves differ, and what casts a doubt on their times, in sentences. */
  readonly warnings: readonly string[];
}

type Compared = Pick<OpenCampaign, 'dir' | 'campaign'>;
type Told = Pick<OpenCampaign, 'dir' | 'campaign' | 'records'>;

/** The same, as far as it is asked about. */
interface Side extends Told {
  /** By `keyOf`. */
  readonly times: ReadonlyMap<string, TypicalTime>;
  /** What casts a doubt on its times. */
  readonly warnings: readonly string[];
}

interface Asked {
  readonly level: number;
  /** Percent by which it may be slower. */
  readonly limitPercent?: number | undefined;
  /** Of campaigns with several programs, the one that is asked about (`ofProgram`). */
  readonly program?: string | undefined;
}

/**
 * Every cell that both campaigns measured, those of one against those of the other. What the machines did on another day is part of
 * the ratios: nothing that was measured tells it from the program. Errors: `badInput` where no cell is common.
 */
export function compareCampaigns(one: Told, other: Told, asked: Asked): CampaignComparison {
  const [here, there] = [sideOf(one, asked), sideOf(other, asked)];
  const pairs = [...here.times].flatMap(([key, time]) => {
    const other = there.times.get(key);
    return other ? [{ time, other, place: placeOf(here.campaign, time.cell) }] : [];
  });
  if (pairs.length === 0) {
    throw badInput(
      `${here.dir} and ${there.dir} have no measured cell in common (program, nodes, scale and bandwidth). 'predict status DIR' shows what each has.`,
    );
  }
  const compared = pairs.map(({ time, other, place }) => {
    const known = computeUnsureness(time.inLogs, other.inLogs);
    return { place, time, other, known, log: time.inLogs.log - other.inLogs.log };
  });
  const together = 1 - (1 - asked.level) / pairs.length;
  const cells = compared.map(({ place, time, other, known, log }): CommonCell => {
    const sure = known && ratioInterval(log, known, together);
    return {
      ...{ ...place, seconds: time.seconds, against: other.seconds },
      ratio: ratioOf(log, known, asked.level),
      differs: sure && sure.low > 1 ? 'slower' : sure && sure.high < 1 ? 'faster' : null,
    };
  });
  const { limitPercent } = asked;
  const gated = compared.map(({ log, known }, index) => ({ log, known, place: at(cells, index) }));
  // Timed runs of single visits do not tell how visits scatter.
  const canJudge = limitPercent !== undefined && isScatterKnown(pairs);
  return {
    gate: canJudge
      ? judgeGate(
          gated.toSorted((a, b) => byPlace(a.place, b.place)),
          limitPercent,
        )
      : null,
    level: asked.level,
    cells: cells.toSorted(byPlace),
    mean: meanOf(compared, asked.level),
    onlyHere: here.times.size - pairs.length,
    onlyAgainst: there.times.size - pairs.length,
    failed: failedCells(here, there),
    warnings: [...findDifferences(here, there), ...here.warnings, ...there.warnings, ...doubtOf(pairs)],
  };
}

function sideOf({ dir, campaign, records: all }: Told, { program }: Asked): Side {
  const records = program === undefined ? all : ofProgram(all, { dir, campaign }, program);
  const wanted = new Set(records.map(({ cell }) => keyOf(campaign, cell)));
  // Drift is that of the machines: every program tells of it.
  const steady = steadyRecords(campaign, all);
  const times = computeTypicalTimes(steady, all).filter(({ cell }) => wanted.has(keyOf(campaign, cell)));
  const marked = describeMarks(withMarks(records));
  const warnings = [...(marked === null ? [] : [marked]), ...steady.warnings].map((warning) => `${dir}: ${warning}`);
  return { dir, campaign, records, warnings, times: bestKnown(campaign, times) };
}

/** Times by place, as JSON; of a cell with several numbers of searches that which is known best. */
export function bestKnown(campaign: Campaign, times: readonly TypicalTime[]): ReadonlyMap<string, TypicalTime> {
  const best = new Map<string, TypicalTime>();
  for (const time of times) {
    const key = keyOf(campaign, time.cell);
    if (time.runs > (best.get(key)?.runs ?? 0)) best.set(key, time);
  }
  return best;
}

export function placeOf(campaign: Campaign, cell: Cell): CellPlace {
  const { nodes, scale, bw } = cell;
  return { program: programOf(campaign, cell), nodes, scale, bw };
}

function keyOf(campaign: Campaign, cell: Cell): string {
  return JSON.stringify(placeOf(campaign, cell));
}

function ratioOf(log: number, known: Unsureness | null, level: number): Ratio {
  return { value: Math.exp(log), ...(known ? ratioInterval(log, known, level) : { low: null, high: null }) };
}

/** Of cells whose errors are independent: what the drift of a whole campaign may have left is not among them. */
function meanOf(
  compared: readonly { readonly log: number; readonly known: Unsureness | null }[],
  level: number,
): Ratio {
  const count = compared.length;
  const parts = compared.flatMap(({ known }) => known ?? []);
  const log = compared.reduce((sum, each) => sum + each.log, 0) / count;
  return ratioOf(log, parts.length < count ? null : unsurenessOfMean(parts), level);
}

/** By program, nodes, scale and bandwidth. */
function byPlace(a: CellPlace, b: CellPlace): number {
  return compareText(a.program, b.program) || a.nodes - b.nodes || a.scale - b.scale || a.bw - b.bw;
}

function failedCells(here: Side, there: Side): CellPlace[] {
  const failed = here.records.filter(({ status }) => status === 'failed').map(({ cell }) => cell);
  const lost = failed.filter((cell) => {
    const key = keyOf(here.campaign, cell);
    return there.times.has(key) && !here.times.has(key);
  });
  return groupBy(lost, (cell) => keyOf(here.campaign, cell))
    .flatMap(([first]) => (first ? [placeOf(here.campaign, first)] : []))
    .sort(byPlace);
}

/** A sentence about what was measured otherwise than on the other side; none where all is alike. */
export function findDifferences(here: Compared, there: Compared): string[] {
  const [ours, theirs] = [here, there].map(({ campaign }) => factsOf(campaign)) as [Facts, Facts];
  const names = Object.keys(ours) as (keyof Facts)[];
  const unlike = names.filter((name) => ours[name] !== theirs[name]);
  if (unlike.length === 0) {
    const same = JSON.stringify(here.campaign.workload) === JSON.stringify(there.campaign.workload);
    return same ? [] : [`The workload ${ours.workload} is defined differently in ${there.dir}.`];
  }
  const said = unlike.map((name) => `${name} ${ours[name]}, not ${theirs[name]}`);
  return [`${here.dir} and ${there.dir} were measured differently: ${said.join('; ')}.`];
}

type Facts = ReturnType<typeof factsOf>;

function factsOf({ workload, inventory, sweep }: Campaign) {
  return {
    workload: workload.name,
    cluster: inventory.cluster,
    'line rate': formatRate(inventory.lineRateBps),
    'ranks per node': inventory.ranksPerNode,
    seed: sweep.seed,
  };
}

type Pairs = readonly { readonly time: TypicalTime; readonly other: TypicalTime }[];

/** Whether either campaign visits cells again. */
function isScatterKnown(pairs: Pairs): boolean {
  return pairs.some(({ time, other }) => (time.inLogs.visitScatter ?? other.inLogs.visitScatter) !== null);
}

/** A sentence where intervals know less than they should. */
function doubtOf(pairs: Pairs): string[] {
  if (isScatterKnown(pairs)) return [];
  return [
    'Too few cells were repeated to estimate the noise between repetitions. Intervals include only the noise within single runs and are too narrow: sweep with --reps 3.',
  ];
}
