import type { PartRule, TimedPart } from '../../experiments/mpi-trace/timed-part.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import type { Platform } from '../platform/platform.ts';
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

type Traces = Pick<OpenCampaign, 'spans' | 'trace'>;

interface PathOptions {
  /** MPI calls were recorded, not phases by the program itself. */
  readonly isRecorded: boolean;
  readonly platform: Platform;
  readonly lineRateBps: number;
  readonly partRule?: PartRule | undefined;
}

/** The paths of a run, whichever it recorded. Errors are those of `cellPaths` and `recordedPath`. */
export async function runPaths(open: Traces, record: CellRecord, options: PathOptions): Promise<RunPaths> {
  return await (options.isRecorded ? recordedPath : cellPaths)(open, record, options);
}

export async function pathSummary(open: Traces, record: CellRecord, options: PathOptions): Promise<PathSummary> {
  const paths = await runPaths(open, record, options);
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
