import { PredictError } from '../base/errors.ts';

/** The longest time that a timer takes; a longer one would fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** What `task` gives if it does so within `ms`; otherwise what `late` throws or gives. The task itself is not stopped. */
export async function within<T>(ms: number, task: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<T>((resolve, reject) => {
    timer = setTimeout(
      () => {
        try {
          resolve(late());
        } catch (error) {
          reject(error);
        }
      },
      Math.min(ms, LONGEST_MS),
    );
  });
  try {
    return await Promise.race([task, bound]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What `task` gives, or the error `interrupted` once the signal is aborted and `graceMs` have passed. The task is not stopped
 * by that; whoever started it saw the signal too.
 */
export async function unlessAborted<T>(task: Promise<T>, signal: AbortSignal | undefined, graceMs = 0): Promise<T> {
  if (!signal) return task;
  let timer: NodeJS.Timeout | undefined;
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      timer = setTimeout(() => reject(new PredictError('Interrupted.', { kind: 'interrupted' })), graceMs);
    };
  });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([task, aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
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
