import { lastLines } from '../../base/text.ts';
import { formatSeconds } from '../../base/units.ts';

/** What of a launcher's error output is kept to tell whether it waits. */
const MOST_TEXT = 65_536;

/** Words after which a wait for hosts has no end. */
const HOPELESS = /Required node not available.*|Requested partition configuration not available.*/;

/**
 * The time-out of a run under a launcher that may have to wait for hosts: the wait is none of the program's time, and is
 * bounded by itself. `isWaiting` judges the error output so far.
 */
export class RunClock {
  readonly #isWaiting: ((stderr: string) => boolean) | undefined;
  readonly #timeoutMs: number;
  readonly #waitMs: number;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout;
  #stderr = '';
  #waits = false;
  /** The program took longer than it may. */
  isOver = false;
  /** Why the run never began, one sentence; null where it did not end by its wait. */
  waited: string | null = null;

  constructor(
    isWaiting: ((stderr: string) => boolean) | undefined,
    { timeoutMs, waitMs }: { readonly timeoutMs: number; readonly waitMs: number },
  ) {
    this.#isWaiting = isWaiting;
    this.#timeoutMs = timeoutMs;
    this.#waitMs = waitMs;
    this.#timer = this.#start();
  }

  /** Aborted when the run must end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** For the command itself: a wait and a run. */
  get longestMs(): number {
    return this.#isWaiting === undefined ? this.#timeoutMs : this.#waitMs + this.#timeoutMs + 1000;
  }

  /** Takes what the launcher has said since. */
  hear(text: string): void {
    if (this.#isWaiting === undefined) return;
    this.#stderr = (this.#stderr + text).slice(-MOST_TEXT);
    const waits = this.#isWaiting(this.#stderr);
    const never = HOPELESS.exec(this.#stderr)?.[0];
    if (waits && never !== undefined) this.#giveUp(`SLURM can never allocate its hosts: ${never}`);
    if (waits === this.#waits) return;
    this.#waits = waits;
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    const boundMs = this.#waits ? this.#waitMs : this.#timeoutMs;
    return setTimeout(
      () => {
        if (this.#waits)
          this.#giveUp(`it waited ${formatSeconds(boundMs / 1000)} for its hosts: ${lastLines(this.#stderr, 1)}`);
        else if (this.#isWaiting !== undefined) {
          this.isOver = true;
          this.#abort.abort();
        }
      },
      Math.min(boundMs, 2 ** 31 - 1),
    );
  }

  #giveUp(why: string): void {
    this.waited ??= `The run did not start: ${why.replace(/\.$/, '')}.`;
    this.#abort.abort();
  }
}
