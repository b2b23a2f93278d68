import { setMaxListeners } from 'node:events';
import { EXIT } from '../../base/index.ts';

/**
 * A signal that aborts at the first SIGINT or SIGTERM, for commands that must undo what they did. A second one ends the
 * process at once; hosts then restore themselves when their lease runs out.
 */
export async function interruptible<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  // As many commands may listen as there are hosts.
  setMaxListeners(0, controller.signal);
  const names = ['SIGINT', 'SIGTERM'] as const;
  const stop = (): void => {
    if (controller.signal.aborted) {
      process.stderr.write('\npredict: stopped immediately; hosts restore their links when the lease expires.\n');
      process.exit(EXIT.interrupted);
    }
    process.stderr.write(
      '\npredict: stopping the run, then restoring the links ... (press again to stop immediately)\n',
    );
    controller.abort();
  };
  for (const name of names) process.on(name, stop);
  try {
    return await task(controller.signal);
  } finally {
    for (const name of names) process.off(name, stop);
  }
}
