import type { Optional, Switches } from '../flags.ts';

type OfRuns = 'cell' | 'root' | 'against' | 'by' | 'interval' | 'program' | 'model';
type OfTraces = 'activities' | 'format' | 'slice' | 'out' | 'near' | 'before' | 'waitFrom' | 'saveColumns';

/** The options of `predict why --method path`, as given. */
export interface PathFlags extends Optional<OfRuns | OfTraces | 'trace'>, Switches<'follow'> {
  readonly skew?: readonly string[];
  readonly whatIf?: readonly string[];
}
