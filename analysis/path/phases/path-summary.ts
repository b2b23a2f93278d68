import type { Cell, CellRecord } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import type { Platform } from '../../platform/platform.ts';
import type { TimedPart } from '../../sources/runs/timed-part.ts';
import type { Cause } from '../mpi/find-causes.ts';
import type { Way } from '../ways.ts';
import { type CellPaths, cellPaths, dividedBy } from './cell-paths.ts';
import type { PhaseKind } from './rank-phases.ts';
import { type OddHost, oddHosts } from './stands-out.ts';

/** What the critical paths of a run come to, without the paths themselves: plain data, which a campaign can keep. */
export interface PathSummary
  extends Pick<CellPaths, 'meanNs' | 'transfersNs' | 'hops' | 'doubtfulHops' | 'inference' | 'problems' | 'warnings'> {
  readonly kinds: readonly PhaseKind[];
  /** How many paths. */
  readonly searches: number;
  /** As of `dividedBy`. */
  readonly divided: Readonly<Record<Way, readonly (readonly [name: string, ns: number])[]>>;
  readonly odd: readonly OddHost[];
  /** Of a run whose MPI calls were recorded: why it takes so long, the gravest first. */
  readonly causes: readonly Cause[];
  /** Of such a run: what of it is explained. */
  readonly part?: Pick<TimedPart, 'by' | 'words'>;
}

/** The same with its cell. */
export interface CellPathSummary extends PathSummary {
  readonly cell: Cell;
}

/** Errors are those of `cellPaths`. */
export async function pathSummary(
  open: Pick<OpenCampaign, 'spans'>,
  record: CellRecord,
  options: { readonly platform: Platform; readonly lineRateBps: number },
): Promise<PathSummary> {
  const paths = await cellPaths(open, record, options);
  const { meanNs, transfersNs, hops, doubtfulHops, inference, problems, warnings } = paths;
  const by = (way: Way): readonly [name: string, ns: number][] => dividedBy(paths, way);
  return {
    ...{ meanNs, transfersNs, hops, doubtfulHops, inference, problems, warnings },
    divided: { phase: by('phase'), rank: by('rank'), host: by('host'), link: by('link') },
    kinds: paths.phases.kinds,
    searches: paths.searches.length,
    odd: oddHosts(paths, options.platform.noun),
    causes: [],
  };
}
