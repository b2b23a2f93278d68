import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { projectRoot } from '../../base/paths.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { campaignPath } from '../../experiments/store/campaign-folders.ts';
import { LEASE_S } from './language.ts';
import { MARK, marked, signal } from './processes.ts';

export interface SweepPlan {
  readonly inventory: string;
  readonly cells: readonly string[];
  readonly workload: string;
  readonly out: string;
  /** Everything that the command puts into a temporary folder of its own lands here. */
  readonly temporary: string;
  readonly mark: string;
  /** Seconds; the suite's own lease where nothing is said. */
  readonly leaseS?: number;
  /** Preloaded and steered by the file `clock`: the wall clock of the command. */
  readonly clock?: { readonly preload: string; readonly file: string } | undefined;
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly seconds: number;
  /** It did not end within its bound and was killed. */
  readonly hung: boolean;
  readonly stderr: string;
  /** What happened during this command. */
  readonly events: readonly SweepEvent[];
}

const CELL_TIMEOUT = '20s';

/** One `predict sweep`, as a process that is told nothing about being watched. */
export class Sweep {
  readonly id: number;
  readonly begunAt = performance.now();
  readonly #plan: SweepPlan;
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  readonly #before: number;
  readonly #log: string;

  constructor(plan: SweepPlan, log: string) {
    this.#plan = plan;
    this.#log = log;
    this.#before = eventsOf(plan.out).length;
    const clock = plan.clock ? { LD_PRELOAD: plan.clock.preload, PREDICT_CLOCK: plan.clock.file } : {};
    const file = openSync(log, 'w');
    this.#child = spawn(join(projectRoot(), 'predict'), sweepArguments(plan), {
      env: { ...process.env, ...clock, TMPDIR: plan.temporary, [MARK]: plan.mark },
      stdio: ['ignore', 'ignore', file],
      detached: true,
    });
    closeSync(file);
    this.id = this.#child.pid ?? 0;
    this.#exit = once(this.#child, 'exit');
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The events of this command so far. */
  events(): SweepEvent[] {
    return eventsOf(this.#plan.out).slice(this.#before);
  }

  /** The bandwidths of the cells that this command has begun, in percent, one after the other. */
  startedBandwidths(): number[] {
    const started = this.events().flatMap((event) => (event.kind === 'cell-started' ? [event.id] : []));
    if (started.length === 0) return [];
    const { cells }: Pick<Campaign, 'cells'> = JSON.parse(readFileSync(campaignPath(this.#plan.out), 'utf8'));
    return started.flatMap((id) => cells.find((cell) => cell.id === id)?.bw ?? []);
  }

  /** Waits until it has ended; after `boundS` it is killed with all that it started here. */
  async ended(boundS: number): Promise<Ended> {
    const late = new AbortController();
    const bound = delay(boundS * 1000, 'late', { signal: late.signal }).catch(() => 'ended');
    const hung = (await Promise.race([this.#exit, bound])) === 'late';
    late.abort();
    const seconds = (performance.now() - this.begunAt) / 1000;
    if (hung) {
      for (const { id } of marked(this.#plan.mark)) signal(id, 'SIGKILL');
      await this.#exit;
    }
    const stderr = readFileSync(this.#log, 'utf8');
    return { code: hung ? null : this.#child.exitCode, seconds, hung, stderr, events: this.events() };
  }
}

export function sweepArguments({ inventory, cells, workload, out, leaseS = LEASE_S }: SweepPlan): string[] {
  return [
    ...['sweep', '--inventory', inventory, '--cells', cells.join(','), '--workload', workload, '--out', out],
    ...['--repeats', '0', '--lease', `${leaseS}s`, '--cell-timeout', CELL_TIMEOUT],
  ];
}

/** The whole lines of events.jsonl; `readEvents` judges them when the sweep is over. */
function eventsOf(out: string): SweepEvent[] {
  const path = join(out, 'events.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as SweepEvent];
      } catch {
        return [];
      }
    });
}
