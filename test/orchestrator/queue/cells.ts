import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { privateFolder } from '../../../base/paths.ts';
import type { Cell } from '../../../experiments/records.ts';
import type { MeasuringPlace, MeasuringPlaces } from '../../../orchestrator/queue/queue.ts';
import { CellWork, type QueueOptions, type QueueOutcome } from '../../../orchestrator/queue/run-queue.ts';

/** Queues need a redis-server on this machine. */
export const noRedis = !existsSync('/usr/bin/redis-server');

/** Cells that differ in their repetition, which is also their place in the plan. */
export function cells(count: number): Cell[] {
  return Array.from({ length: count }, (_, index) => ({
    // Hex digits that read as a number must not be taken for one.
    id: String(1_111_111_111_111_100 + index),
    workload: 'graph500',
    nodes: 4,
    ranks: 4,
    scale: 12,
    bw: 100,
    rep: index + 1,
    role: 'measure',
    roots: 4,
  }));
}

/** What private servers of this process have left. */
export function redisFolders(): string[] {
  return readdirSync(privateFolder('redis')).filter((name) => name.startsWith(`${process.pid}-`));
}

/** The id of this process' redis-server. */
export function serverId(): number {
  const [folder = ''] = redisFolders();
  const found = execFileSync('pgrep', ['-f', `redis-server .*${folder}|redis-server unixsocket.*${folder}`], {
    encoding: 'utf8',
  });
  return Number(found.split('\n')[0]);
}

/** MeasuringPlaces of which each has one cell at a time. */
export class FakePlaces implements MeasuringPlaces<MeasuringPlace> {
  hasOthers = false;
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async ready(): Promise<void> {
    while (this.#free === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  async enter(): Promise<MeasuringPlace> {
    await this.ready();
    this.#free -= 1;
    const inTurn = async (task: () => Promise<void>): Promise<void> => {
      await task();
      this.#free += 1;
      for (const resolve of this.#waiting.splice(0)) resolve();
    };
    return { inTurn };
  }

  hasOthersFor(): boolean {
    return this.hasOthers;
  }
}

type Options = Pick<QueueOptions, 'run'> & Partial<QueueOptions>;

/** Works off three cells on a private server, unless told otherwise, and closes. */
export async function runQueue(options: Options): Promise<QueueOutcome> {
  const work = new CellWork({
    ...{ redis: undefined, name: 'predict-test', plan: cells(3), done: new Set() },
    ...{ signal: new AbortController().signal, isDone: async () => false },
    ...{ onRetry: () => undefined, onGivenUp: () => undefined, onUnknown: () => undefined, onNote: () => undefined },
    places: new FakePlaces(1),
    ...options,
    times: { backoffMs: 10, ...options.times },
  });
  try {
    return await work.run();
  } finally {
    await work.close();
  }
}
