import { type Answer, answer, refusal } from './answer.ts';
import type { FakeClock } from './clock.ts';
import { option } from './words.ts';

interface Throttle {
  rateBps: number;
  latencyMs: number;
  /** The host's uptime at which its keeper restores the link, seconds. */
  deadlineS: number;
  owner: string;
  readonly bytes: { out: number; in: number };
}

/** The data link of a fake host: does what `predict-agent link` does, and reports as it does. */
export class FakeLink {
  readonly #clock: FakeClock;
  readonly #lineRateBps: number;
  readonly #bytes = { out: 5_000, in: 5_000 };
  #throttle: Throttle | undefined;
  #expired = false;
  /** The first line of `tc qdisc` when the link is somebody else's. */
  foreign: string | undefined;
  /** Whether keepers watch the lease; `set` and `renew` start dead ones. */
  keeper = false;
  /** No keeper can be started here. */
  keepless = false;
  /** Whether its kernel can add latency. */
  netem = true;
  /** Whether it can say so beforehand. */
  tellsNetem = true;
  /** What small messages take one way beside the latency, ms. */
  readonly wayMs = 0.05;
  /** The share of the allowed rate that probes reach. */
  goodput = 0.95;

  constructor(clock: FakeClock, lineRateBps: number) {
    this.#clock = clock;
    this.#lineRateBps = lineRateBps;
  }

  get throttle(): Readonly<Throttle> | undefined {
    return this.#current();
  }

  #current(): Throttle | undefined {
    const now = this.#clock.ms / 1000;
    if (this.#throttle && this.keeper && now >= this.#throttle.deadlineS) this.#end(true);
    return this.#throttle;
  }

  /** What a message takes from here to another host, ms. */
  get awayMs(): number {
    return this.wayMs + (this.throttle?.latencyMs ?? 0);
  }

  get rateBps(): number {
    return this.throttle?.rateBps ?? this.#lineRateBps;
  }

  /** Traffic of the data network. */
  pass(direction: 'out' | 'in', bytes: number): void {
    this.#bytes[direction] += bytes;
    const { throttle } = this;
    if (throttle) throttle.bytes[direction] += bytes;
  }

  /** `args` are the words behind `predict-agent link`. */
  run(args: readonly string[]): Answer {
    const [verb] = args;
    const throttle = this.#current();
    if (verb === 'set') {
      if (this.foreign !== undefined) return refused(21, `eth0 has a foreign qdisc (${this.foreign})`);
      const latencyMs = Number(option(args, '--latency') ?? 0);
      if (latencyMs > 0 && !this.netem)
        return refused(26, 'latency cannot be added here: the kernel has no netem (module sch_netem)');
      if (!this.#startKeeper()) return refused(22, 'the lease watchdog did not start on eth0; the link is restored');
      this.#expired = false;
      this.#throttle = {
        rateBps: Number(option(args, '--rate')),
        latencyMs,
        deadlineS: this.#deadline(args),
        owner: option(args, '--owner') ?? '',
        bytes: throttle?.bytes ?? { out: 0, in: 0 },
      };
    } else if (verb === 'renew' && throttle) {
      if (this.#clock.ms / 1000 >= throttle.deadlineS) this.#end(true);
      else if (!this.#startKeeper())
        return refused(22, 'the lease watchdog did not start on eth0; the link is restored');
      else throttle.deadlineS = this.#deadline(args);
    } else if (verb === 'clear') this.#end(false);
    const told = args.includes('--netem') && this.tellsNetem ? `@netem ${this.netem ? 'yes' : 'no'}\n` : '';
    return answer(`${this.#report()}${told}`);
  }

  #startKeeper(): boolean {
    this.keeper ||= !this.keepless;
    if (!this.keeper) this.#end(false);
    return this.keeper;
  }

  #end(expired: boolean): void {
    this.#throttle = undefined;
    this.#expired = expired;
    this.keeper = false;
  }

  #deadline(args: readonly string[]): number {
    return Math.floor(this.#clock.ms / 1000) + Number(option(args, '--lease'));
  }

  #report(): string {
    const { throttle } = this;
    const root = throttle ? 'qdisc htb 7077: root refcnt 2 r2q 10 default 0x1' : 'qdisc noqueue 0: root refcnt 2';
    const classes = (['out', 'in'] as const).flatMap((direction) =>
      throttle ? [`@class ${direction}`, ...classText(throttle.rateBps, throttle.bytes[direction])] : [],
    );
    return [
      '@interface eth0',
      `@state ${this.foreign === undefined ? (throttle ? 'ours' : 'free') : 'foreign'}`,
      `@keeper ${this.keeper ? 'running' : 'none'}`,
      `@uptime ${(this.#clock.ms / 1000).toFixed(2)}`,
      `@deadline ${throttle?.deadlineS ?? ''}`,
      `@owner ${throttle?.owner ?? ''}`,
      ...(throttle ? [`@latency ${throttle.latencyMs}`] : []),
      ...(this.#expired ? ['@expired'] : []),
      `@bytes ${this.#bytes.out} ${this.#bytes.in}`,
      '@qdisc',
      this.foreign ?? root,
      ...(throttle ? classes : ['@class out']),
      '',
    ].join('\n');
  }
}

function classText(rateBps: number, bytes: number): string[] {
  return [
    'class htb 7077:1 root prio 0 rate 100Gbit ceil 100Gbit burst 0b cburst 0b',
    ' Sent 512 bytes 4 pkt (dropped 0, overlimits 0 requeues 0)',
    `class htb 7077:2 root leaf 7078: prio 0 rate ${rateBps}bit ceil ${rateBps}bit burst 18Kb cburst 18Kb`,
    ` Sent ${bytes} bytes ${Math.ceil(bytes / 1500)} pkt (dropped 0, overlimits 7 requeues 0)`,
  ];
}

function refused(exitCode: number, sentence: string): Answer {
  return refusal(exitCode, `predict-agent link: ${sentence}`);
}
