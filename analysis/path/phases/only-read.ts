// Whether a message that a rank saw had held it up, or had been there and had only to be read: one rule for paths and what-ifs.
import type { MessageWaits } from './message-waits.ts';

/** A look that found nothing but messages which links had passed long before. */
interface Doubtful {
  readonly messages: readonly number[];
  readonly waitNs: number;
}

/** Sleep is read at most every half millisecond, at both ends of a phase: it tells nothing of shorter waits. */
const SLEEP_BOUND_NS = 1e6;

/**
 * The messages that one rank saw in a phase. None held it up that it found as it began to wait, or that nobody handed over in the
 * search. What links had passed longer before the wait than the wait was had been there too, unless the rank slept in that wait:
 * who sleeps reads nothing, and the message came later than links account for. Only how long a rank slept in the whole phase is
 * known; what its other waits do not account for it slept in the longest of these.
 */
export class OnlyRead {
  readonly #waits: MessageWaits;
  #sureNs = 0;
  #doubtful: Doubtful[] = [];
  #look = { timeNs: Number.NaN, waitNs: 0, isSure: false, doubtful: [] as number[] };

  constructor(waits: MessageWaits) {
    this.#waits = waits;
  }

  /** `isKnown`: it was handed over in the search and waited for. */
  take(message: number, { lookNs, isKnown }: { readonly lookNs: number; readonly isKnown: boolean }): void {
    if (lookNs !== this.#look.timeNs) this.#closeLook(lookNs);
    if (!isKnown) return;
    const { begunNs, cameNs, passedNs, onlyRead } = this.#waits;
    const waitNs = (cameNs[message] as number) - (begunNs[message] as number);
    const isSure = (begunNs[message] as number) - (passedNs[message] as number) <= waitNs;
    this.#look.waitNs = Math.max(this.#look.waitNs, waitNs);
    this.#look.isSure ||= isSure;
    if (isSure) onlyRead[message] = 0;
    else this.#look.doubtful.push(message);
  }

  /** At the end of the phase; `asleepNs`: how long the rank slept in it, NaN where that is not known. */
  settle(asleepNs: number): void {
    this.#closeLook(Number.NaN);
    let leftNs = asleepNs - this.#sureNs;
    for (const { messages, waitNs } of this.#doubtful.sort((a, b) => b.waitNs - a.waitNs)) {
      if (!(waitNs >= SLEEP_BOUND_NS && leftNs >= waitNs / 2)) continue;
      leftNs -= waitNs;
      for (const message of messages) this.#waits.onlyRead[message] = 0;
    }
    this.#sureNs = 0;
    this.#doubtful = [];
  }

  #closeLook(nextNs: number): void {
    const { isSure, waitNs, doubtful } = this.#look;
    if (isSure) this.#sureNs += waitNs;
    else if (doubtful.length > 0) this.#doubtful.push({ messages: doubtful, waitNs });
    this.#look = { timeNs: nextNs, waitNs: 0, isSure: false, doubtful: [] };
  }
}
