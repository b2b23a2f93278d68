import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { infrastructure, messageOf } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';
import { within } from '../within.ts';

/** For a server to take a connection and to say that it is ready. */
const READY_MS = 10_000;

/** A connection to the Redis at a unix socket's path, a redis:// URL or HOST:PORT. Errors: `infrastructure`, in bounded time. */
export async function reachRedis(server: string, { readyMs = READY_MS } = {}): Promise<Redis & ConnectionOptions> {
  const isPath = server.startsWith('/');
  const settings = { maxRetriesPerRequest: null, lazyConnect: true, retryStrategy: () => null };
  const url = /^rediss?:\/\//.test(server) ? server : `redis://${server}`;
  const redis = isPath ? new Redis({ ...settings, path: server }) : new Redis(url, settings);
  redis.on('error', () => undefined);
  const late = (): never => {
    throw new Error(`it took longer than ${readyMs / 1000} s`);
  };
  try {
    await within(readyMs, redis.connect(), late);
    const answer: unknown = await within(readyMs, redis.ping(), late);
    if (answer !== 'PONG')
      throw new Error(`it replies to PING with ${shortened(JSON.stringify(answer))}, so it is not Redis`);
    return redis as Redis & ConnectionOptions;
  } catch (error) {
    redis.disconnect();
    const where = isPath ? server : url.replace(/\/\/[^@/]*@/, '//');
    throw infrastructure(`The Redis server at ${where} does not respond: ${redisProblem(error)}.`, {
      cause: error,
    });
  }
}

/** Why a server did not do what was asked, without its full stop. Answers of another kind than Redis gives break its client somewhere inside. */
export function redisProblem(error: unknown): string {
  const isInner = [TypeError, SyntaxError, RangeError, z.ZodError].some((kind) => error instanceof kind);
  return isInner ? 'its replies are not those of a Redis server' : messageOf(error).replace(/\.$/, '');
}
