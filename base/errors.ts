import { at } from './at.ts';

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
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PredictError';
    this.kind = options.kind;
    this.host = options.host;
    this.details = options.details ?? {};
  }

  get exitCode(): ExitCode {
    return EXIT[this.kind];
  }
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
  const message = at(messageOf(error).split('\n'), 0);
  const why = /ENOSPC|EDQUOT|No space left|quota exceeded/i.test(message)
    ? 'its disk is full: free some space and run the same command again'
    : `${message}: choose another place, or make this one writable`;
  return new PredictError(`${what} cannot be written (${why}).`, { kind: 'unwritable', cause: error });
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

/** What any thrown thing says, for use inside a sentence. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Closes a switch over a union: adding a member without handling it no longer compiles. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
