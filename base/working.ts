import { formatSeconds } from './units.ts';

/** Who is told what takes long; nobody before a command says so. */
let told: ((text: string) => void) | null = null;
let toldMs = 0;
/** What is worked on since when, how much of it was done then, and how much is done now. */
let begun = { what: '', ms: 0, done: 0, reached: 0 };

/** What is done before this is not worth a word. */
const QUIET_MS = 2000;
/** A line that changes more often cannot be read. */
const EVERY_MS = 200;
/** From so much work on, the rest is reckoned from it. */
const RECKONED_MS = 500;

/** From now on `tell` hears, once the process has run for two seconds and then a few times a second, what it is working on. */
export function tellOfWork(tell: ((text: string) => void) | null): void {
  told = tell;
}

/**
 * Says what is worked on, and how long the rest of it takes at the pace so far: `working('following critical paths', 3, 40)`. Loops
 * call it for every step, also those that give nobody else a turn: it costs nothing where nobody listens, and little elsewhere.
 */
export function working(what: string, done?: number, all?: number): void {
  if (told === null) return;
  const nowMs = performance.now();
  const reached = done ?? 0;
  if (begun.what !== what || reached < begun.reached) begun = { what, ms: nowMs, done: reached, reached };
  else begun.reached = reached;
  if (nowMs < QUIET_MS || nowMs - toldMs < EVERY_MS) return;
  toldMs = nowMs;
  if (done === undefined || all === undefined) told(`${what} ...`);
  else {
    const [took, more] = [nowMs - begun.ms, done - begun.done];
    const leftS = took < RECKONED_MS || more === 0 || done >= all ? null : ((took / more) * (all - done)) / 1000;
    told(`${what}: ${done} of ${all}${leftS === null ? '' : `, about ${formatSeconds(Math.ceil(leftS))} left`}`);
  }
}

/** So many items are begun beyond the one that the caller looks at. */
const AHEAD = 2;

/**
 * What is made of each item, in order. The next ones are begun while the caller looks at the one before, so that files are read while
 * others are worked on. Errors of `make` come with their item.
 */
export async function* ahead<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): AsyncGenerator<Made> {
  const begun: Promise<Made>[] = [];
  let next = 0;
  for (;;) {
    for (const item of items.slice(next, next + 1 + AHEAD - begun.length)) {
      const made = make(item);
      // Whoever stops before does not want to hear of it.
      made.catch(() => undefined);
      begun.push(made);
      next += 1;
    }
    const own = begun.shift();
    if (own === undefined) return;
    yield await own;
  }
}
