import { parseCount } from '../../base/bounds.ts';
import { badInput, PredictError } from '../../base/errors.ts';
import { printableLine } from '../../base/text.ts';
import { formatBytes, formatRate } from '../../base/units.ts';
import { cellName } from '../../experiments/cell-name.ts';
import type { FleetWorker } from '../fleet/fleet-records.ts';
import { FleetServer, serverFault } from '../fleet/fleet-server.ts';
import { cancelCampaign, findCampaigns, limitRate, pauseCampaign } from '../fleet/queue-cells.ts';
import { type QueueState, readQueue } from '../fleet/read-queue.ts';
import type { Flags } from './flags.ts';
import { type Answer, left, print, printFailed, printTable, right } from './print.ts';

const ACTIONS = ['cancel', 'pause', 'resume', 'priority', 'rate'] as const;
type Action = (typeof ACTIONS)[number];

/** Shows a queue, or does something with a campaign in it. */
export async function queueCommand(
  action: string | undefined,
  campaign: string | undefined,
  n: string | undefined,
  { redis }: Flags<'redis'>,
): Promise<Answer> {
  const known = ACTIONS.find((one) => one === action);
  if (action !== undefined && known === undefined) throw badInput(`'${action}' is not one of ${ACTIONS.join(', ')}.`);
  const server = await FleetServer.open(redis);
  try {
    if (known === undefined) {
      const state = await readQueue(server);
      return { json: state, say: () => printQueue(state) };
    }
    return await change(server, known, { campaign, n });
  } catch (error) {
    throw error instanceof PredictError ? error : serverFault(error);
  } finally {
    await server.close();
  }
}

async function change(
  server: FleetServer,
  action: Action,
  { campaign, n }: { readonly campaign: string | undefined; readonly n: string | undefined },
): Promise<Answer> {
  if (campaign === undefined) throw badInput(`Name the campaign: predict queue ${action} CAMPAIGN.`);
  if ((n === undefined) === (action === 'priority' || action === 'rate'))
    throw badInput('A number belongs to priority and rate, and to nothing else.');
  const found = findCampaigns(await server.campaigns(), campaign);
  const priority = action === 'priority' ? parseCount(n ?? '', '--priority') : null;
  const rate = action === 'rate' ? parseCount(n ?? '', 'queue rate') : null;
  for (const one of found) {
    if (priority !== null) await one.job.changePriority({ priority });
    else if (rate !== null) await limitRate(server, one, rate);
    else if (action === 'cancel') await cancelCampaign(server, one);
    else await pauseCampaign(server, one, action === 'pause');
  }
  const sites = found.map(({ order }) => order.site);
  const [first] = found;
  const limit = rate === 0 ? 'begins runs without a limit' : `begins ${rate} runs per hour at most`;
  const did = {
    ...{ cancel: 'was cancelled', pause: 'pauses', resume: 'goes on' },
    ...{ priority: `has priority ${priority}`, rate: limit },
  }[action];
  return {
    json: { key: first?.order.key, name: first?.order.name, action, priority, rate, sites },
    say: () => print(`${first?.order.name} ${did} on ${sites.join(', ')}.`),
  };
}

function printQueue({ campaigns, workers }: QueueState): void {
  const rows = campaigns.flatMap((campaign) => campaign.sites.map((site) => ({ ...campaign, ...site })));
  if (rows.length === 0) print('The queue has no campaigns.');
  else {
    printTable(rows, [
      left('campaign', ({ name }) => name),
      left('key', ({ key }) => key),
      right('priority', ({ priority }) => priority),
      left('site', ({ site }) => site),
      left('state', ({ state }) => state),
      right('waiting', ({ waiting }) => waiting),
      right('active', ({ active }) => active.length),
      right('done', ({ done }) => done),
      right('runs/h', ({ runsPerHour }) => runsPerHour ?? '-'),
      right('failed', ({ failed }) => failed.length),
      left('ends', ({ endsAt }) => (endsAt === null ? '-' : timeText(endsAt))),
    ]);
  }
  for (const { name, site, active, failed, waitsFor, unserved } of rows) {
    for (const { cell, worker } of active) print(`${name}, ${site}: ${cellName(cell)} on ${worker ?? 'a worker'}`);
    for (const { cell, reason } of failed) printFailed(`${name}, ${site}: ${cellName(cell)} failed: ${reason}`);
    if (waitsFor !== null) print(`${name}, ${site}: waits for ${waitsFor}`);
    if (unserved !== null) print(`${name}: ${unserved}`);
  }
  if (workers.length === 0) {
    print('No worker has come within a week.');
    return;
  }
  printTable(workers, [
    left('worker', ({ id }) => id),
    left('site', ({ site }) => site),
    left('cluster', ({ cluster }) => cluster),
    right('hosts', ({ hosts }) => hosts),
    right('ranks per node', ({ ranksPerNode }) => ranksPerNode),
    left('launcher', ({ launcher }) => launcher),
    right('line rate', ({ lineRateBps }) => formatRate(lineRateBps)),
    right('memory', ({ memoryPerNode }) => (memoryPerNode === null ? '-' : formatBytes(memoryPerNode))),
    ...(workers.some(({ datasets }) => datasets.length > 0)
      ? [left<FleetWorker>('datasets', ({ datasets }) => datasets.map(({ name }) => name).join(', '))]
      : []),
    right('slots', ({ slots }) => slots ?? '-'),
    left('last response', ({ at }) => timeText(at)),
    left('state', ({ isAlive, doing }) => (isAlive ? (doing === null ? 'idle' : 'measures') : 'silent')),
    left('measures', ({ doing }) => printableLine(campaigns.find(({ key }) => key === doing)?.name ?? '')),
  ]);
}

function timeText(at: string): string {
  return new Date(at).toLocaleString('sv-SE');
}
