import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { infrastructure, messageOf } from '../../base/index.ts';

/** A connection to the Redis at a unix socket's path, a redis:// URL or HOST:PORT. Errors: `infrastructure`. */
export async function reachRedis(server: string): Promise<Redis & ConnectionOptions> {
  const isPath = server.startsWith('/');
  const settings = { maxRetriesPerRequest: null, lazyConnect: true, retryStrategy: () => null };
  const url = /^rediss?:\/\//.test(server) ? server : `redis://${server}`;
  const redis = isPath ? new Redis({ ...settings, path: server }) : new Redis(url, settings);
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return redis as Redis & ConnectionOptions;
  } catch (error) {
    const where = isPath ? server : url.replace(/\/\/[^@/]*@/, '//');
    throw infrastructure(`The Redis server at ${where} does not answer: ${messageOf(error)}.`, { cause: error });
  }
}
