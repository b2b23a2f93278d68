import { median } from 'simple-statistics';
import { badInput } from '../../base/errors.ts';
import { ascending, at, groupBy } from '../../base/lists.ts';
import { compareText, joinWords, shortened } from '../../base/text.ts';
import { communicationShareOf } from '../../experiments/communication-share.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { matching } from '../../experiments/store/programs.ts';
import { type Changes, findChangePoints, type LogValue } from '../judge/change-points.ts';
import { studentQuantile } from '../judge/distributions.ts';
import { bestKnown, type CellPlace, findDifferences, placeOf } from './compare-campaigns.ts';
import { steadyRecords } from './steady.ts';
import { computeTypicalTimes, type TypicalTime } from './typical-times.ts';

/** Figures that have a history: completion time (s), GTEPS, time by that at full bandwidth, share of communication. */
export const FIGURES = ['ct', 'gteps', 'ratio', 'communication'] as const;
export type FigureName = (typeof FIGURES)[number];

/** A campaign of a history; `name` is its path below the folder. */
interface Named {
  readonly name: string;
  readonly open: Pick<OpenCampaign, 'dir' | 'campaign' | 'records'>;
}

export interface HistoryPoint {
  readonly campaign: string;
  /** When its first record began, ISO 8601. */
  readonly at: string;
  readonly value: number;
  /** The ends of its 90 % interval over repetitions; null where they do not tell. */
  readonly low: number | null;
  readonly high: number | null;
  /** `value` by that of the campaign before; null for the first. */
  readonly ratio: number | null;
}

/** A change point: from this campaign on, values are `value` times those since the change before (`low` to `high`). */
export interface HistoryChange {
  /** Of its first point. */
  readonly index: number;
  readonly campaign: string;
  readonly at: string;
  readonly ratio: Changes['points'][number]['ratio'];
}

/** One configuration over time. */
export interface HistorySeries extends CellPlace {
  readonly workload: string;
  readonly cluster: string;
  readonly points: readonly HistoryPoint[];
  readonly changes: readonly HistoryChange[];
  /** Typical values: before the first change, and since each. */
  readonly levels: readonly number[];
  /** How campaigns scatter around these, as one standard deviation; null where too few tell. */
  readonly noisePercent: number | null;
}

export interface History {
  readonly figure: FigureName;
  /** Probability of all intervals. */
  readonly level: number;
  /** How many campaigns have the figure. */
  readonly campaigns: number;
  /** Full bandwidth and most nodes first. */
  readonly series: readonly HistorySeries[];
  readonly warnings: readonly string[];
}

interface Asked {
  readonly figure: FigureName;
  readonly nodes?: readonly number[] | undefined;
  readonly scale?: readonly number[] | undefined;
  readonly bw?: readonly number[] | undefined;
  readonly program?: string | undefined;
}

const LEVEL = 0.9;
/** Fewer have no history. */
const FEWEST = 2;
/** Without a choice, what this share of the campaigns of a workload and cluster measured. */
const MOSTLY = 0.5;

/** A figure of all campaigns over time. Errors: `badInput` where fewer than two have it, or none has what is asked for. */
export function buildHistory(all: readonly Named[], asked: Asked): History {
  const dated = all
    .map((named) => ({ ...named, at: startOf(named.open.records) }))
    .sort((a, b) => compareText(a.at, b.at) || compareText(a.name, b.name));
  const values = dated.flatMap(({ name, open, at: when }) =>
    figuresOf(open, asked.figure).map((one): Measured => ({ ...one, campaign: name, at: when })),
  );
  if (values.length === 0) throw badInput(`None of the ${all.length} campaigns has the figure '${asked.figure}'.`);
  const groups = chooseSeries(values, asked);
  const shown = dated.filter(({ name }) => groups.some((group) => group.some(({ campaign }) => campaign === name)));
  const found = findChangePoints(
    groups.map((group) => shown.map(({ name }) => group.find(({ campaign }) => campaign === name)?.value ?? null)),
    { level: LEVEL },
  );
  return {
    ...{ figure: asked.figure, level: LEVEL, campaigns: shown.length },
    series: groups.map((group, index) => seriesOf(group, at(found, index), shown)),
    warnings: differencesOver(shown),
  };
}

/** ISO 8601; empty without records. */
function startOf(records: readonly CellRecord[]): string {
  return records.map(({ startedAt }) => startedAt).reduce((a, b) => (a === '' || b < a ? b : a), '');
}

/** A figure of one campaign. */
interface Measured {
  readonly place: CellPlace;
  readonly workload: string;
  readonly cluster: string;
  readonly value: LogValue;
  /** Half of the 90 % interval, in logarithms. */
  readonly half: number | null;
  readonly campaign: string;
  readonly at: string;
}

/** Of every configuration that has it. */
function figuresOf(open: Named['open'], figure: FigureName): Omit<Measured, 'campaign' | 'at'>[] {
  const { campaign, records } = open;
  const { records: steady, drift } = steadyRecords(campaign, records);
  const isTime = figure === 'ct' || figure === 'ratio';
  const own = isTime ? steady : steady.map((record) => ({ ...record, runs: runsOf(record, figure) }));
  const typical = bestKnown(
    campaign,
    computeTypicalTimes(
      { records: own.filter(({ runs }) => runs.length > 0), drift: figure === 'communication' ? null : drift },
      records,
    ),
  );
  const { workload, inventory } = campaign;
  return [...typical.values()].flatMap((time) => {
    const place = placeOf(campaign, time.cell);
    const full = figure === 'ratio' ? typical.get(JSON.stringify({ ...place, bw: 100 })) : null;
    if (full === undefined || full === time) return [];
    const parts = [time, ...(full === null ? [] : [full])].map(errorOf);
    const known = parts.flatMap((part) => part ?? []);
    const variance = known.length < parts.length ? null : known.reduce((sum, part) => sum + part.variance, 0);
    const freedom = Math.min(...known.map((part) => part.freedom));
    return [
      {
        ...{ place, workload: workload.name, cluster: inventory.cluster },
        value: { log: time.inLogs.log - (full?.inLogs.log ?? 0), variance },
        half: variance === null ? null : studentQuantile(freedom, LEVEL) * Math.sqrt(variance),
      },
    ];
  });
}

