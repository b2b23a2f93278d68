import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { badInput, infrastructure, PredictError } from '../../base/errors.ts';
import { projectRoot } from '../../base/paths.ts';
import { lastLines } from '../../base/text.ts';
import { FollowedCampaign } from '../../experiments/store/follow-campaign.ts';
import { type GuardedServer, type ListenAddress, parseListen } from '../live/guarded-server.ts';
import { LiveFeed } from '../live/live-feed.ts';
import { startLiveServer } from '../live/live-server.ts';
import type { Optional, Switches } from './flags.ts';
import { untilStopped } from './interrupt.ts';
import { note, printExactly } from './print.ts';

/** Said where others than this machine's users could read along. */
export const OPEN_LINK =
  'predict: the page and its token cross the network unencrypted; an SSH tunnel to this machine needs no --listen.';

/** Serves a campaign's live page, or the queues of a Redis, until SIGINT or SIGTERM. */
export async function serveCommand(
  dir: string | undefined,
  { listen, redis, queue, json }: Optional<'listen' | 'redis'> & Switches<'queue'>,
): Promise<void> {
  const flag = '--listen';
  const address = parseListen(listen, flag);
  if ((queue === true) !== (redis !== undefined)) throw badInput('--queue and --redis belong together: give both.');
  if ((redis === undefined) === (dir === undefined))
    throw badInput('Name a campaign folder, or the queues of a Redis by --queue and --redis.');
  if (redis !== undefined) {
    const { startQueueBoard } = await import('../live/queue-board.ts');
    const server = await startQueueBoard(redis, address, flag);
    return await serveUntilStopped(server, json, (signal) => once(signal, 'abort'));
  }
  if (dir !== undefined) await serveCampaign(dir, address, json);
}

/** A campaign's live page, whether or not a sweep runs. */
async function serveCampaign(dir: string, address: ListenAddress, json: boolean | undefined): Promise<void> {
  const followed = await FollowedCampaign.open(dir);
  const feed = new LiveFeed({
    dir,
    fold: () => followed.fold,
    reportAt: ({ sweep, cells }) => (sweep === 'running' || cells.done === 0 ? null : { href: `report?${query}` }),
    onFault: (sentence) => note(`predict: ${sentence}`),
  });
  await feed.readUse();
  const server = await startLiveServer(feed, address, { flag: '--listen', report: () => madeReport(dir) });
  const { searchParams: query } = new URL(server.link);
  await serveUntilStopped(server, json, (signal) => followed.follow((event) => feed.changed(event), signal));
}

/** Errors: `interrupted`, always. */
async function serveUntilStopped(
  server: GuardedServer,
  json: boolean | undefined,
  task: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  if (server.isOpen) note(OPEN_LINK);
  printExactly(json ? JSON.stringify({ link: server.link }) : server.link);
  try {
    await untilStopped(task);
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
