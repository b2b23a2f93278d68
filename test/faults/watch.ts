import { setTimeout as delay } from 'node:timers/promises';
import type { Problem } from './invariants.ts';
import { childrenOf, programName } from './processes.ts';
import type { Site } from './site.ts';
import type { Sweep } from './sweep.ts';
import { isHolder, ranksRun } from './victims.ts';

const LOOK_MS = 50;
/** A fault so soon before a cell was seen to start may have struck after its lock was looked at. */
const MARGIN_MS = 300;

interface Run {
  /** When its cell was seen to start and its ranks to run, as performance.now(). */
  readonly startedAt: number;
  readonly ranAt: number;
  /** Hosts without a holder of the controllers' lock at that moment. */
  readonly unlocked: readonly string[];
}

/** Looks at sweeps while they run, for what cannot be told afterwards. */
export class Watch {
  /** Where private Redis servers worked. */
  readonly queueFolders = new Set<string>();
  readonly #site: Site;
  readonly #runs: Run[] = [];

  constructor(site: Site) {
    this.#site = site;
  }

  /** Looks until the sweep is over. */
  async over(sweep: Sweep, over: AbortSignal): Promise<void> {
    let started = 0;
    let startedAt: number | null = null;
    while (!over.aborted) {
      for (const child of childrenOf(sweep.id)) {
        // It works in the controller's folder until it has read its options.
        if (programName(child) === 'redis-server' && child.folder !== process.cwd())
          this.queueFolders.add(child.folder);
      }
      const starts = sweep.events().filter(({ kind }) => kind === 'cell-started').length;
      if (starts > started) startedAt = performance.now();
      started = starts;
      if (startedAt !== null && ranksRun(this.#site)) {
        this.#runs.push({ startedAt, ranAt: performance.now(), unlocked: this.#unlocked() });
        startedAt = null;
      }
      await delay(LOOK_MS);
    }
  }

  /** Runs that began, after the last fault, on hosts that anybody else could have taken; `blows`: when faults struck. */
  unlockedRuns(blows: readonly number[]): Problem[] {
    const isClear = ({ startedAt, ranAt }: Run): boolean =>
      blows.every((at) => at + MARGIN_MS < startedAt || at > ranAt);
    return this.#runs
      .filter((run) => run.unlocked.length > 0 && isClear(run))
      .map(({ unlocked }) => ({ kind: 'unexpected', text: `a run began without the lock of ${unlocked.join(', ')}` }));
  }

  /** Hosts that a run uses are the first ones; the head is always locked. */
  #unlocked(): string[] {
    const holders = this.#site.hosts.map((host) => this.#site.processes(host).some(isHolder));
    const used = this.#site.hosts.map((host) => ranksRun(this.#site, host));
    return this.#site.hosts.filter((_, index) => used[index] && !holders[index]).map(({ name }) => name);
  }
}
