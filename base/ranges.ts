import { badInput } from './errors.ts';
import { ascending, at } from './lists.ts';
import { shortened } from './text.ts';

export interface RangeOptions {
  /** What the numbers are, for messages: `bw`. */
  readonly what: string;
  /** Step of `a..b` without `/step`. */
  readonly step?: number;
  readonly least: number;
  readonly most: number;
  /** Whole numbers only (the default). */
  readonly integer?: boolean;
}

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const PART = String.raw`${NUMBER}(?:\.\.${NUMBER}(?:/${NUMBER})?)?%?`;
const RANGE = new RegExp(`^${PART}$`);
/** How ranges are written: parts with commas between, so many at the most: a loop without end takes the matcher's stack. */
export const RANGE_LIST = new RegExp(String.raw`^\s*${PART}\s*(?:,\s*${PART}\s*){0,10000}$`);
/** Values of one range. */
const MOST = 100_000;

/**
 * `4,9,16`, `10..50` (default step), `10..50/10`, and mixtures -> ascending numbers without repetition.
 * A range that runs backwards, a step of zero and values outside [least, most] are errors naming the part.
 */
export function parseRange(text: string, options: RangeOptions): readonly number[] {
  const { what, step: defaultStep = 1, least, most, integer = true } = options;
  const values = new Set<number>();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const match = RANGE.exec(part);
    if (!match) {
      throw badInput(
        `${what}: '${shortened(part)}' is not a number or range: write for example 4,9,16 or 10..50 or 10..50/10.`,
      );
    }
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    const step = match[3] === undefined ? defaultStep : Number(match[3]);
    if (last < first) {
      throw badInput(`${what}: the range '${shortened(part)}' runs backwards: write ${last}..${first}.`);
    }
    if (!(step > 0)) throw badInput(`${what}: the step in '${shortened(part)}' must be above 0.`);
    if (first < least || last > most) {
      const wrong = first < least ? first : last;
      throw badInput(`${what}: ${wrong} is outside its range: values go from ${least} to ${most}.`);
    }
    const count = Math.floor((last - first) / step + 1e-9);
    if (count + values.size > MOST)
      throw badInput(`${what}: '${shortened(part)}' has more than ${MOST} values: use a larger step.`);
    for (let index = 0; index <= count; index += 1) {
      // Twelve digits undo the binary noise of 10 + 3 * 0.1.
      const value = Number((first + index * step).toPrecision(12));
      if (integer && !Number.isInteger(value))
        throw badInput(`${what}: ${value} in '${shortened(part)}' is not a whole number.`);
      values.add(value);
    }
  }
  return ascending(values);
}

/** The shortest text that `parseRange` reads back, for messages and headings: 4,9,16 or 10..50/10,100. */
export function formatRange(values: readonly number[]): string {
  const parts: string[] = [];
  for (let start = 0; start < values.length; ) {
    const first = at(values, start);
    const step = (values[start + 1] ?? first) - first;
    let end = start + 1;
    while (end < values.length && Math.abs(at(values, end) - at(values, end - 1) - step) < 1e-9) end += 1;
    const length = end - start;
    if (length >= 3)
      parts.push(`${first}..${values[end - 1]}${step === 1 ? '/1' : `/${Number(step.toPrecision(12))}`}`);
    else parts.push(String(first));
    start = length >= 3 ? end : start + 1;
  }
  return parts.join(',');
}
