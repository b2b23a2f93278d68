import type { Optional } from '../flags.ts';

/** The options of `predict critical-path`, as given. */
export interface PathFlags
  extends Optional<
    | 'activities'
    | 'format'
    | 'slice'
    | 'out'
    | 'near'
    | 'before'
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
  readonly whatIf?: readonly string[];
  readonly json?: boolean;
}
