import { z } from 'zod';
import { COUNTS, parseCount, parseSeconds, TIME, TIMES, WHOLE } from '../bounds.ts';
import { badInput, messageOf } from '../errors.ts';
import { parseRange, RANGE_LIST, type RangeOptions } from '../ranges.ts';
import { PERCENTAGE, type Percent, parsePercent, type Seconds } from '../units.ts';
import { withStop } from './parse-yaml.ts';

// What a flag and a key of a file both may hold: the text of the command line, or the number or list that it stands for. What a field
// gives is itself something that it takes.

/** A value that a flag gives as text, read by `parse`, whose errors become the field's without the flag's name. */
export function field<T, Written>(written: z.ZodType<Written, Written>, parse: (value: Written) => T) {
  return written.transform((value, context): T => {
    try {
      return parse(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error).replace(/^(?:[a-z]+ )?--[a-z-]+: /, '') });
      return z.NEVER;
    }
  });
}

/** `8` or 8, within the bounds of a flag. */
export function countField(flag: keyof typeof COUNTS) {
  const { least: minimum, most: maximum } = COUNTS[flag];
  const number = z.number().meta({ type: 'integer', minimum, maximum });
  return field(z.union([number, written(WHOLE)]), (value): number => parseCount(String(value), flag));
}

/** `90s`, `10m`, or a number of seconds, within the bounds of a flag. */
export function secondsField(flag: keyof typeof TIMES) {
  const { least: minimum, most: maximum } = TIMES[flag];
  const number = z.number().meta({ minimum, maximum });
  return field(z.union([number, written(TIME)]), (value): Seconds => parseSeconds(String(value), flag));
}

/** `3%`, or 3. */
export function percentField(flag: string) {
  const number = z.number().meta({ minimum: 0.001, maximum: 100 });
  return field(z.union([number, written(PERCENTAGE)]), (value): Percent => parsePercent(String(value), flag));
}

/** `4,9..16` or a list of numbers and ranges; in ascending order, each once. */
export function rangeField(options: RangeOptions) {
  const { least: minimum, most: maximum, integer = true } = options;
  const number = z.number().meta({ type: integer ? 'integer' : 'number', minimum, maximum });
  const entry = z.union([number, written(RANGE_LIST)]);
  return field(z.union([entry, z.array(entry).min(1)]), (value): number[] => [...parseRange(String(value), options)]);
}

/** `a,b`, or a list of names. */
export function namesField() {
  const name = z.string().min(1);
  return field(z.union([name, z.array(name).min(1)]), (value): string[] => {
    const parts = (typeof value === 'string' ? value.split(',') : value).map((part) => part.trim());
    if (!parts.includes('')) return parts;
    throw badInput('it has an empty part: write names with commas between them');
  });
}

/** What a schema of fields says is wrong with flags, a line each; `keys` are the flags' attribute names. */
export function wrongFlags({ issues }: z.core.$ZodError): Error {
  const lines = issues.map(({ path, message }) => withStop(`${flagOf(String(path[0]))}: ${message}`));
  return badInput(lines.join('\n'));
}

/** cellTimeout -> --cell-timeout. */
function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A text, of which editors are told how it is written; what is wrong with it `parse` says. */
function written({ source: pattern }: RegExp) {
  return z.string().meta({ pattern });
}
