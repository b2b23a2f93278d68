import { collapsible, UNKNOWN_FRAME } from '../../../experiments/stacks/perf-frame.ts';
import { Problems } from '../../problems.ts';
import type { ProfileUnit, RecordedStack, Recording } from './recording.ts';

/** No character that a cleaned name has. */
const SEPARATOR = ';';

/** Adds up equal stacks as a reader meets them, and counts what of the file cannot be used. */
export class RecordingBuilder {
  lost = 0;
  truncated = 0;
  readonly problems = new Problems();
  #unknown = 0;
  readonly #stacks = new Map<string, { readonly frames: readonly string[]; value: number }>();
  readonly #cleaned = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#stacks.size === 0;
  }

  /** Adds a stack, outermost frame first. A name is cleaned of what collapsed text cannot hold. */
  add(frames: readonly string[], value: number): void {
    const clean = frames.map((frame) => this.#clean(frame));
    const key = clean.join(SEPARATOR);
    const known = this.#stacks.get(key);
    if (known !== undefined) known.value += value;
    else this.#stacks.set(key, { frames: clean, value });
  }

  build(
    value: ProfileUnit,
    times: { readonly startedAtNs?: bigint | null; readonly durationNs?: number | null } = {},
  ): Recording {
    const stacks: Iterable<RecordedStack> = [...this.#stacks.values()];
    return {
      value,
      stacks,
      startedAtNs: times.startedAtNs ?? null,
      durationNs: times.durationNs ?? null,
      lost: this.lost,
      unknown: this.#unknown,
      truncated: this.truncated,
      problems: this.problems.list(),
    };
  }

  #clean(frame: string): string {
    let clean = this.#cleaned.get(frame);
    if (clean === undefined) {
      clean = collapsible(frame);
      this.#cleaned.set(frame, clean);
    }
    if (clean === UNKNOWN_FRAME) this.#unknown += 1;
    return clean;
  }
}
