import { setMaxListeners } from 'node:events';
import { EXIT } from '../../base/errors.ts';

interface Options {
  /** What is said at the first signal and at the one that ends the process; nothing by default. */
  readonly says?: readonly [first: string, second: string];
  /** Aborts by itself after so many seconds. */
  readonly afterS?: number | undefined;
  /** Also when the terminal is gone; otherwise nohup decides. */
  readonly onHangup?: boolean;
}

const RESTORING = [
  'stopping the run, then restoring the links ... (press again to stop immediately)',
  'stopped immediately; hosts restore their links when the lease expires.',
] as const;

/** As `untilStopped`, for commands that must restore links: after a second signal hosts do so when their lease runs out. */
export function interruptible<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return untilStopped(task, { says: RESTORING });
}

/** Does a task with a signal that aborts at the first SIGINT or SIGTERM. A second one ends the process at once. */
export async function untilStopped<T>(
  task: (signal: AbortSignal) => Promise<T>,
  { says, afterS, onHangup = false }: Options = {},
): Promise<T> {
  const controller = new AbortController();
  // As many commands may listen as there are hosts.
  setMaxListeners(0, controller.signal);
  const names = ['SIGINT', 'SIGTERM', ...(onHangup ? (['SIGHUP'] as const) : [])] as const;
  const say = (text: string | undefined): void => {
    if (text !== undefined) process.stderr.write(`\npredict: ${text}\n`);
  };
  const stop = (): void => {
    if (controller.signal.aborted) {
      say(says?.[1]);
      process.exit(EXIT.interrupted);
    }
    say(says?.[0]);
    controller.abort();
  };
  for (const name of names) process.on(name, stop);
  const timer = afterS === undefined ? undefined : setTimeout(() => controller.abort(), afterS * 1000);
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const name of names) process.off(name, stop);
  }
}
