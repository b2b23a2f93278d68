import { PredictError } from '../../base/errors.ts';
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
  const report = async (): Promise<string> => (await import('./report.ts')).reportPage(dir);
  const server = await startLiveServer(feed, address, { flag, report });
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
