import { badInput } from '../../../base/errors.ts';
import { joinWords, shortened } from '../../../base/text.ts';
import type { ProfileUnit } from '../formats/recording.ts';
import type { CallTree, NameTable } from '../tree/call-tree.ts';
import { largest } from '../tree/complete-tree.ts';

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

/**
 * What counts for a code path in a profile: all below its nodes, each sample once (`total`), what was sampled in them (`base`), or
 * the same by all that the profile sampled.
 */
export type PathMeasure = 'total' | 'base' | 'total-share' | 'base-share';

export const PATH_MEASURES: readonly PathMeasure[] = ['total', 'base', 'total-share', 'base-share'];

/** The code paths of one tree, each once, and what was sampled of each. */
interface PathValues {
  readonly names: Int32Array;
  readonly values: Float64Array;
}

/** The place of a name among those of the tree at hand, -1 where it has none yet; all are -1 between calls. */
let places = new Int32Array(0);

/**
 * Samples of each code path of a tree, not yet by all of them. Totals leave out nodes with an incoming recursion edge, which lie within
 * another node of the code path (Lundberg and Rettig 2024, section 6.1).
 */
export function pathValues(tree: CallTree, measure: PathMeasure): PathValues {
  const { name, own, total, above } = tree;
  const most = largest(name);
  if (most >= places.length) places = new Int32Array(2 * most + 2).fill(-1);
  const isBase = measuresBase(measure);
  const names = new Int32Array(name.length);
  const values = new Float64Array(name.length);
  let count = 0;
  for (let node = 1; node < name.length; node += 1) {
    const id = name[node] ?? 0;
    let place = places[id] ?? -1;
    if (place < 0) {
      place = count;
      count += 1;
      places[id] = place;
      names[place] = id;
    }
    if (isBase) values[place] = (values[place] ?? 0) + (own[node] ?? 0);
    else if ((above[node] ?? -1) < 0) values[place] = (values[place] ?? 0) + (total[node] ?? 0);
  }
  for (let place = 0; place < count; place += 1) places[names[place] ?? 0] = -1;
  return { names: names.slice(0, count), values: values.slice(0, count) };
}

/** Whether what was sampled in nodes themselves counts, not all below them. */
export function measuresBase(measure: PathMeasure): boolean {
  return measure === 'base' || measure === 'base-share';
}

/** What samples are divided by, of profiles that sampled `total` together. */
export function divisorOf(measure: PathMeasure, total: number): number {
  return measure === 'total-share' || measure === 'base-share' ? total : 1;
}
