import { badInput } from '../../base/errors.ts';
import type { Seconds } from '../../base/units.ts';
import type { Cell } from '../../experiments/records.ts';
import type { AskedFile } from '../../experiments/store/campaign.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { parseSweep, withChoices } from '../../experiments/sweep.ts';
import { loadWorkload } from '../../experiments/workloads/load-workload.ts';
import { siteSchema } from '../fleet/fleet-records.ts';
import { followFleet } from '../fleet/follow-fleet.ts';
import type { SiteResult } from '../fleet/followed-site.ts';
import { planSites, type SitePlan } from '../fleet/plan-sites.ts';
import type { VisitAims } from '../job.ts';
import { refuseFlags } from './flags.ts';
import { untilStopped } from './interrupt.ts';
import { note } from './print.ts';
import { createProgress } from './progress.ts';
import type { Asked } from './sweep-asked.ts';

const OF_HOSTS = ['inventory', 'slurm', 'pbs', 'lsf', 'flux', 'preset', 'sla'] as const;
const GOES_ON = ['leaving the queue as it is ...', 'stopped.'] as const;

/** A sweep that the workers of sites measure: queues its cells, and follows them until all are stored in DIR/SITE. */
export async function sweepOnSites(
  asked: Asked & { readonly cellTimeout: Seconds; readonly aims: VisitAims },
  file: AskedFile | undefined,
): Promise<readonly SiteResult[]> {
  const { redis, lease, cellTimeout, priority, aims } = asked;
  if (redis === undefined) throw badInput('--on: the sites share a Redis: name it with --redis.');
  const sweep = await readSweep(asked);
  const shows = new Map<string, (event: SweepEvent) => void>();
  return await untilStopped(
    (signal) =>
      followFleet({
        ...{ ...sweep, redis, file, priority, aims, signal },
        ...{ leaseS: lease, cellTimeoutS: cellTimeout },
        onNote: (text) => note(`predict: ${text}`),
        onPlan: (site, cells) => void shows.set(site, progressOfSite(site, cells)),
        onEvent: (site, event) => shows.get(site)?.(event),
      }),
    { says: GOES_ON },
  );
}

/** What each site would measure. */
export async function planOnSites(asked: Asked): Promise<readonly SitePlan[]> {
  return await planSites({ ...(await readSweep(asked)), redis: asked.redis });
}

async function readSweep(asked: Asked) {
  const { on: sites = [], out, graphs, validate, algorithms } = asked;
  refuseFlags(asked, OF_HOSTS, 'is about hosts of this machine: leave it out with --on.');
  const wrong = sites.find((site, index) => !siteSchema.safeParse(site).success || sites.indexOf(site) < index);
  if (wrong !== undefined) throw badInput(`--on: '${wrong}' is not a name of a site, or occurs twice.`);
  const workload = await loadWorkload(asked.workload, { validate, graphs, algorithms });
  const sweep = withChoices(parseSweep({ ...asked, roots: asked.roots ?? workload.usualRuns }), workload);
  return { sites, out, workload, sweep };
}

/** Lines of one site among others. */
function progressOfSite(site: string, cells: readonly Cell[]): (event: SweepEvent) => void {
  const write = (text: string | Uint8Array): boolean => process.stderr.write(`${site}: ${text}`);
  return createProgress(cells, { write, isTTY: false, columns: 0 });
}
