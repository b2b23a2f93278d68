/**
 * What is made of each item, in order. The next one is begun while the caller looks at the one before, so that files are read while
 * others are worked on. Errors of `make` come with their item.
 */
export async function* ahead<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): AsyncGenerator<Made> {
  const begin = (item: Item): Promise<Made> => {
    const made = make(item);
    // Whoever stops before does not want to hear of it.
    made.catch(() => undefined);
    return made;
  };
  let next: Promise<Made> | null = null;
  for (const [index, item] of items.entries()) {
    const own = next ?? begin(item);
    const [following] = items.slice(index + 1, index + 2);
    next = following === undefined ? null : begin(following);
    yield await own;
  }
}
