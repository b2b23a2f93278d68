// Patterns that a person wrote into a workload are whatever that person wrote: looking for one may take for ever.
import { createContext, Script } from 'node:vm';
import { badInput } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';

/** Of the wall clock, for one pattern in the output of one run. */
const MOST_MS = 4_000;

/** The first match, `^` and `$` at ends of lines. Errors: badInput for a pattern that takes too long. */
export function findFirst(pattern: string, text: string): RegExpExecArray | null {
  const compiled = compile(pattern, 'm');
  return inTime(pattern, () => compiled.exec(text));
}

/** Every match. Errors: badInput for a pattern that takes too long. */
export function findAll(pattern: string, text: string): readonly RegExpExecArray[] {
  const compiled = compile(pattern, 'gm');
  return inTime(pattern, () => [...text.matchAll(compiled)]);
}

/** Why it is no pattern; null for one that is. */
export function compileError(pattern: string): string | null {
  try {
    compile(pattern, 'gm');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function groupCount(pattern: string): number {
  // An empty alternative always matches, so the result's length tells the number of groups.
  return (compile(`${pattern}|`, '').exec('')?.length ?? 1) - 1;
}

function compile(pattern: string, flags: string): RegExp {
  return new RegExp(pattern, flags);
}

/** The time-out of a script ends a match, too. A match that needs more than the matcher's stack is a RangeError. */
function inTime<T>(pattern: string, find: () => T): T {
  const found: { value?: T } = {};
  const task = (): void => {
    found.value = find();
  };
  try {
    new Script('task()').runInContext(createContext({ task }), { timeout: MOST_MS });
  } catch (error) {
    throw badInput(
      `The pattern /${shortened(pattern)}/ does not get through what the run printed (${MOST_MS / 1000} s are the most): write it without repetitions of what can match in many ways.`,
      error,
    );
  }
  return found.value as T;
}
