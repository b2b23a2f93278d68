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
