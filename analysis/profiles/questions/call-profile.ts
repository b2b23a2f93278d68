import { badInput } from '../../../base/errors.ts';
import { joinWords, shortened } from '../../../base/text.ts';
import type { ProfileUnit } from '../formats/recording.ts';
import type { CallTree, NameTable } from '../tree/call-tree.ts';

/** What is known of a profile beside its tree. */
export interface ProfileFacts {
  /** Unique in a selection. */
  readonly key: string;
  readonly benchmark: string;
  readonly testRun: string;
  /** Orders the runs of a benchmark; realtime clock. */
  readonly timeNs: bigint;
  /** Execution time of the run or another metric of it, less is better; null where nobody said. */
  readonly metricMean: number | null;
  readonly unit: ProfileUnit;
}

/** A profile with its calling context tree. */
export interface CallProfile extends ProfileFacts {
  readonly tree: CallTree;
  /** By compile mode what was sampled in a code path itself. */
  readonly modes: readonly ModeSamples[];
}

/** What was sampled in a code path itself in a compile mode that its frame's name told. */
export interface ModeSamples {
  /** Number of the code path. */
  readonly name: number;
  readonly mode: string;
  readonly own: number;
}

/** Profiles that are looked at together, with the names that they share. */
export interface ProfileSelection {
  readonly names: NameTable;
  readonly profiles: readonly CallProfile[];
}

/**
 * The unit that profiles share: amounts of different ones do not add up. Errors: badInput names the units, and says `instead`, what to
 * do.
 */
export function oneUnit(profiles: readonly ProfileFacts[], instead = 'compare profiles of the same unit'): ProfileUnit {
  const units = [...new Set(profiles.map(({ unit }) => unit))];
  if (units.length > 1) throw badInput(`These profiles have different units (${joinWords(units)}): ${instead}.`);
  return units[0] ?? 'samples';
}

/** The number of a code path. Errors: badInput where no profile has it. */
export function pathNamed({ names }: ProfileSelection, codePath: string): number {
  const found = names.find(codePath);
  if (found === undefined)
    throw badInput(`No profile has the code path '${shortened(codePath)}': find it with 'predict profiles top'.`);
  return found;
}
