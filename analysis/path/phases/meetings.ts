import { at } from '../../../base/index.ts';

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
  const meeting = new Int32Array(line.length);
  const meetings = new Map<number, number>();
  const names = new Map<number, number>();
  const steps = numbered(step);
  const kinds = 1 + kind.reduce((most, one) => Math.max(most, one), 0);
  const most = 1 + steps.reduce((highest, one) => Math.max(highest, one), 0);
  let rounds = new Map<number, number>();
  for (let place = 0; place < line.length; place += 1) {
    if (line[place] !== line[place - 1]) rounds = new Map();
    const search = Math.floor(at(line, place) / ranks);
    const name = (search * kinds + at(kind, place)) * most + at(steps, place);
    const round = rounds.get(name) ?? 0;
    rounds.set(name, round + 1);
    // Below 2^53 for any number of phases that fits into memory.
    const key = (names.get(name) ?? names.set(name, names.size).size - 1) * (line.length + 1) + round;
    const known = meetings.get(key) ?? meetings.size;
    if (known === meetings.size) meetings.set(key, known);
    meeting[place] = known;
  }
  const partners = new Int32Array(meetings.size * ranks).fill(-1);
  for (let place = 0; place < line.length; place += 1) {
    partners[at(meeting, place) * ranks + (at(line, place) % ranks)] = place;
  }
  return { meeting, partners };
}

/** Each value by the number of its first appearance; NaN is a value. */
function numbered(column: Float64Array): Int32Array {
  const known = new Map<number, number>();
  return Int32Array.from(column, (value) => {
    const number = known.get(value) ?? known.size;
    known.set(value, number);
    return number;
  });
}
