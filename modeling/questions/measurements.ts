import { badInput } from '../../base/errors.ts';
import { ascending, at } from '../../base/lists.ts';
import { describeMarks, withMarks } from '../../experiments/marks.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { parseHostFacts } from '../../experiments/store/host-facts.ts';
import { measuredRows } from '../../experiments/store/observations.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { ofProgram } from '../../experiments/store/programs.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { EDGE_FACTOR } from '../../experiments/workloads/graph500.ts';
import { admits, type RankRule } from '../../experiments/workloads/rank-rule.ts';
import { isPerfectSquare } from '../answers/dominance.ts';
import { readRowsFile } from '../exchange/formats.ts';
import type { TrafficPoint } from '../forms/traffic-form.ts';
import { filterRows, indicesWhere, joinRows, pickRows, type Rows, rowsFrom, type Selection } from '../rows.ts';
import { steadyRecords } from './steady.ts';

/** What a question is asked of: rows, and what their origin knows beside them. */
export interface Measurements {
  readonly rows: Rows;
  /** Rows that were kept out, to be predicted; none unless asked for. */
  readonly unseen: Rows;
  readonly ranksPerNode: number;
  /** Whether the program can run on so many nodes. */
  readonly isAdmissible: (nodes: number) => boolean;
  /** What to be careful about, in sentences: the rows are all there. */
  readonly warnings: readonly string[];
  /** What people call one timed run. */
  readonly noun: string;
  /** Edges per vertex; null for programs without graphs, which have no TEPS. */
  readonly edgeFactor: number | null;
  /** Null for a file. */
  readonly campaign: Origin | null;
}

/** A campaign behind some rows. */
export interface Origin extends Pick<OpenCampaign, 'dir' | 'campaign'> {
  readonly records: readonly CellRecord[];
  /** What the hosts' counters recorded; read when it is needed. */
  readonly traffic: () => Promise<readonly TrafficPoint[]>;
}

interface MeasurementsOptions {
  /** Default: the campaign's own, 1 for a file. */
  readonly ranksPerNode?: number | undefined;
  /** Default: the workload's own; for a file, which knows no program, perfect squares as in the paper. */
  readonly ranks?: RankRule | undefined;
  /** Node counts to fit to; the others are kept out. */
  readonly trainNodes?: readonly number[] | undefined;
}

interface CampaignOptions extends MeasurementsOptions {
  /** Of a campaign with several, the one that is asked about (`ofProgram`). */
  readonly program?: string | undefined;
  /** True to take runs with any threads of each rank together, as a column of the rows. */
  readonly overThreads?: boolean | undefined;
}

/**
 * The measurements of one program in a campaign. Errors: `badInput` for a campaign without any, and for one of several programs where
 * none is named.
 */
export function fromCampaign(open: OpenCampaign, options: CampaignOptions = {}): Measurements {
  const { dir, campaign, records: all } = open;
  const { program, overThreads } = options;
  const records = ofProgram(all, open, program, { overThreads });
  const steady = steadyRecords(campaign, all);
  const rows = rowsFrom(measuredRows(dir, ofProgram(steady.records, open, program, { overThreads })));
  const ranksPerNode = options.ranksPerNode ?? perNodeOf(records) ?? campaign.inventory.ranksPerNode;
  const workload = workloadOf(campaign.workload);
  const marked = describeMarks(withMarks(records));
  return {
    ...keepOut(rows, options.trainNodes),
    ranksPerNode,
    isAdmissible: options.ranks
      ? admissibleBy(options.ranks, ranksPerNode)
      : (nodes) => workload.admissible(nodes * ranksPerNode),
    warnings: [...(marked === null ? [] : [marked]), ...steady.warnings],
    noun: workload.noun,
    edgeFactor: edgeFactorOf(campaign, records),
    campaign: { dir, campaign, records, traffic: () => open.traffic(records) },
  };
}

function perNodeOf([first]: readonly CellRecord[]): number | undefined {
  return first && first.cell.ranks / first.cell.nodes;
}

