import { type Answer, answer, refusal } from './answer.ts';
import type { FakeClock } from './clock.ts';
import { words } from './words.ts';

interface Throttle {
  rateBps: number;
  /** The host's uptime at which its keeper restores the link, seconds. */
  deadlineS: number;
  owner: string;
  readonly bytes: { out: number; in: number };
}

export type LinkVerb = 'set' | 'renew' | 'clear' | 'show';

/** Which of the throttle's scripts a text is, by what it does. */
export function linkVerb(script: string): LinkVerb {
  if (script.includes('tc -batch')) return 'set';
  if (script.includes('deadline.new')) return 'renew';
  return script.includes('rm -rf "$STATE"') ? 'clear' : 'show';
}

/** The data link of a fake host: does what the throttle's scripts ask, and reports as they do. */
export class FakeLink {
  readonly #clock: FakeClock;
  readonly #lineRateBps: number;
  readonly #bytes = { out: 5_000, in: 5_000 };
  #throttle: Throttle | undefined;
  #expired = false;
  /** The first line of `tc qdisc` when the link is somebody else's. */
  foreign: string | undefined;
  /** The share of the allowed rate that probes reach. */
  goodput = 0.95;

  constructor(clock: FakeClock, lineRateBps: number) {
    this.#clock = clock;
    this.#lineRateBps = lineRateBps;
  }

  get throttle(): Readonly<Throttle> | undefined {
    const now = this.#clock.ms / 1000;
    if (this.#throttle && now >= this.#throttle.deadlineS) {
      this.#throttle = undefined;
      this.#expired = true;
    }
    return this.#throttle;
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

  run(script: string): Answer {
    const verb = linkVerb(script);
    const throttle = this.throttle;
    if (verb === 'set') {
      if (this.foreign !== undefined) {
        return refusal(
          21,
          `the interface eth0 carries a qdisc that is not ours (${this.foreign}); it was left as it is`,
        );
      }
      const bytes = throttle?.bytes ?? { out: 0, in: 0 };
      if (!throttle) this.#expired = false;
      const rateBps = Number(found(script, /classid 7077:2 htb rate (\d+)bit/));
      const [owner = ''] = words(found(script, /printf '%s' (.*) > "\$STATE\/owner"/));
      this.#throttle = { rateBps, deadlineS: this.#deadline(script), owner, bytes };
    } else if (verb === 'renew') {
      if (this.#throttle) this.#throttle.deadlineS = this.#deadline(script);
    } else if (verb === 'clear') {
      this.#throttle = undefined;
      this.#expired = false;
    }
    return answer(this.#report());
  }

  #deadline(script: string): number {
    return Math.floor(this.#clock.ms / 1000) + Number(found(script, /UP%\.\*} \+ (\d+)/));
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
      `@uptime ${(this.#clock.ms / 1000).toFixed(2)}`,
      `@deadline ${throttle?.deadlineS ?? ''}`,
      `@owner ${throttle?.owner ?? ''}`,
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

function found(script: string, pattern: RegExp): string {
  const text = pattern.exec(script)?.[1];
  if (text === undefined) throw new Error(`the script has nothing like ${pattern}: ${script}`);
  return text;
}
