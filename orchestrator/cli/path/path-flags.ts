import type { ReadActivities } from '../../../analysis/path/formats/activity-builder.ts';
import { badInput } from '../../../base/errors.ts';
import { type Optional, type Switches, spelled } from '../flags.ts';

type OfRuns = 'cell' | 'nodes' | 'root' | 'against' | 'by' | 'interval' | 'program' | 'model';
type OfTraces = 'format' | 'slice' | 'out' | 'near' | 'before' | 'waitFrom' | 'saveColumns';

/** The options of `predict why --method path`, as given. */
export interface PathFlags extends Optional<OfRuns | OfTraces | 'trace'>, Switches<'follow' | 'whole'> {
  /** One trace, or several. */
  readonly activities?: string | readonly string[] | undefined;
  readonly skew?: readonly string[];
  readonly whatIf?: readonly string[];
}

/** Reads a trace of one format; null where the file is in another. */
export type ReadTrace = (path: string, flags: PathFlags) => Promise<ReadActivities | null>;

/** Errors: badInput for the first of some flags that is given: `--slice is for a trace: ...`. */
export function rejectFlags(flags: PathFlags, names: readonly (keyof PathFlags)[], why: string): void {
  const name = names.find((one) => flags[one] !== undefined);
  if (name !== undefined) throw badInput(`${spelled(name)} is for ${why}.`);
}
