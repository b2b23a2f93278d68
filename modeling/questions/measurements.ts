import { ascending, at, badInput } from '../../base/index.ts';
import {
  admits,
  type Campaign,
  type CellRecord,
  describeMarks,
  hostFacts,
  observationsOf,
  type RankRule,
  readCampaign,
  readRecords,
  traffic,
  withMarks,
  workloadOf,
} from '../../experiments/index.ts';
import { isPerfectSquare } from '../answers/dominance.ts';
import { readRowsFile } from '../exchange/read-rows-file.ts';
import type { TrafficPoint } from '../forms/traffic.ts';
import { filterRows, indicesWhere, pickRows, type Rows, rowsFrom, type Selection } from '../rows.ts';

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
  /** Null for a file. */
  readonly campaign: Origin | null;
}

/** A campaign behind some rows. */
export interface Origin {
  readonly dir: string;
  readonly campaign: Campaign;
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

/** The measurements of a campaign's folder. Errors: `badInput`, those of the store and one for a campaign without any. */
export async function fromCampaign(dir: string, options: MeasurementsOptions = {}): Promise<Measurements> {
  const campaign = await readCampaign(dir);
  const records = [...(await readRecords(dir)).values()];
  const rows = rowsFrom(observationsOf(records));
  if (rows.length === 0) throw badInput(`${dir} has no measured cell yet: run its sweep first.`);
  requireOneProgram(dir, records);
  const ranksPerNode = options.ranksPerNode ?? campaign.inventory.ranksPerNode;
  const workload = workloadOf(campaign.workload);
  const marked = describeMarks(withMarks(records));
  return {
    ...keepOut(rows, options.trainNodes),
    ranksPerNode,
    isAdmissible: options.ranks
      ? admissibleBy(options.ranks, ranksPerNode)
      : (nodes) => workload.admissible(nodes * ranksPerNode),
    warnings: marked === null ? [] : [marked],
    campaign: { dir, campaign, records, traffic: () => traffic(dir) },
  };
}

/** The measurements of a file: CSV, Parquet or one of Extra-P's. */
export async function fromFile(path: string, options: MeasurementsOptions = {}): Promise<Measurements> {
  const ranksPerNode = options.ranksPerNode ?? 1;
  return {
    ...keepOut(await readRowsFile(path), options.trainNodes),
    ranksPerNode,
    isAdmissible: admissibleBy(options.ranks, ranksPerNode),
    warnings: [],
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

/** Edges per vertex as timed runs counted them; null for programs without edges. */
export function edgeFactorOf(records: readonly CellRecord[]): number | null {
  for (const { cell, runs } of records) {
    const edges = runs.flatMap(({ nedge }) => (nedge !== null && nedge > 0 ? [nedge] : []));
    if (edges.length > 0) return Math.max(...edges) / 2 ** cell.scale;
  }
  return null;
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
  const found = hostFacts(origin.campaign).flatMap(({ memoryBytes }) => memoryBytes ?? []);
  const memory = inventory.memoryPerNode === undefined ? found : [inventory.memoryPerNode];
  return {
    ...(memory.length > 0 ? { memoryBytes: Math.min(...memory) } : {}),
    lineRateBps: inventory.lineRateBps,
    ...(inventory.costPerNodeHour === undefined ? {} : { price: inventory.costPerNodeHour }),
  };
}

function keepOut(rows: Rows, trainNodes: readonly number[] | undefined): Pick<Measurements, 'rows' | 'unseen'> {
  if (trainNodes === undefined) return { rows, unseen: pickRows(rows, []) };
  const wanted = new Set(trainNodes);
  const places = (inside: boolean): number[] =>
    indicesWhere(rows, (index) => wanted.has(at(rows.nodes, index)) === inside);
  const training = pickRows(rows, places(true));
  if (training.length === 0) {
    const counts = ascending(rows.nodes).join(', ');
    throw badInput(`No row has one of the node counts ${trainNodes.join(', ')} to train on: the rows have ${counts}.`);
  }
  return { rows: training, unseen: pickRows(rows, places(false)) };
}

/** Runs of different parameters are different programs: one fit to all of them would be of none. */
function requireOneProgram(dir: string, records: readonly CellRecord[]): void {
  const told = new Set(records.map(({ cell }) => JSON.stringify(Object.entries(cell.params ?? {}).sort())));
  if (told.size > 1) {
    throw badInput(
      `${dir} holds runs of ${told.size} different parameters of its workload, which no one model fits: sweep each into a folder of its own.`,
    );
  }
}
