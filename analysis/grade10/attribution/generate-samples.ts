/** Slices 0 to count - 1 of one period, to be filled in proportion to `load` but not above `room`. */
export interface Filling {
  readonly count: number;
  readonly load: Float64Array;
  readonly room: Float64Array;
  /** Load outside these slices that takes part in the division; what it gets is not kept. */
  readonly outside?: number;
}

/** Writes samples for `usage` (rate times slices) into the first `count` elements and returns what found no room. */
export type Generate = (usage: number, filling: Filling, samples: Float64Array) => number;

/**
 * GENERATESAMPLES of algorithm 1 for periods of up to `longest` slices: slices are filled in falling order of load to room, so
 * that what does not fit into one goes to those that come later. Working space is made once.
 */
export function sampleGenerator(longest: number): Generate {
  const order = new Uint32Array(longest);
  const ratio = new Float64Array(longest);
  return (usage, { count, load, room, outside = 0 }, samples) => {
    samples.fill(0, 0, count);
    if (usage <= 0) return 0;
    let eligible = 0;
    let remainingLoad = outside;
    let sorted = true;
    let previous = Number.POSITIVE_INFINITY;
    for (let slice = 0; slice < count; slice += 1) {
      const [own, space] = [load[slice] ?? 0, room[slice] ?? 0];
      if (!(own > 0 && space > 0)) continue;
      remainingLoad += own;
      const value = own / space;
      ratio[slice] = value;
      order[eligible] = slice;
      eligible += 1;
      if (value > previous) sorted = false;
      previous = value;
    }
    const queue = order.subarray(0, eligible);
    // A stable order: equal ratios in order of time.
    if (!sorted) queue.sort((a, b) => (ratio[b] ?? 0) - (ratio[a] ?? 0) || a - b);
    let rest = usage;
    for (let at = 0; at < eligible; at += 1) {
      const slice = queue[at] ?? 0;
      const own = load[slice] ?? 0;
      // Rounding can leave less load than the last slice has.
      const share = own < remainingLoad ? own / remainingLoad : 1;
      const sample = Math.min(rest * share, room[slice] ?? 0);
      samples[slice] = sample;
      rest = Math.max(0, rest - sample);
      remainingLoad -= own;
    }
    return rest;
  };
}
