import type { Optional } from '../flags.ts';

/** How a flag is written on the command line. */
export function spelled(flag: keyof PathFlags): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The options of `predict critical-path`, as given. */
export interface PathFlags
  extends Optional<
    | 'activities'
    | 'format'
    | 'slice'
    | 'out'
    | 'near'
    | 'before'
    | 'waitFrom'
    | 'saveColumns'
    | 'case'
    | 'cell'
    | 'root'
    | 'against'
    | 'by'
    | 'interval'
    | 'program'
    | 'model'
    | 'trace'
  > {
  readonly skew?: readonly string[];
  readonly follow?: boolean;
  readonly whatIf?: readonly string[];
  readonly json?: boolean;
}
