import type { Every } from '../../../orchestrator/waiting.ts';

interface Timer {
  at: number;
  /** Null for one that fires once. */
  readonly period: number | null;
  readonly task: () => void;
}

/** A clock that moves only when it is told to. Milliseconds since the fake hosts' boot. */
export class FakeClock {
  #now = 1_000_000;
  readonly #timers = new Set<Timer>();

  get ms(): number {
    return this.#now;
  }

  /** How many callbacks wait for their time. */
  get pending(): number {
    return this.#timers.size;
  }

  readonly every: Every = (period, task) => this.#add({ at: this.#now + period, period, task });

  /** Calls `task` once, `ms` from now, unless the function that it returns was called before. */
  after(ms: number, task: () => void): () => void {
    return this.#add({ at: this.#now + ms, period: null, task });
  }

  /** Moves on, firing what is due in its order; each task's consequences have settled before the next fires. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#now = timer.at;
      if (timer.period === null) this.#timers.delete(timer);
      else timer.at += timer.period;
      timer.task();
      await settled();
    }
    this.#now = end;
    await settled();
  }

  #next(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }

  #add(timer: Timer): () => void {
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }
}

/** Everything that waits for nothing but promises has happened. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
