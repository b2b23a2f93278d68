import { badInput, messageOf } from '../../../base/errors.ts';
import { csvFields } from '../../../base/line-reader.ts';
import { at } from '../../../base/lists.ts';
import { shortened } from '../../../base/text.ts';
import { readRegular } from '../../../experiments/store/regular.ts';

/** A row as named fields, with the place to name in messages. */
export interface CsvRow {
  readonly at: string;
  readonly field: (name: string) => string;
}

/**
 * A comma-separated file with a header, fields quoted where they hold commas (RFC 4180, without line breaks in fields). Errors:
 * badInput for a file that cannot be read, columns that are missing and rows of another length.
 */
export async function readRows(path: string, columns: readonly string[]): Promise<readonly CsvRow[]> {
  const bytes = await readRegular(path).catch((error: unknown) => {
    throw badInput(`${path} cannot be read (${messageOf(error)}): give a folder that holds it.`, error);
  });
  const [head = '', ...lines] = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  const fieldsOf = (line: string, place: string): string[] => {
    const fields = csvFields(line);
    if (fields !== null) return fields;
    throw badInput(`${place}: '${shortened(line)}' has an unclosed or undoubled quote: correct it.`);
  };
  const names = fieldsOf(head, `${path}:1`);
  const missing = columns.find((column) => !names.includes(column));
  if (missing !== undefined) {
    throw badInput(`${path}:1: the column ${missing} is missing: its header must name ${columns.join(', ')}.`);
  }
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const place = `${path}:${index + 2}`;
    const fields = fieldsOf(line, place);
    if (fields.length !== names.length) {
      throw badInput(`${place}: the line has ${fields.length} of ${names.length} fields: correct or remove it.`);
    }
    return [{ at: place, field: (name) => at(fields, names.indexOf(name)) }];
  });
}

/** Whole nanoseconds, of any size. */
export function parseNanoseconds({ at, field }: CsvRow, name: string): bigint {
  const text = field(name);
  if (/^-?\d+$/.test(text)) return BigInt(text);
  throw badInput(`${at}: ${name} is '${text}': give whole nanoseconds.`);
}

export function parseField({ at, field }: CsvRow, name: string): number {
  const value = field(name).trim() === '' ? Number.NaN : Number(field(name));
  if (Number.isFinite(value)) return value;
  throw badInput(`${at}: ${name} is '${field(name)}': give a number.`);
}
