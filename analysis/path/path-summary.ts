import type { Cell, CellRecord } from '../../experiments/records.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import type { Platform } from '../platform/platform.ts';
import type { PartRule, TimedPart } from '../sources/runs/timed-part.ts';
import { recordedPath } from './mpi/recorded-path.ts';
import { cellPaths } from './phases/cell-paths.ts';
import { type OddHost, oddHosts } from './phases/stands-out.ts';
import { dividedBy, type RunPaths, type Way } from './run-paths.ts';

/** What the critical paths of a run come to, without the paths themselves: plain data, which a campaign can keep. */
interface PathSummary
  extends Pick<
    RunPaths,
    'meanNs' | 'transfersNs' | 'hops' | 'doubtfulHops' | 'inference' | 'problems' | 'warnings' | 'kinds' | 'causes'
  > {
  /** How many paths. */
  readonly searches: number;
  /** As of `dividedBy`. */
  readonly divided: Readonly<Record<Way, readonly (readonly [name: string, ns: number])[]>>;
  readonly odd: readonly OddHost[];
  readonly part?: Pick<TimedPart, 'by' | 'words'>;
}

/** The same with its cell. */
export interface CellPathSummary extends PathSummary {
  readonly cell: Cell;
}

export interface PathOptions {
  readonly platform: Platform;
  readonly lineRateBps: number;
  readonly partRule?: PartRule | undefined;
}

/** `isRecorded`: MPI calls were recorded, not phases by the program itself. Errors are those of `cellPaths` and `recordedPath`. */
export async function pathSummary(
  open: Pick<OpenCampaign, 'spans' | 'trace'>,
  record: CellRecord,
  { isRecorded, ...options }: PathOptions & { readonly isRecorded: boolean },
): Promise<PathSummary> {
  const paths: RunPaths = await (isRecorded ? recordedPath(open, record, options) : cellPaths(open, record, options));
  const { meanNs, transfersNs, hops, doubtfulHops, inference, problems, warnings, kinds, causes, part } = paths;
  const by = (way: Way): readonly [name: string, ns: number][] => dividedBy(paths, way);
  return {
    ...{ meanNs, transfersNs, hops, doubtfulHops, inference, problems, warnings, kinds, causes },
    ...(part === undefined ? {} : { part: { by: part.by, words: part.words } }),
    divided: { phase: by('phase'), rank: by('rank'), host: by('host'), link: by('link') },
    searches: paths.searches.length,
    odd: oddHosts(paths, options.platform.noun),
  };
}