/** Values of a record that stand in place of its times. */
function runsOf({ runs, summary }: CellRecord, figure: 'gteps' | 'communication'): CellRecord['runs'] {
  const [first] = runs;
  if (first === undefined) return [];
  const share = communicationShareOf(summary);
  const rates = runs.flatMap(({ teps }) => teps ?? []);
  const value = figure === 'communication' ? share : rates.length === 0 ? null : median(rates) / 1e9;
  return value !== null && value > 0 ? [{ ...first, ct: value }] : [];
}

/** How well the mean of its repetitions is known; null where they do not tell. */
function errorOf({ inLogs: { visitScatter, visits } }: TypicalTime) {
  return visitScatter && { variance: visitScatter.sd ** 2 / visits, freedom: visitScatter.freedom };
}

/** Values of one configuration in the order of time, for each of those that are asked for. */
function chooseSeries(values: readonly Measured[], { nodes, scale, bw, program, figure }: Asked): Measured[][] {
  const names =
    program === undefined ? null : matching([...new Set(values.map(({ place }) => place.program))], program);
  const isAsked = ({ place }: Measured): boolean =>
    (nodes?.includes(place.nodes) ?? true) &&
    (scale?.includes(place.scale) ?? true) &&
    (bw?.includes(place.bw) ?? true) &&
    (names?.includes(place.program) ?? true);
  const groups = groupBy(values.filter(isAsked), ({ place, workload, cluster }) =>
    JSON.stringify([workload, cluster, place]),
  );
  if (groups.length === 0) throw badInput(`No campaign measured what is asked for. ${measuredText(values)}`);
  const chosen = [nodes, scale, bw, program].some((one) => one !== undefined);
  const shared = groups.filter((group) => {
    const alike = values.filter(({ workload, cluster }) => {
      return workload === at(group, 0).workload && cluster === at(group, 0).cluster;
    });
    const campaigns = new Set(alike.map(({ campaign }) => campaign)).size;
    return group.length >= FEWEST && (chosen || group.length >= MOSTLY * campaigns);
  });
  if (shared.length === 0) {
    throw badInput(
      `A history needs at least ${FEWEST} campaigns that measured the same configuration. ${measuredText(values)}`,
    );
  }
  // Of ratios to full bandwidth the lowest tells most.
  const turn = figure === 'ratio' ? -1 : 1;
  return shared.sort((one, other) => {
    const [a, b] = [at(one, 0).place, at(other, 0).place];
    return turn * (b.bw - a.bw) || b.nodes - a.nodes || b.scale - a.scale || compareText(a.program, b.program);
  });
}

function measuredText(values: readonly Measured[]): string {
  const places = values.map(({ place }) => place);
  const listed = (of: (place: CellPlace) => number): string => joinWords(ascending(places.map(of)));
  const programs = [...new Set(places.map(({ program }) => program))].filter((name) => name !== '');
  const named = programs.length === 0 ? '' : `; programs ${shortened(joinWords(programs), 200)}`;
  return `Measured: nodes ${listed(({ nodes }) => nodes)}; scale ${listed(({ scale }) => scale)}; bandwidth ${listed(({ bw }) => bw)} %${named}.`;
}

/** `changes` count all campaigns that are shown, the points only those with a value. */
function seriesOf(
  group: readonly Measured[],
  { points: changes, levels, noise }: Changes,
  shown: readonly { readonly name: string }[],
): HistorySeries {
  const { place, workload, cluster } = at(group, 0);
  const points = group.map(({ campaign, at: when, value: { log }, half }, index): HistoryPoint => {
    const before = group[index - 1];
    return {
      ...{ campaign, at: when, value: Math.exp(log) },
      low: half === null ? null : Math.exp(log - half),
      high: half === null ? null : Math.exp(log + half),
      ratio: before === undefined ? null : Math.exp(log - before.value.log),
    };
  });
  return {
    ...{ ...place, workload, cluster, points, levels },
    changes: changes.map(({ index, ratio }) => {
      const later = new Set(shown.slice(index).map(({ name }) => name));
      const first = points.findIndex(({ campaign }) => later.has(campaign));
      const { campaign, at: when } = at(points, first);
      return { index: first, campaign, at: when, ratio };
    }),
    noisePercent: noise === null ? null : 100 * Math.expm1(noise),
  };
}

/** What changed between one campaign and the next of its workload and cluster, beside the times. */
function differencesOver(shown: readonly Named[]): readonly string[] {
  const alike = groupBy(shown, ({ open: { campaign } }) =>
    JSON.stringify([campaign.workload.name, campaign.inventory.cluster]),
  );
  return alike.flatMap((group) =>
    group.slice(1).flatMap(({ name, open }, index) => {
      const before = at(group, index);
      return findDifferences(
        { dir: name, campaign: open.campaign },
        { dir: before.name, campaign: before.open.campaign },
      );
    }),
  );
}
