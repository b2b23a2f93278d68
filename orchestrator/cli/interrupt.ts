/**
 * A signal that aborts at the first SIGINT or SIGTERM, for commands that must undo what they did. A second one ends the
 * process at once; hosts then restore themselves when their lease runs out.
 */
export async function interruptible<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM'] as const;
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(130);
    process.stderr.write('\npredict: stopping; restoring the links ...\n');
    controller.abort();
  };
  for (const name of names) process.on(name, stop);
  try {
    return await task(controller.signal);
  } finally {
    for (const name of names) process.off(name, stop);
  }
}
