import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { infrastructure, lastLines, messageOf } from '../../base/index.ts';

const PREFIX = 'predict-redis-';

export interface PrivateRedis {
  readonly socket: string;
  stop(): Promise<void>;
}

/**
 * A redis-server of this process alone, on a unix socket. The queue is derived from the plan and the store at every start,
 * so nothing is kept on disk. It ends with this process, whatever ends it.
 */
export async function startPrivateRedis(): Promise<PrivateRedis> {
  removeLeftovers();
  // The process id in the name tells a later start whether the folder is still in use; sockets want short paths.
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const socket = join(folder, 'socket');
  const options = [
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--unixsocketperm',
    '700',
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'TERM', 'redis-server', ...options, '--dir', folder, '--maxmemory-policy', 'noeviction'],
    // A process group of its own: Ctrl-C is for the controller, which still needs the queue to end cleanly.
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  let printed = '';
  const ready = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(lastLines(printed, 1) || 'it ended at once')));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        printed += data.toString();
        if (/ready to accept connections/i.test(printed)) resolve();
      });
    }
  });
  try {
    await ready;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw infrastructure(
      `The queue's redis-server did not start (${messageOf(error)}): run './predict setup', or give a server with --redis.`,
      { cause: error },
    );
  }
  return {
    socket,
    stop: async () => {
      if (child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Folders of controllers that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const id = Number(name.slice(PREFIX.length).split('-')[0]);
    try {
      process.kill(id, 0);
    } catch {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    }
  }
}
