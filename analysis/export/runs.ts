import { at } from '../../base/index.ts';

/** Places `from` up to and without `to`. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** The longest stretches of 0 to `count` in which each place is like the one before. */
export function* runsOf(count: number, isLike: (place: number, before: number) => boolean): Generator<Run> {
  let from = 0;
  for (let place = 1; place <= count; place += 1) {
    if (place < count && isLike(place, place - 1)) continue;
    yield { from, to: place };
    from = place;
  }
}

/** The same for equal values of a stretch of an array; places count from its beginning. */
export function* valueRuns(values: Uint8Array | Float64Array): Generator<Run & { readonly value: number }> {
  for (const run of runsOf(values.length, (place, before) => values[place] === values[before])) {
    yield { ...run, value: at(values, run.from) };
  }
}
