import { at } from '../../base/lists.ts';

/** Places `from` up to and without `to`. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The longest stretches of 0 to `count` in which each place is like the one before. */
export function* stretchesOf(count: number, isLike: (place: number, before: number) => boolean): Generator<Stretch> {
  let from = 0;
  for (let place = 1; place <= count; place += 1) {
    if (place < count && isLike(place, place - 1)) continue;
    yield { from, to: place };
    from = place;
  }
}

/** The same for equal values of a list; places count from its beginning. */
export function* equalStretches<T>(values: ArrayLike<T>): Generator<Stretch & { readonly value: T }> {
  for (const stretch of stretchesOf(values.length, (place, before) => values[place] === values[before])) {
    yield { ...stretch, value: at(values, stretch.from) };
  }
}
