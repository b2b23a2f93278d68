import { badInput } from '../../base/errors.ts';
import { compareText, shortened } from '../../base/text.ts';
import type { Cell, CellRecord } from '../records.ts';
import { workloadOf } from '../workloads/adapters.ts';
import type { Campaign } from './campaign.ts';
import type { OpenCampaign } from './open-campaign.ts';

type Told = Pick<Campaign, 'workload' | 'inventory'>;
type Setting = Pick<Cell, 'params' | 'ranks' | 'nodes'>;

/** How programs are told apart. */
interface Apart {
  /** True where runs with other threads of each rank are runs of the same program: threads are a column of the rows. */
  readonly overThreads?: boolean | undefined;
}

/** Names that a message lists. */
const LISTED = 12;

/**
 * What the program of a cell is called: runs of one program differ in size, nodes and bandwidth only, so that one model can fit
 * them. Empty where a workload is told nothing.
 */
export function programOf(
  { workload, inventory }: Told,
  { params = {}, ranks, nodes }: Setting,
  { overThreads = false }: Apart = {},
): string {
  const { threads: _, ...others } = params;
  const name = workloadOf(workload).programOf(overThreads ? others : params);
  const perNode = ranks / nodes;
  if (perNode === inventory.ranksPerNode) return name;
  return `${name}${name === '' ? '' : ', '}${perNode} ${perNode === 1 ? 'rank' : 'ranks'} per node`;
}

/** Threads of each rank, as a cell is told; 1 where it is not. */
export function threadsOf(params: Cell['params']): number {
  const told = Number(params?.threads);
  return Number.isInteger(told) && told > 0 ? told : 1;
}

/** The programs of some cells, each once, in the order of their names. */
function programsOf(campaign: Told, cells: readonly Setting[], apart: Apart): readonly string[] {
  return [...new Set(cells.map((cell) => programOf(campaign, cell, apart)))].sort(compareText);
}

/** The names of the programs that a campaign has measured. */
export function listPrograms(
  { campaign, records }: Pick<OpenCampaign, 'campaign' | 'records'>,
  apart: Apart = {},
): readonly string[] {
  const good = records.filter(({ status }) => status === 'ok');
  return programsOf(
    campaign,
    good.map(({ cell }) => cell),
    apart,
  );
}

/**
 * The records of one program: of the only one, or of the one that `wanted` names, by its name or a part of it that no other has.
 * One answer about several programs would be about none. Errors: `badInput` listing the programs.
 */
export function ofProgram<R extends Pick<CellRecord, 'cell'>>(
  records: readonly R[],
  { dir, campaign }: Pick<OpenCampaign, 'dir' | 'campaign'>,
  wanted?: string,
  { overThreads = false }: Apart = {},
): readonly R[] {
  // Whoever names threads means these alone.
  const apart = { overThreads: overThreads && wanted?.includes('threads=') !== true };
  const nameOf = ({ cell }: R): string => programOf(campaign, cell, apart);
  const names = programsOf(
    campaign,
    records.map(({ cell }) => cell),
    apart,
  );
  const found = wanted === undefined ? names : matching(names, wanted);
  if (found.length === 1 || names.length === 0) return records.filter((record) => nameOf(record) === found[0]);
  const list = names.length > LISTED ? [...names.slice(0, LISTED), `${names.length - LISTED} more`] : names;
  const help = `name one with --program: ${list.map((name) => name || '(no parameters)').join('; ')}`;
  if (wanted !== undefined) {
    const what = found.length === 0 ? 'is not a program' : `names ${found.length} programs`;
    throw badInput(`--program '${shortened(wanted)}' ${what} of ${dir}: ${help}.`);
  }
  throw badInput(`${dir} holds runs of ${names.length} programs, which one model cannot fit: ${help}.`);
}

/** Which of some names are meant: `pr` names `pr on web`, unless `pr on roads` is there too. */
export function matching(names: readonly string[], wanted: string): readonly string[] {
  return names.includes(wanted) ? [wanted] : names.filter((name) => name.includes(wanted));
}
