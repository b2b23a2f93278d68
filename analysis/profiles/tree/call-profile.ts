import { badInput } from '../../../base/errors.ts';
import { joinWords, shortened } from '../../../base/text.ts';
import type { CallTree, NameTable } from './call-tree.ts';

/** What the numbers of a profile count. */
export type ProfileUnit = 'samples' | 'seconds' | 'bytes' | 'objects' | 'count';

/** What is known of a profile beside its tree. */
interface ProfileFacts {
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

/** What was sampled in a code path itself in a compile mode that its frame's name told. */
export interface ModeSamples {
  /** Number of the code path. */
  readonly name: number;
  readonly mode: string;
  readonly own: number;
}

/** A calling context tree, and by compile mode what was sampled in a code path itself. */
export interface SampledTree {
  readonly tree: CallTree;
  readonly modes: readonly ModeSamples[];
}

export interface CallProfile extends ProfileFacts, SampledTree {}

/** Profiles that are looked at together, with the names that they share. */
export interface ProfileSelection {
  readonly names: NameTable;
  readonly profiles: readonly CallProfile[];
}

/** What a store keeps of a profile beside its tree. */
export interface StoredFacts extends ProfileFacts {
  /** File that it was read from, and its format. */
  readonly source: string;
  readonly format: string;
  /** Samples that the recorder lost, by its own count. */
  readonly lost: number;
  /** Frames without a name. */
  readonly unknown: number;
  /** Stacks that the recorder cut off. */
  readonly truncated: number;
}

export interface StoredProfile extends StoredFacts, SampledTree {}

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
