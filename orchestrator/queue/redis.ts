import { spawn } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { infrastructure, messageOf } from '../../base/errors.ts';
import { byLine } from '../../base/line-reader.ts';
import { privateFolder } from '../../base/paths.ts';
import { shortened } from '../../base/text.ts';
import { every, within } from '../waiting.ts';

/** For a server to take a connection and to say that it is ready. */
const READY_MS = 10_000;
/** Between two questions whether a server lives. */
const ALIVE_MS = 5_000;
/** So many questions without an answer, and the server is gone. */
const MOST_MISSED = 6;
/** Between TERM and KILL of the server. */
const GRACE_MS = 2_000;
/** Bytes of a line of its log. */
const LONGEST_LINE = 4096;
/** The longest path that a unix socket takes, bytes. */
const LONGEST_SOCKET = 107;

export interface PrivateRedis {
  readonly socket: string;
  /** Ends the server, if it still runs, and removes its folder. */
  stop(): Promise<void>;
}

/**
 * A redis-server of this process alone, on a unix socket in a private folder. The queue is derived from the plan and the
 * store at every start, so nothing is kept on disk. It ends with this process, whatever ends it.
 */
export async function startPrivateRedis({ readyMs = READY_MS } = {}): Promise<PrivateRedis> {
  const folder = makeFolder();
  const socket = join(folder, 'socket');
  const child = startServer(folder, socket);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const late = (): never => {
    throw new Error(`it was not ready within ${readyMs / 1000} s`);
  };
  try {
    await within(readyMs, untilReady(child), late);
  } catch (error) {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    throw infrastructure(
      `The queue's redis-server did not start (${messageOf(error)}): run './predict setup', or give a server with --redis.`,
      { cause: error },
    );
  }
  return {
    socket,
    stop: async () => {
      child.kill('SIGTERM');
      await within(GRACE_MS, ended, () => void child.kill('SIGKILL'));
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A private folder of this process, in which a socket may be. */
function makeFolder(): string {
  const home = privateFolder('redis');
  removeLeftovers(home);
  // The process id in the name tells a later start whether the folder is still in use.
  const folder = mkdtempSync(join(home, `${process.pid}-`));
  const socket = join(folder, 'socket');
  if (Buffer.byteLength(socket) <= LONGEST_SOCKET) return folder;
  rmSync(folder, { recursive: true });
  throw infrastructure(
    `The path of the queue's socket, ${socket}, is too long: set XDG_RUNTIME_DIR to a short private folder, or name a server with --redis.`,
  );
}

function startServer(folder: string, socket: string) {
  const options = '--port 0 --unixsocketperm 700 --appendonly no --maxmemory-policy noeviction'.split(' ');
  const words = ['redis-server', ...options, '--save', '', '--unixsocket', socket, '--dir', folder];
  // A process group of its own: Ctrl-C is for the controller, which still needs the queue to end cleanly.
  return spawn('setpriv', ['--pdeathsig', 'KILL', ...words], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
}

/** Rejects with the last line of its log where the server ends instead. */
function untilReady(child: ReturnType<typeof startServer>): Promise<void> {
  let last = '';
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(last || 'it ended immediately')));
    const onLine = (line: string): void => {
      if (/ready to accept connections/i.test(line)) resolve();
      last = line.trim() || last;
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', byLine(onLine, LONGEST_LINE));
  });
}

/** Folders of this user's controllers that were killed. Whatever cannot be looked at or removed is left alone. */
function removeLeftovers(home: string): void {
  for (const name of readdirSync(home)) {
    const folder = join(home, name);
    try {
      const { uid } = lstatSync(folder);
      if (uid === process.getuid?.() && isGone(Number(name.split('-')[0]))) rmSync(folder, { recursive: true });
    } catch {
      // Another controller removes it too, or it is none of ours.
    }
  }
}

function isGone(id: number): boolean {
  if (!Number.isInteger(id) || id <= 0) return false;
  try {
    process.kill(id, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

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

/**
 * Asks a server whether it lives, until the function that it returned is called; calls back with how often it did not answer. A machine
 * that was suspended asks once when it wakes up.
 */
export function whileAlive(connection: Redis, onSilent: (missed: number) => void, aliveMs = ALIVE_MS): () => void {
  let missed = 0;
  return every(aliveMs, () => {
    missed += 1;
    if (missed > MOST_MISSED) onSilent(MOST_MISSED);
    const alive = (): void => {
      missed = 0;
    };
    connection.ping().then(alive, () => undefined);
  });
}

/** Why a server did not do what was asked, without its full stop. Answers of another kind than Redis gives break its client somewhere inside. */
export function redisProblem(error: unknown): string {
  const isInner = [TypeError, SyntaxError, RangeError, z.ZodError].some((kind) => error instanceof kind);
  return isInner ? 'its replies are not those of a Redis server' : messageOf(error).replace(/\.$/, '');
}
