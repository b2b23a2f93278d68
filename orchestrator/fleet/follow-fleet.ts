import { join, resolve } from 'node:path';
import { contentHash } from '../../experiments/store/digest.ts';
import { lockCampaign } from '../../experiments/store/lock.ts';
import { folderId } from '../../experiments/store/whole.ts';
import { controllerName } from '../hosts/controller-lock.ts';
import { withFleet } from './fleet-server.ts';
import { FollowedSite, type FollowOptions, type SiteResult } from './followed-site.ts';
/**
 * Queues the cells of a sweep for each site and stores what comes back, until all are stored or given up. The store is the truth: what is
 * missing there is fetched, asked for or queued, whatever became of the server. Errors: `interrupted`, which leaves the queue as it is; `badInput`
 * where no worker of a site may measure them; `unfinished` for a campaign that was cancelled.
 */
export async function followFleet(options: FollowOptions): Promise<readonly SiteResult[]> {
  const { redis, signal, onNote, times, sites, sweep, workload } = options;
  const out = resolve(options.out);
  const key = contentHash([await folderId(out), sweep, workload.definition]);
  const locks = [];
  try {
    for (const site of sites) locks.push(await lockCampaign(join(out, site), controllerName(`sweep --on ${site}`)));
    const followed = sites.map((site) => new FollowedSite({ ...options, out }, { key, site }));
    try {
      await withFleet({ redis, signal, onNote, ttlS: times?.ttlS }, async (server) => {
        // What keeps one site from it keeps no other one.
        const ends = await Promise.allSettled(followed.map((one) => one.follow(server, signal)));
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      });
    } catch (error) {
      for (const one of followed) one.end(error);
      throw error;
    }
    for (const one of followed) one.end();
    return await Promise.all(followed.map((one) => one.result()));
  } finally {
    for (const lock of locks) lock.release();
  }
}
