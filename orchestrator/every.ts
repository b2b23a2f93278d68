/** A clock that calls back every `ms` milliseconds until the function that it returned is called. */
export type Every = (ms: number, task: () => void) => () => void;

/** The real clock. */
export const every: Every = (ms, task) => {
  const timer = setInterval(task, ms);
  return () => clearInterval(timer);
};
