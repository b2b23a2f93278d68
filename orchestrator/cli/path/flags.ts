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
