import { at } from '../../../base/lists.ts';
import { collapsible, UNKNOWN_FRAME } from '../../../experiments/stacks/perf-script.ts';
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

/** A call by its ends, in any unit of time. */
export interface Call {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Adds the own time of each call of one thread under those that it lies in: what its callees take is not its own. Of two calls
 * with the same ends the earlier in the list is the caller. What is added is in `divisor` units of their times. One that ends after its caller is cut at that end, and counted.
 */
export function nestCalls(calls: readonly Call[], builder: RecordingBuilder, divisor: number): void {
  const sorted = [...calls].sort((one, other) => one.from - other.from || other.to - one.to);
  const stack: { readonly name: string; readonly to: number; own: number }[] = [];
  const names: string[] = [];
  const leave = (before: number): void => {
    while (stack.length > 0 && at(stack, stack.length - 1).to <= before) {
      const { own } = at(stack, stack.length - 1);
      if (own > 0) builder.add(names, own / divisor);
      stack.pop();
      names.pop();
    }
  };
  for (const { name, from, to } of sorted) {
    leave(from);
    const caller = stack[stack.length - 1];
    if (caller !== undefined && to > caller.to) countOverlap(builder.problems);
    const end = caller === undefined ? to : Math.min(to, caller.to);
    if (caller !== undefined) caller.own -= end - from;
    stack.push({ name, to: end, own: end - from });
    names.push(name);
  }
  leave(Number.POSITIVE_INFINITY);
}

function countOverlap(problems: Problems): void {
  problems.add('call that ends later than its caller', 0);
}
