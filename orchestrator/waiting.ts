import { PredictError } from '../base/errors.ts';

/** The longest time that a timer takes; a longer one would fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** What may end a wait early: it fails it with a reason; what it returns takes that back. */
export type WaitEnd = (fail: (reason: unknown) => void) => () => void;

/** What `task` gives, or the reason of the end that comes first. The task itself is not stopped. */
export async function unless<T>(task: Promise<T>, ...ends: readonly WaitEnd[]): Promise<T> {
  let forget: readonly (() => void)[] = [];
  const ended = new Promise<never>((_, reject) => {
    forget = ends.map((end) => end(reject));
  });
  try {
    return await Promise.race([task, ended]);
  } finally {
    for (const each of forget) each();
  }
}

/** Ends a wait after so long. */
export function after(ms: number, reason: () => unknown): WaitEnd {
  return (fail) => {
    const timer = setTimeout(() => fail(reason()), Math.min(ms, LONGEST_MS));
    return () => clearTimeout(timer);
  };
}

/** Ends a wait once the signal is aborted and `graceMs` have passed. */
export function onAbort(signal: AbortSignal, reason: () => unknown, graceMs = 0): WaitEnd {
  return (fail) => {
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      timer = setTimeout(() => fail(reason()), graceMs);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    return () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
  };
}

/** What `task` gives if it does so within `ms`; otherwise what `late` throws or gives. The task itself is not stopped. */
export async function within<T>(ms: number, task: Promise<T>, late: () => T): Promise<T> {
  const isLate = Symbol('late');
  try {
    return await unless(
      task,
      after(ms, () => isLate),
    );
  } catch (error) {
    if (error === isLate) return late();
    throw error;
  }
}

/**
 * What `task` gives, or the error `interrupted` once the signal is aborted and `graceMs` have passed. The task is not stopped
 * by that; whoever started it saw the signal too.
 */
export function unlessAborted<T>(task: Promise<T>, signal: AbortSignal | undefined, graceMs = 0): Promise<T> {
  if (!signal) return task;
  const interrupted = (): PredictError => new PredictError('Interrupted.', { kind: 'interrupted' });
  return unless(task, onAbort(signal, interrupted, graceMs));
}

/** A clock that calls back every `ms` milliseconds until the function that it returned is called. */
export type Every = (ms: number, task: () => void) => () => void;

/** The real clock. */
export const every: Every = (ms, task) => {
  const timer = setInterval(task, ms);
  return () => clearInterval(timer);
};

/** Something that may be gone once, for a reason, and those who want to hear of it. */
export class Loss<Reason> {
  readonly #waiting = new Set<(reason: Reason) => void>();
  #reason: Reason | undefined;

  /** Why it is gone; undefined while it is there. */
  get reason(): Reason | undefined {
    return this.#reason;
  }

  /** The first reason counts. */
  happened(reason: Reason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const task of this.#waiting) task(reason);
    this.#waiting.clear();
  }

  /** Calls back once it is gone, at once if it is; what is returned takes the call back. */
  when(task: (reason: Reason) => void): () => void {
    if (this.#reason === undefined) this.#waiting.add(task);
    else task(this.#reason);
    return () => void this.#waiting.delete(task);
  }
}
