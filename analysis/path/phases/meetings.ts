/** Columns of phases by search and rank (`line`), each line in order of time. */
interface Lines {
  readonly line: Float64Array;
  readonly kind: Float64Array;
  readonly step: Float64Array;
}

/**
 * Which phases of the ranks are one step: those of one search, kind and step. Where a rank has several of them, the first ones of
 * all ranks meet, then the second ones. `partners` has the phase of rank r in meeting m at m * ranks + r, -1 where there is none.
 */
export function meetingsOf({ line, kind, step }: Lines, ranks: number) {
  const count = line.length;
  const meeting = new Int32Array(count);
  const steps = isSmall(step) ? step : numbered(step);
  const kinds = 1 + kind.reduce((most, one) => Math.max(most, one), 0);
  const span = 1 + steps.reduce((highest, one) => Math.max(highest, one), 0);
  /** The first meeting of each search, kind and step; `next` leads from a meeting to the one of the second time, -1 at the last. */
  const firsts = new Map<number, number>();
  const next = new Int32Array(count).fill(-1);
  /** The line that was last in a meeting: one that comes again is there for another time. */
  const lastLine = new Float64Array(count).fill(-1);
  let meetings = 0;
  for (let place = 0; place < count; place += 1) {
    const own = line[place] ?? 0;
    const name = (Math.floor(own / ranks) * kinds + (kind[place] ?? 0)) * span + (steps[place] ?? 0);
    let found = firsts.get(name) ?? -1;
    if (found < 0) {
      found = meetings;
      firsts.set(name, found);
    }
    while (lastLine[found] === own) {
      if (next[found] === -1) next[found] = meetings;
      found = next[found] ?? -1;
    }
    if (found === meetings) meetings += 1;
    lastLine[found] = own;
    meeting[place] = found;
  }
  const partners = new Int32Array(meetings * ranks).fill(-1);
  for (let place = 0; place < count; place += 1) {
    partners[(meeting[place] ?? 0) * ranks + ((line[place] ?? 0) % ranks)] = place;
  }
  return { meeting, partners };
}

/** Whole numbers that need no others in their place. */
function isSmall(column: Float64Array): boolean {
  return column.every((value) => value >= 0 && value < 2 ** 20 && Number.isInteger(value));
}

/** Each value by the number of its first appearance; NaN is a value. */
function numbered(column: Float64Array): Float64Array {
  const known = new Map<number, number>();
  return column.map((value) => {
    const number = known.get(value) ?? known.size;
    known.set(value, number);
    return number;
  });
}
