import { join } from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { asSeconds } from '../../../base/units.ts';
import type { SweepEvent } from '../../../experiments/store/campaign-events.ts';
import { type AskedSweep, parseSweep } from '../../../experiments/sweep.ts';
import { workloadOf } from '../../../experiments/workloads/adapters.ts';
import { followFleet } from '../../../orchestrator/fleet/follow-fleet.ts';
import type { FollowOptions, SiteResult } from '../../../orchestrator/fleet/followed-site.ts';
import { type WorkerOptions, workForFleet } from '../../../orchestrator/fleet/work-for-fleet.ts';
import { startPrivateRedis } from '../../../orchestrator/queue/redis.ts';
import { tempFolder } from '../../experiments/make.ts';
import { fakePrograms } from '../fake/programs.ts';
import { FLAGS } from '../fake/trial.ts';
import { FakeWorld } from '../fake/world.ts';

/** A program that the inventories of these tests allow. */
export const SOLVER = workloadOf({
  ...{ kind: 'command', name: 'solver', command: ['/opt/solve', '{scale}'], ranks: 'any' },
  ...{ time: { pattern: 'took ([0-9.]+) ms', unit: 'ms' }, failure: [] },
});

export const TIMES = { beatMs: 200, idleMs: 50, againMs: 200 };
export const ALLOWS = 'allow: [/opt/solve]\n';

interface Asked extends Partial<FollowOptions> {
  readonly flags?: Partial<AskedSweep>;
}

/** An owner that follows a campaign of four cells (100, 60, 20 and 100 %) on site-a. */
export function follow(
  redis: string,
  { flags = {}, ...rest }: Asked = {},
): { readonly result: Promise<readonly SiteResult[]>; readonly notes: string[]; readonly out: string } {
  const notes: string[] = [];
  const out = rest.out ?? join(tempFolder(), 'campaign');
  const result = followFleet({
    ...{ redis, sites: ['site-a'], out, sweep: parseSweep({ ...FLAGS, ...flags }), workload: SOLVER },
    ...{ leaseS: asSeconds(60), cellTimeoutS: asSeconds(30), signal: new AbortController().signal },
    onNote: (text) => void notes.push(text),
    onPlan: () => undefined,
    onEvent: (_, event) => void (event.kind === 'note' && notes.push(event.text)),
    times: { roundMs: 100 },
    ...rest,
  });
  result.catch(() => undefined);
  return { result, notes, out };
}

interface Work {
  readonly world: FakeWorld;
  readonly home: string;
  readonly notes: string[];
  /** `CAMPAIGN KIND` of what happened, in order. */
  readonly events: string[];
  /** Ends it as a signal does. */
  stop(): Promise<void>;
}

/** A worker of site-a on two fake hosts, until its test ends. */
export function work(
  redis: string,
  { world = new FakeWorld(2, ALLOWS), ...rest }: Partial<WorkerOptions> & { readonly world?: FakeWorld } = {},
): Work {
  const [notes, events]: [string[], string[]] = [[], []];
  const controller = new AbortController();
  const home = rest.home ?? tempFolder();
  const ended = workForFleet({
    ...{ redis, inventory: world.inventory, site: 'site-a', slots: null, graphs: [], signal: controller.signal },
    ...{ open: world.open, programs: fakePrograms(), home },
    onNote: (text) => void notes.push(text),
    onEvent: ({ name }, event: SweepEvent) => void events.push(`${name} ${event.kind}`),
    times: TIMES,
    ...rest,
  }).catch((error: unknown) => void (controller.signal.aborted || notes.push(String(error))));
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  onTestFinished(stop);
  return { world, home, notes, events, stop };
}

/** A Redis of its own, until its test ends. */
export async function server(): Promise<{ readonly socket: string; readonly redis: Redis }> {
  const { socket, stop } = await startPrivateRedis();
  const redis = new Redis(socket);
  onTestFinished(async () => {
    redis.disconnect();
    await stop();
  });
  return { socket, redis };
}
