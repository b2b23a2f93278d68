import { readFile } from 'node:fs/promises';
import { badInput, messageOf } from '../../base/errors.ts';

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** A line of a file with its number, from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** The lines that say something, one by one; ends of LF, CRLF or CR, a BOM and blank lines are left out. Errors: `badInput` where none does. */
export function* splitLines(text: string, source: string): Generator<Line> {
  const newline = text.includes('\n') ? '\n' : '\r';
  let isEmpty = true;
  for (let number = 1, from = text.startsWith('\uFEFF') ? 1 : 0; from < text.length; number += 1) {
    const end = text.indexOf(newline, from);
    const line = text.slice(from, end < 0 ? text.length : end).trim();
    from = end < 0 ? text.length : end + 1;
    if (line === '') continue;
    isEmpty = false;
    yield { number, text: line };
  }
  if (isEmpty) throw badInput(`${source} is empty: give a file with measurements.`);
}

/** A finite decimal number; `where` begins the error's sentence and `what` names the number. */
export function finiteNumber(text: string, { where, what }: { readonly where: string; readonly what: string }): number {
  const value = parseFinite(text);
  if (value !== null) return value;
  throw badInput(`${where}: ${what} is '${text}': give a finite number or leave the measurement out.`);
}

/** Null for what is no finite decimal number. */
export function parseFinite(text: string): number | null {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : null;
}

/** The content of a file. Errors: `badInput`. */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw badInput(`${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

/** UTF-8 bytes as text. */
export function decodeText(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw badInput(`${source} is not UTF-8 text: check that the named format is right.`, error);
  }
}
