import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { at } from './lists.ts';

/** What a script can rely on: one code per kind of failure (docs/commands.md lists them). */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  badInput: 2,
  infrastructure: 3,
  /** Results cannot be stored; what was stored before is safe. */
  unwritable: 3,
  workload: 4,
  busy: 5,
  /** What was asked for was measured, and is slower than a limit that was given. */
  tooSlow: 6,
  /** The time that others gave it is over: the same command goes on later (EX_TEMPFAIL of sysexits.h). */
  unfinished: 75,
  interrupted: 130,
} as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * The one family of errors shown to people: the message says what was wrong, where, the value received and what to do.
 * `kind` selects the process's exit code; `host` and `details` are for programs.
 */
export class PredictError extends Error {
  readonly kind: keyof typeof EXIT;
  readonly host: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    options: {
      readonly kind: keyof typeof EXIT;
      readonly host?: string;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly cause?: unknown;
    },
  ) {
    super(clipped(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PredictError';
    this.kind = options.kind;
    this.host = options.host;
    this.details = options.details ?? {};
  }

  get exitCode(): ExitCode {
    return EXIT[this.kind];
  }
}

/** Characters of a line, and lines of a message: what is quoted in it may be of any length. */
const LONGEST = 600;
const MOST_LINES = 40;

/** What is said first and last is kept: what is wrong, and what to do. */
function clipped(message: string): string {
  if (message.length <= LONGEST) return message;
  const lines = message.split('\n');
  const shown = lines.slice(0, MOST_LINES).map((line) => {
    return line.length <= LONGEST ? line : `${line.slice(0, LONGEST / 2)} ... ${line.slice(-LONGEST / 3)}`;
  });
  return [...shown, ...(lines.length > MOST_LINES ? [`... (${lines.length - MOST_LINES} more lines)`] : [])].join('\n');
}

/** A wrong flag, file or value: nothing was changed. */
export function badInput(message: string, cause?: unknown): PredictError {
  return new PredictError(message, { kind: 'badInput', cause });
}

/** A host, a link, a tool or a privilege that is missing or failed: another try may go better. */
export function infrastructure(
  message: string,
  { host, cause }: { readonly host?: string; readonly cause?: unknown } = {},
): PredictError {
  return new PredictError(message, { kind: 'infrastructure', ...(host === undefined ? {} : { host }), cause });
}

/** A result that cannot be written, in one sentence: `what` is the file or folder. What was stored before is safe. */
export function unwritable(what: string, error: unknown): PredictError {
  const message = isReadOnly(error) ? 'its disk is mounted read-only' : at(messageOf(error).split('\n'), 0);
  const why = /ENOSPC|EDQUOT|No space left|quota exceeded/i.test(message)
    ? 'its disk is full: free some space and rerun the command'
    : `${message}: choose another location, or make this one writable`;
  return new PredictError(`${what} cannot be written (${why}).`, { kind: 'unwritable', cause: error });
}

/** A folder that cannot be made below a read-only one is told as ENOENT: the nearest folder that exists knows better. */
function isReadOnly(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  if (error.code === 'EROFS') return true;
  if (error.code !== 'ENOENT' || !('path' in error) || typeof error.path !== 'string') return false;
  let folder = error.path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (denied) {
    return denied instanceof Error && 'code' in denied && denied.code === 'EROFS';
  }
}

/** What was made, or null where a `PredictError` says that it cannot be made; other errors stay errors. */
export function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof PredictError) return null;
    throw error;
  }
}

/** What any thrown thing says, for use inside a sentence that names the file: of Node's own (`ENOENT: no such file or directory, open 'x'`) the words. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /^E[A-Z0-9]+: ([^,]+), [a-z]+(?: '.*')?$/s.exec(text)?.[1] ?? text;
}

/** Closes a switch over a union: adding a member without handling it no longer compiles. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
