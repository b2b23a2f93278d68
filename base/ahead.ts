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
