import { setTimeout as delay } from 'node:timers/promises';
import { infrastructure } from '../../base/errors.ts';
import { byLine } from '../../base/line-reader.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import type { BitsPerSecond } from '../../base/units.ts';
import { type Host, headOf } from '../../inventory/inventory-schema.ts';
import { burstBytes } from '../../throttle/link-command.ts';
import type { Cluster, Throttler } from '../hosts/cluster.ts';
import { AGENT } from '../hosts/deployment.ts';
import type { RunningCommand } from '../hosts/executor.ts';
import { showLinks } from '../hosts/throttle-hosts.ts';
import { LONGEST_MS, within } from '../waiting.ts';

/** For a step to begin on all of its hosts, and for it to end and its links to be free. */
const STEP_MS = 30_000;
const LOOK_MS = 100;
const HELD = 'predict-link-held';
const HOLD = sh`echo "$1"; exec sleep infinity`;
/** Bytes of a line that a task may say. */
const LONGEST_LINE = 4096;

/** Whether SLURM has the option of agents/spank on the host that starts runs. */
export async function hasLinkRate(cluster: Cluster): Promise<boolean> {
  const { stdout } = await cluster.on(headOf(cluster.inventory)).exec(['srun', '--help']);
  return stdout.includes('--link-rate=');
}

/**
 * Throttles links without a privilege of the user's: a step of the job that does nothing holds the level on its hosts, which the
 * SPANK plugin sets before its tasks and takes off after them, however it ends.
 */
export class LinkSteps implements Throttler {
  readonly #cluster: Cluster;
  #step: { readonly running: RunningCommand; readonly hosts: readonly Host[] } | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async set(hosts: readonly Host[], rateBps: BitsPerSecond): Promise<void> {
    await this.clear();
    const { job } = this.#cluster.inventory;
    const words = [
      ...[this.#cluster.remotePath(AGENT), 'guard', '--', 'srun', `--jobid=${job?.id}`, '--overlap'],
      ...['--nodes', String(hosts.length), '--ntasks', String(hosts.length), '--ntasks-per-node', '1'],
      ...['--nodelist', hosts.map(({ name }) => name).join(',')],
      `--link-rate=${Math.round(rateBps)}:${burstBytes(rateBps)}:${this.#cluster.inventory.network.queue}`,
      ...scriptWords(HOLD, HELD),
    ];
    let count = 0;
    let held: () => void = () => undefined;
    const all = new Promise<null>((resolve) => {
      held = () => resolve(null);
    });
    const onLine = (line: string): void => {
      if (line.includes(HELD)) count += 1;
      if (count === hosts.length) held();
    };
    const onStdout = byLine(onLine, LONGEST_LINE);
    const head = this.#cluster.on(headOf(this.#cluster.inventory));
    const running = await head.start(words, { timeoutMs: LONGEST_MS, onStdout });
    this.#step = { running, hosts };
    const late = (): never => {
      throw infrastructure(`SLURM did not start the step for the throttle within ${STEP_MS / 1000} s.`);
    };
    const ended = await within(STEP_MS, Promise.race([all, running.done]), late);
    if (ended === null) return;
    this.#step = undefined;
    throw infrastructure(`SLURM's step for the throttle ended: ${lastLines(ended.stderr, 1)}.`);
  }

  /** Ends the step; all of its hosts are free then. */
  async clear(): Promise<void> {
    const step = this.#step;
    if (!step) return;
    this.#step = undefined;
    step.running.end();
    const ended = step.running.done.catch(() => null);
    await within<unknown>(STEP_MS, ended, () => null);
    // The plugin takes the throttle off behind the tasks, and nothing tells of it.
    const deadline = performance.now() + STEP_MS;
    for (;;) {
      const states = await showLinks(this.#cluster, step.hosts);
      if ([...states.values()].every(({ state }) => state !== 'throttled')) return;
      if (performance.now() > deadline) {
        throw infrastructure(`SLURM's step ended, but its throttle was still active after ${STEP_MS / 1000} s.`);
      }
      await delay(LOOK_MS);
    }
  }
}
