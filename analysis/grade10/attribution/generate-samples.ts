/** Slices 0 to count - 1 of one period, to be filled in proportion to `load` but not above `room`. */
interface Filling {
  readonly count: number;
  readonly load: Float64Array;
  readonly room: Float64Array;
  /** Load outside these slices that takes part in the division; what it gets is not kept. */
  readonly outside?: number;
}

/** Writes samples for `usage` (rate times slices) into the first `count` elements and returns what found no room. */
type Generate = (usage: number, filling: Filling, samples: Float64Array) => number;

/**
 * GENERATESAMPLES of algorithm 1 for periods of up to `longest` slices: slices are filled in falling order of load to room, so
 * that what does not fit into one goes to those that come later. Working space is made once.
 */
export function sampleGenerator(longest: number): Generate {
  // Runs of neighbouring slices with the same ratio are sorted as one: there are far fewer of them.
  const starts = new Uint32Array(longest);
  const ends = new Uint32Array(longest);
  const ratios = new Float64Array(longest);
  // What follows runs over slices: it indexes directly (see `at`).
  return (usage, { count, load, room, outside = 0 }, samples) => {
    samples.fill(0, 0, count);
    if (usage <= 0) return 0;
    let runs = 0;
    let sorted = true;
    let remainingLoad = outside;
    for (let slice = 0; slice < count; slice += 1) {
      const own = load[slice] ?? 0;
      const space = room[slice] ?? 0;
      if (!(own > 0 && space > 0)) continue;
      remainingLoad += own;
      const ratio = own / space;
      const last = starts[runs - 1] ?? 0;
      if (runs > 0 && ends[last] === slice && ratios[last] === ratio) {
        ends[last] = slice + 1;
        continue;
      }
      if (runs > 0 && ratio > (ratios[last] ?? 0)) sorted = false;
      starts[runs] = slice;
      ends[slice] = slice + 1;
      ratios[slice] = ratio;
      runs += 1;
    }
    const queue = starts.subarray(0, runs);
    // Equal ratios in order of time.
    if (!sorted) queue.sort((a, b) => (ratios[b] ?? 0) - (ratios[a] ?? 0) || a - b);
    let rest = usage;
    for (let place = 0; place < runs; place += 1) {
      const start = queue[place] ?? 0;
      const end = ends[start] ?? 0;
      for (let slice = start; slice < end; slice += 1) {
        const own = load[slice] ?? 0;
        // Rounding can leave less load than the last slice has.
        const share = own < remainingLoad ? own / remainingLoad : 1;
        const sample = Math.min(rest * share, room[slice] ?? 0);
        samples[slice] = sample;
        rest = Math.max(0, rest - sample);
        remainingLoad -= own;
      }
    }
    return rest;
  };
}
