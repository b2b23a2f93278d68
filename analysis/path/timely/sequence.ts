// What is known of the messages of one channel between two ends, by sequence number: senders count up by one, so a ring suffices.

const FIRST_LENGTH = 16;
/** A number this far from its neighbours is damage, not a message. */
const WIDEST = 1 << 24;

/** A time and a line per sequence number; a number that is not there has the time NaN. */
export class Sequence {
  /** The greatest number ever put in; -1 before the first. */
  last = -1;
  /** Of messages with many readers, the number that each reads next, by reader; only of those that have read one. */
  readonly nextOf: number[] = [];
  /** The smallest number that may be there. */
  private first = 0;
  private times = new Float64Array(FIRST_LENGTH).fill(Number.NaN);
  private lines = new Float64Array(FIRST_LENGTH);

  /** Whether it could be put in: numbers far away from all others are not. */
  put(number: number, { time, line }: { time: number; line: number }): boolean {
    const first = this.last < 0 ? number : Math.min(this.first, number);
    const last = Math.max(this.last, number);
    if (last - first >= WIDEST) return false;
    if (last - first >= this.times.length) this.grow(last - first + 1);
    this.first = first;
    this.last = last;
    const slot = number & (this.times.length - 1);
    this.times[slot] = time;
    this.lines[slot] = line;
    return true;
  }

  timeOf(number: number): number {
    if (number < this.first || number > this.last) return Number.NaN;
    return this.times[number & (this.times.length - 1)] ?? Number.NaN;
  }

  lineOf(number: number): number {
    return this.lines[number & (this.times.length - 1)] ?? 0;
  }

  remove(number: number): void {
    if (number < this.first || number > this.last) return;
    const mask = this.times.length - 1;
    this.times[number & mask] = Number.NaN;
    while (this.first <= this.last && Number.isNaN(this.times[this.first & mask])) this.first += 1;
  }

  /** The numbers that are there, in order. */
  *numbers(): Generator<number> {
    for (let number = this.first; number <= this.last; number += 1) {
      if (!Number.isNaN(this.timeOf(number))) yield number;
    }
  }

  /** The smallest number that is there, or beyond `last`. */
  get begin(): number {
    return this.first;
  }

  private grow(room: number): void {
    let length = this.times.length;
    while (length < room) length *= 2;
    const times = new Float64Array(length).fill(Number.NaN);
    const lines = new Float64Array(length);
    for (let number = this.first; number <= this.last; number += 1) {
      times[number & (length - 1)] = this.timeOf(number);
      lines[number & (length - 1)] = this.lineOf(number);
    }
    this.times = times;
    this.lines = lines;
  }
}

/** Sequences by channel and ends. Keys of two steps stay small numbers, which maps find faster than large ones. */
export class Sequences {
  private readonly channels = new Map<number, Map<number, Sequence>>();

  get(channel: number, ends: number): Sequence | undefined {
    return this.channels.get(channel)?.get(ends);
  }

  /** Makes it where there is none. */
  of(channel: number, ends: number): Sequence {
    let known = this.channels.get(channel);
    if (known === undefined) {
      known = new Map();
      this.channels.set(channel, known);
    }
    let sequence = known.get(ends);
    if (sequence === undefined) {
      sequence = new Sequence();
      known.set(ends, sequence);
    }
    return sequence;
  }

  /** With the ends of each. */
  *all(): Generator<readonly [ends: number, sequence: Sequence]> {
    for (const known of this.channels.values()) yield* known;
  }
}
