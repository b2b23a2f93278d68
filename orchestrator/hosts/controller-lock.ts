import { hostname, userInfo } from 'node:os';
import { lastLines, PredictError, quote } from '../../base/index.ts';
import type { Host } from '../../inventory/index.ts';
import type { Cluster } from './cluster.ts';
import { AGENT } from './deployment.ts';
import type { Executor, RunningCommand } from './executor.ts';

/** Gone at a reboot; /tmp where users may not write to /run/lock. */
const LOCK_FOLDER = 'lock=/run/lock; mkdir -p $lock 2>/dev/null; [ -w $lock ] || lock=/tmp';
const LOCK_FILE = '"$lock/predict-controller"';
const TAKEN = 3;
/** A controller may hold its hosts for as long as a campaign takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** Who this controller is, for leases and refusals. */
export function controllerName(task: string): string {
  return `${userInfo().username}@${hostname()} pid ${process.pid} (${task})`;
}

/**
 * Takes the controllers' lock on every host: a flock held by an agent whose input is this connection, so that it is free
 * again the moment this process or its connection ends. Hosts in use by another controller are a `busy` error.
 */
export async function lockHosts(
  cluster: Cluster,
  hosts: readonly Host[],
  owner: string,
): Promise<{ release(): Promise<void> }> {
  const held: RunningCommand[] = [];
  const release = async (): Promise<void> => {
    for (const lock of held) lock.end();
    await Promise.allSettled(held.map(({ done }) => done));
  };
  try {
    await cluster.onEach(hosts, async (executor) => void held.push(await hold(cluster, executor, owner)));
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

async function hold(cluster: Cluster, executor: Executor, owner: string): Promise<RunningCommand> {
  const agent = quote(cluster.remotePath(AGENT));
  const command = `${LOCK_FOLDER}; exec ${agent} hold --lock ${LOCK_FILE} --owner ${quote(owner)}`;
  let announce: () => void = () => undefined;
  const announced = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const running = await executor.start(command, { timeoutMs: LONGEST_MS, onStdout: announce });
  const early = await Promise.race([announced.then(() => null), running.done]);
  if (early === null) return running;
  throw new PredictError(
    early.exitCode === TAKEN
      ? `${executor.host} is in use by another controller: ${lastLines(early.stderr, 1).replace(/^predict-agent hold: /, '')}.`
      : `${executor.host}: the controllers' lock could not be taken: ${lastLines(early.stderr, 1)}`,
    { kind: early.exitCode === TAKEN ? 'busy' : 'infrastructure', host: executor.host },
  );
}
