import { posix } from 'node:path';

/** Whether the last step of a path has `*` or `?`, which stand for any characters or for one. */
export function isPattern(path: string): boolean {
  return /[*?]/.test(posix.basename(path));
}

/** What is wrong with the path of an output; null for nothing. Folders are named, files may be found. */
export function patternProblem(path: string): string | null {
  return /[*?]/.test(posix.dirname(path)) ? 'only the last step of the path may be a pattern' : null;
}
