import type { FakeHost } from '../fake-host.ts';
import { type Answer, answer, refusal } from './answer.ts';

interface End {
  readonly host: FakeHost;
  readonly alive: () => boolean;
  readonly settle: (answer: Answer) => void;
  /** Ends its waiting. */
  readonly stop: () => void;
}

interface Meeting {
  readonly address: string;
  readonly sends: boolean;
  readonly seconds: number;
  readonly alive: () => boolean;
}

/** Where the two ends of a bandwidth probe meet. */
export class Probes {
  readonly #waiting = new Map<string, End>();
  readonly #busy = new Set<FakeHost>();
  /** [sender, receiver] of each probe, in order. */
  readonly pairs: (readonly [string, string])[] = [];
  /** Hosts that took part in two probes at once. */
  readonly overlaps: string[] = [];

  /** One end: both are answered when the other has come; alone it gives up after a while, as the agent does. */
  meet(host: FakeHost, { address, sends, seconds, alive }: Meeting): Promise<Answer> {
    if (this.#busy.has(host)) this.overlaps.push(host.host);
    this.#busy.add(host);
    return new Promise((settle) => {
      const other = this.#waiting.get(address);
      if (!other?.alive()) {
        if (other) this.#busy.delete(other.host);
        const stop = host.world.clock.after(10_000, () => this.#giveUp(address, host));
        this.#waiting.set(address, { host, alive, settle, stop });
        return;
      }
      this.#waiting.delete(address);
      other.stop();
      for (const end of [host, other.host]) this.#busy.delete(end);
      const [sender, receiver] = sends ? [host, other.host] : [other.host, host];
      this.pairs.push([sender.host, receiver.host]);
      const bitsPerSecond = Math.min(
        sender.link.rateBps * sender.link.goodput,
        receiver.link.rateBps * receiver.link.goodput,
      );
      sender.link.pass('out', (bitsPerSecond * seconds) / 8);
      receiver.link.pass('in', (bitsPerSecond * seconds) / 8);
      const roundTripMs = sender.link.awayMs + receiver.link.awayMs;
      const said = answer(JSON.stringify({ bitsPerSecond, roundTripMs, complete: true }));
      settle(said);
      other.settle(said);
    });
  }

  #giveUp(address: string, host: FakeHost): void {
    const end = this.#waiting.get(address);
    if (end?.host !== host) return;
    this.#waiting.delete(address);
    this.#busy.delete(host);
    end.settle(refusal(1, 'predict-agent probe: nobody came within 10 s'));
  }
}
