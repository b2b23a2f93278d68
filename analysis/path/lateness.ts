// The one rule of when a message was late and which one a wait is charged to, for recorded calls and programs that trace themselves.

/** A rank's look at a message: since when it waited, when it would have seen it with a processor, and when it should have been there, ns. */
export interface Look {
  readonly begunNs: number;
  readonly cameNs: number;
  /** When the links had passed it, at their rate, behind all that was handed over before. */
  readonly passedNs: number;
  /** How much later it may truly have been there: what clocks may be apart. */
  readonly apartNs: number;
}

/** Sleep is read at most every half millisecond, at both ends of a phase: it tells nothing of shorter waits. */
const SLEEP_BOUND_NS = 1e6;

/**
 * For each wait of a rank, of the messages that it then found the one that ended it, by index; -1 where none did and the time was the
 * rank's own. A message had only to be read if it should have been there longer before the wait than the wait was. Who sleeps reads
 * nothing, though: what `asleepNs` (of all these waits; NaN where it is not known) is more than the waits that messages surely ended, the
 * rank slept in the longest others, and their messages came later than links account for. Of several messages the one that links
 * should have passed last ended the wait.
 */
export function endsOfWaits(waits: readonly (readonly Look[])[], asleepNs = Number.NaN): readonly number[] {
  const ends = waits.map((looks) => lastPassed(looks, (look) => !hadOnlyToBeRead(look)));
  const lengths = waits.map((looks) =>
    looks.reduce((most, { begunNs, cameNs }) => Math.max(most, cameNs - begunNs), 0),
  );
  let leftNs = lengths.reduce((left, ns, wait) => ((ends[wait] as number) < 0 ? left : left - ns), asleepNs);
  const doubtful = [...lengths.keys()].filter((wait) => (ends[wait] as number) < 0);
  for (const wait of doubtful.sort((a, b) => (lengths[b] as number) - (lengths[a] as number))) {
    const ns = lengths[wait] as number;
    if (!(ns >= SLEEP_BOUND_NS && leftNs >= ns / 2)) continue;
    leftNs -= ns;
    ends[wait] = lastPassed(waits[wait] ?? [], () => true);
  }
  return ends;
}

function hadOnlyToBeRead({ begunNs, cameNs, passedNs, apartNs }: Look): boolean {
  return begunNs - passedNs - apartNs > cameNs - begunNs;
}

function lastPassed(looks: readonly Look[], isIt: (look: Look) => boolean): number {
  let found = -1;
  for (const [index, look] of looks.entries()) {
    if (isIt(look) && look.passedNs >= (looks[found]?.passedNs ?? Number.NEGATIVE_INFINITY)) found = index;
  }
  return found;
}
