import { badInput } from '../../../base/errors.ts';
import { collapsible, UNKNOWN_FRAME } from '../../../experiments/stacks/perf-script.ts';
import { type Problem, Problems } from '../../problems.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import type { ProfileUnit, SampledTree } from '../tree/call-profile.ts';
import { type NameTable, ROOT, totalOf } from '../tree/call-tree.ts';
import type { NormaliseFrame } from './strip-names.ts';

/** What a reader is given beside its file. */
export interface ReadOptions {
  /** Of all files that are read together. */
  readonly names: NameTable;
  readonly normalise: NormaliseFrame | null;
  /** Which of several values or events a file holds is read; the format's own choice without it. */
  readonly value?: string | undefined;
}

/** What a reader of any format makes of the profile in a file. */
export interface ReadProfile extends SampledTree {
  readonly unit: ProfileUnit;
  /** Realtime clock; null where the format does not say. */
  readonly startedAtNs: bigint | null;
  readonly durationNs: number | null;
  /** Samples that the recorder lost, by its own count. */
  readonly lost: number;
  /** Frames without a name. */
  readonly unknown: number;
  /** Stacks that the recorder cut off. */
  readonly truncated: number;
  /** What of the file could not be used. */
  readonly problems: readonly Problem[];
}

interface Frame {
  readonly id: number;
  readonly mode: string | null;
  readonly isUnknown: boolean;
}

/** Makes a profile of the stacks that a reader meets, and counts what of the file cannot be used. */
export class ProfileBuilder {
  lost = 0;
  truncated = 0;
  readonly problems = new Problems();
  readonly #options: ReadOptions;
  readonly #frames = new Map<string, Frame>();
  readonly #tree = new CallTreeBuilder();
  /** By code path and mode: several frames may have one code path. */
  readonly #modes = new Map<string, { readonly name: number; readonly mode: string; own: number }>();
  #unknown = 0;
  #stacks = 0;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#stacks === 0;
  }

  /**
   * Adds a stack, outermost frame first; one without frames is counted as a problem on `line`, below `[unknown]`. In code paths, `;` and
   * ends of lines stand as `:` and spaces, so that collapsed text can hold them.
   */
  add(frames: readonly string[], value: number, line = 0): void {
    if (frames.length === 0) {
      this.problems.add('sample without a stack', line);
      this.add([UNKNOWN_FRAME], value);
      return;
    }
    this.#stacks += 1;
    let node = ROOT;
    let last: Frame | undefined;
    for (const text of frames) {
      last = this.#frames.get(text) ?? this.#newFrame(text);
      if (last.isUnknown) this.#unknown += 1;
      node = this.#tree.child(node, last.id);
    }
    this.#tree.add(node, value);
    if (last === undefined || last.mode === null) return;
    const { id: name, mode } = last;
    const sampled = this.#modes.get(`${name} ${mode}`) ?? { name, mode, own: 0 };
    sampled.own += value;
    this.#modes.set(`${name} ${mode}`, sampled);
  }

  /**
   * The profile of what was added; `what` names its file in errors. Errors: badInput where nothing was sampled, for samples that are not
   * whole, and for values whose sum is no number.
   */
  build(
    what: string,
    unit: ProfileUnit,
    times: { readonly startedAtNs?: bigint | null; readonly durationNs?: number | null } = {},
  ): ReadProfile {
    const tree = this.#tree.finish();
    const total = totalOf(tree);
    if (total === 0) throw badInput(`${what} has no samples: record the profile again.`);
    const broken = unit === 'samples' ? tree.own.find((own) => !Number.isSafeInteger(own)) : undefined;
    if (broken !== undefined) {
      throw badInput(`${what} has a stack with ${broken} samples, which is not a whole number below 2^53.`);
    }
    if (!Number.isFinite(total)) throw badInput(`${what} has values whose sum is too large: record the profile again.`);
    const problems = this.problems.list();
    const { lost, truncated } = this;
    const { startedAtNs = null, durationNs = null } = times;
    const counts = { lost, unknown: this.#unknown, truncated, problems };
    return { tree, modes: [...this.#modes.values()], unit, startedAtNs, durationNs, ...counts };
  }

  #newFrame(text: string): Frame {
    const { names, normalise } = this.#options;
    const clean = collapsible(text);
    const { name, mode } = normalise?.(clean) ?? { name: clean, mode: null };
    const frame = { id: names.id(collapsible(name)), mode, isUnknown: clean === UNKNOWN_FRAME };
    this.#frames.set(text, frame);
    return frame;
  }
}
