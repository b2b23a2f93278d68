import { assertNever } from '../../base/errors.ts';
import type { Cell } from '../../experiments/records.ts';
import type { Claim, Outcome, Queue } from './queue.ts';

/** The cells of one sweep in this process, for a controller that shares them with nobody. */
export class LocalQueue implements Queue {
  readonly lost = undefined;
  /** Ids in the order of their turns. */
  readonly #waiting: string[] = [];
  readonly #held = new Set<string>();

  async enqueue(plan: readonly Cell[], done: { has(id: string): boolean }): Promise<void> {
    const known = new Set([...this.#waiting, ...this.#held]);
    this.#waiting.push(...plan.map(({ id }) => id).filter((id) => !done.has(id) && !known.has(id)));
  }

  async claim(): Promise<Claim | null> {
    const id = this.#waiting.shift();
    if (id === undefined) return null;
    this.#held.add(id);
    return { id };
  }

  async settle({ id }: Claim, { kind }: Outcome): Promise<'settled' | 'again' | 'given up'> {
    this.#held.delete(id);
    switch (kind) {
      case 'done':
        return 'settled';
      case 'hopeless':
        return 'given up';
      case 'untried':
        this.#waiting.unshift(id);
        return 'again';
      default:
        return assertNever(kind);
    }
  }

  async close(): Promise<void> {
    this.#waiting.length = 0;
  }
}
