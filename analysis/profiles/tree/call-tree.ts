import { badInput } from '../../../base/errors.ts';
import { joinWords, shortened } from '../../../base/text.ts';

/**
 * The calling context tree of one profile in columns, a row a node, in preorder: parents stand before their children, and what is below
 * a node stands behind it without a gap. Row 0 is the made-up root, whose code path is empty. Source: Lundberg and Rettig (LTH 2024),
 * section 4.1.
 */
export interface CallTree {
  /** Number of the code path in the table of names that the trees of a selection share; -1 of the root. */
  readonly name: Int32Array;
  /** Row of the caller; -1 of the root. */
  readonly parent: Int32Array;
  /** Calls from the root, which has 0. */
  readonly depth: Int32Array;
  /** What was sampled in the node itself, in the profile's unit (baseSamples). */
  readonly own: Float64Array;
  /** The same with all that is below it (totalSamples). */
  readonly total: Float64Array;
  /**
   * Row of the nearest node above with the same code path, -1 where there is none. It is where a RECURS edge comes from: one leads
   * from a node to the nearest descendants with its code path, one per branch, so that each node has at most one coming in.
   */
  readonly above: Int32Array;
}

/** Row of the made-up root. */
export const ROOT = 0;

/** All that a profile sampled. */
export function totalOf(tree: CallTree): number {
  return tree.total[ROOT] ?? 0;
}

/** Numbers for code paths, shared by the trees that are compared: the same text has the same number. */
export class NameTable {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];

  get size(): number {
    return this.#texts.length;
  }

  /** The number of a text, a new one where it has none. */
  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#texts.length;
    this.#ids.set(text, id);
    this.#texts.push(text);
    return id;
  }

  /** The number of a text; undefined where no tree has it. */
  find(text: string): number | undefined {
    return this.#ids.get(text);
  }

  /** The text of a number; that of the made-up root (-1) is empty. */
  text(id: number): string {
    return this.#texts[id] ?? '';
  }

  /** All texts, by number. */
  texts(): readonly string[] {
    return this.#texts;
  }
}

/** The stack of every node, by row; that of the root is empty. */
export function stacksOf({ name, parent }: CallTree, names: NameTable): readonly string[] {
  const stacks: string[] = [''];
  for (let node = 1; node < name.length; node += 1) {
    const text = names.text(name[node] ?? -1);
    const caller = parent[node] ?? 0;
    stacks.push(caller === 0 ? text : `${stacks[caller]};${text}`);
  }
  return stacks;
}

// A profile is its tree with what is known beside it.

/** What the numbers of a profile count. */
export type ProfileUnit = 'samples' | 'seconds' | 'bytes' | 'objects' | 'count';

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
export interface ProfileSelection<Profile extends CallProfile = CallProfile> {
  readonly names: NameTable;
  readonly profiles: readonly Profile[];
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