/**
 * The measurements of a file, CSV, Parquet or one of Extra-P's; with scales they are taken for searches of Graph500, as in the paper, without
 * them (all 0) for runs of a program without graphs.
 */
export async function fromFile(path: string, options: MeasurementsOptions = {}): Promise<Measurements> {
  return await fromFiles([path], options);
}

/** The same of the rows of several files together. */
export async function fromFiles(paths: readonly string[], options: MeasurementsOptions = {}): Promise<Measurements> {
  const ranksPerNode = options.ranksPerNode ?? 1;
  const parts: Rows[] = [];
  for (const path of paths) parts.push(await readRowsFile(path));
  const rows = joinRows(parts);
  const isGraph500 = rows.scale.some((scale) => scale > 0);
  return {
    ...keepOut(rows, options.trainNodes),
    ranksPerNode,
    isAdmissible: admissibleBy(options.ranks, ranksPerNode),
    warnings: [],
    noun: isGraph500 ? 'search' : 'run',
    edgeFactor: isGraph500 ? EDGE_FACTOR : null,
    campaign: null,
  };
}

/** Which node counts a rule admits; without one perfect squares, the paper's. */
export function admissibleBy(rule: RankRule | undefined, ranksPerNode: number): (nodes: number) => boolean {
  return rule ? (nodes) => admits(rule, nodes * ranksPerNode) : isPerfectSquare;
}

/** Only the rows at a selection, of those to fit to and of those kept out. */
export function selectedFrom(measurements: Measurements, selection: Selection): Measurements {
  const [rows, unseen] = [filterRows(measurements.rows, selection), filterRows(measurements.unseen, selection)];
  return { ...measurements, rows, unseen };
}

/** Edges per vertex: as timed runs counted them, else as the workload plans them; null for programs without graphs. */
export function edgeFactorOf(campaign: Pick<Campaign, 'workload'>, records: readonly CellRecord[]): number | null {
  for (const { cell, runs } of records) {
    const edges = runs.flatMap(({ nedge }) => (nedge !== null && nedge > 0 ? [nedge] : []));
    if (edges.length > 0) return Math.max(...edges) / 2 ** cell.scale;
  }
  return workloadOf(campaign.workload).edgeFactor;
}

/** What is known of the cluster behind some rows, for those who buy another; nothing for a file. */
export function clusterOf(origin: Origin | null): {
  /** Of the smallest host. */
  readonly memoryBytes?: number;
  readonly lineRateBps?: number;
  /** Of a node for an hour. */
  readonly price?: number;
} {
  if (origin === null) return {};
  const { inventory } = origin.campaign;
  const memory = memoryOf(origin.campaign);
  return {
    ...(memory.length > 0 ? { memoryBytes: Math.min(...memory) } : {}),
    lineRateBps: inventory.lineRateBps,
    ...(inventory.costPerNodeHour === undefined ? {} : { price: inventory.costPerNodeHour }),
  };
}

/** Bytes of the hosts' memory: as the inventory says, else as they told; empty where neither does. */
export function memoryOf(campaign: Campaign): number[] {
  const { memoryPerNode } = campaign.inventory;
  return memoryPerNode === undefined
    ? parseHostFacts(campaign).flatMap(({ facts }) => facts.memoryBytes ?? [])
    : [memoryPerNode];
}

function keepOut(rows: Rows, trainNodes: readonly number[] | undefined): Pick<Measurements, 'rows' | 'unseen'> {
  if (trainNodes === undefined) return { rows, unseen: pickRows(rows, []) };
  const wanted = new Set(trainNodes);
  const places = (inside: boolean): number[] =>
    indicesWhere(rows, (index) => wanted.has(at(rows.nodes, index)) === inside);
  const training = pickRows(rows, places(true));
  if (training.length === 0) {
    const counts = ascending(rows.nodes).join(', ');
    throw badInput(
      `No row has one of the node counts ${trainNodes.join(', ')}: choose training node counts of ${counts}.`,
    );
  }
  return { rows: training, unseen: pickRows(rows, places(false)) };
}
