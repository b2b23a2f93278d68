import { PredictError } from '../base/errors.ts';

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
