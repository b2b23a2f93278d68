// Whether a message that a rank saw had held it up (lateness.ts), as sleep tells besides.
import { hadOnlyToBeRead } from '../lateness.ts';
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
  /** The look at hand: when, for how long the rank had waited, whether a message surely ended that, and those that may have. */
  #lookNs = Number.NaN;
  #waitNs = 0;
  #isSure = false;
  #maybe: number[] | null = null;

  constructor(waits: MessageWaits) {
    this.#waits = waits;
  }

  /** `isKnown`: it was handed over in the search and waited for. */
  take(message: number, lookNs: number, isKnown: boolean): void {
    if (lookNs !== this.#lookNs) this.#closeLook(lookNs);
    if (!isKnown) return;
    const { begunNs, cameNs, passedNs, onlyRead } = this.#waits;
    const [begun, came] = [begunNs[message] as number, cameNs[message] as number];
    const waitNs = came - begun;
    if (waitNs > this.#waitNs) this.#waitNs = waitNs;
    if (!hadOnlyToBeRead({ begunNs: begun, seenNs: came, passedNs: passedNs[message] as number })) {
      this.#isSure = true;
      onlyRead[message] = 0;
    } else if (this.#maybe === null) this.#maybe = [message];
    else this.#maybe.push(message);
  }

  /** At the end of the phase; `asleepNs`: how long the rank slept in it, NaN where that is not known. */
  settle(asleepNs: number): void {
    this.#closeLook(Number.NaN);
    let leftNs = asleepNs - this.#sureNs;
    this.#sureNs = 0;
    if (this.#doubtful.length === 0) return;
    for (const { messages, waitNs } of this.#doubtful.sort((a, b) => b.waitNs - a.waitNs)) {
      if (!(waitNs >= SLEEP_BOUND_NS && leftNs >= waitNs / 2)) continue;
      leftNs -= waitNs;
      for (const message of messages) this.#waits.onlyRead[message] = 0;
    }
    this.#doubtful = [];
  }

  #closeLook(nextNs: number): void {
    if (this.#isSure) this.#sureNs += this.#waitNs;
    else if (this.#maybe !== null) this.#doubtful.push({ messages: this.#maybe, waitNs: this.#waitNs });
    this.#lookNs = nextNs;
    this.#waitNs = 0;
    this.#isSure = false;
    this.#maybe = null;
  }
}
