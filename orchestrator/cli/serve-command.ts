import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { infrastructure, PredictError } from '../../base/errors.ts';
import { projectRoot } from '../../base/paths.ts';
import { lastLines } from '../../base/text.ts';
import { FollowedCampaign } from '../../experiments/store/follow-campaign.ts';
import { LiveFeed } from '../live/live-feed.ts';
import { parseListen, startLiveServer } from '../live/live-server.ts';
import type { Optional, Switches } from './flags.ts';
import { untilStopped } from './interrupt.ts';
import { note, printExactly } from './print.ts';

/** Said where others than this machine's users could read along. */
export const OPEN_LINK =
  'predict: the page and its token cross the network unencrypted; an SSH tunnel to this machine needs no --listen.';

/** Serves a campaign's live page until SIGINT or SIGTERM, whether or not a sweep runs. */
export async function serveCommand(dir: string, { listen, json }: Optional<'listen'> & Switches): Promise<void> {
  const flag = '--listen';
  const address = parseListen(listen, flag);
  const followed = await FollowedCampaign.open(dir);
  const feed = new LiveFeed({
    dir,
    fold: () => followed.fold,
    reportAt: ({ sweep, cells }) => (sweep === 'running' || cells.done === 0 ? null : { href: `report?${query}` }),
    onFault: (sentence) => note(`predict: ${sentence}`),
  });
  await feed.readUse();
  const server = await startLiveServer(feed, address, { flag, report: () => madeReport(dir) });
  const { searchParams: query } = new URL(server.link);
  if (server.isOpen) note(OPEN_LINK);
  printExactly(json ? JSON.stringify({ link: server.link }) : server.link);
  try {
    await untilStopped((signal) => followed.follow((event) => feed.changed(event), signal));
  } finally {
    await server.close();
  }
  throw new PredictError('Interrupted: the server has ended, and nothing was changed.', { kind: 'interrupted' });
}

/** The page of `predict report`, made by that command in the idle time of the machine: streams go on meanwhile. */
async function madeReport(dir: string): Promise<string> {
  const program = join(projectRoot(), 'dist', 'program', 'main.cjs');
  const child = execa(process.execPath, [program, 'report', dir, '--out', '-'], { reject: false, stdin: 'ignore' });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const { exitCode, stdout, stderr } = await child;
  if (exitCode === 0) return stdout;
  throw infrastructure(lastLines(stderr, 1));
}
