// https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/util/Properties.html#load(java.io.Reader)
import { badInput } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';

export interface Property {
  readonly value: string;
  /** Where it begins, from 1. */
  readonly line: number;
}

/**
 * A .properties file as Java reads it: `#` and `!` comments, `=`, `:` or blanks between key and value, lines that go on after a
 * backslash, escapes. Blanks at the end of a value are dropped, as the benchmark does. Where values of a key differ they are
 * `refused`, or the `first` counts. Errors: badInput with file and line for such a key, and for an escape that is none.
 */
export function parseProperties(
  text: string,
  file: string,
  { repeats = 'refused' }: { readonly repeats?: 'refused' | 'first' } = {},
): ReadonlyMap<string, Property> {
  const properties = new Map<string, Property>();
  for (const { content, line } of logicalLines(text)) {
    const end = endOfKey(content);
    const [, rawValue] = /^(?:[ \t\f]*[=:][ \t\f]*|[ \t\f]+|$)(.*)$/s.exec(content.slice(end)) ?? [];
    const rawKey = rawValue === undefined ? '' : content.slice(0, end);
    const [key, value] = [unescaped(rawKey, { file, line }), unescaped(rawValue ?? '', { file, line }).trimEnd()];
    const before = properties.get(key);
    if (before !== undefined && repeats === 'first') continue;
    if (before !== undefined && before.value !== value) {
      throw badInput(
        `${file} line ${line}: ${shortened(key)} has a different value in line ${before.line}: remove one of them.`,
      );
    }
    properties.set(key, { value, line });
  }
  return properties;
}

/** Where the first blank, `=` or `:` is that no backslash stands before. */
function endOfKey(content: string): number {
  let end = 0;
  while (end < content.length && !/[\s=:]/.test(content.charAt(end))) end += content[end] === '\\' ? 2 : 1;
  return Math.min(end, content.length);
}

/** Lines without comments and blank ones; those that end in an odd number of backslashes go on in the next. */
function* logicalLines(text: string): Generator<{ readonly content: string; readonly line: number }> {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  for (let index = 0; index < lines.length; index += 1) {
    let content = (lines[index] ?? '').trimStart();
    if (content === '' || /^[#!]/.test(content)) continue;
    const line = index + 1;
    const parts: string[] = [];
    while (/(?:^|[^\\])(?:\\\\)*\\$/.test(content) && index + 1 < lines.length) {
      parts.push(content.slice(0, -1));
      index += 1;
      content = (lines[index] ?? '').trimStart();
    }
    yield { content: parts.join('') + content, line };
  }
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescaped(text: string, { file, line }: { readonly file: string; readonly line: number }): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.?))/gs, (found, code: string | undefined, one: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (one === 'u') throw badInput(`${file} line ${line}: '${found}' needs four hexadecimal digits: write \\u0041.`);
    return ESCAPES[one] ?? one;
  });
}

/** A text that `parseProperties` and Java read as this value. */
export function escapedValue(value: string): string {
  return value.replace(/[\\\n\r\t\f]|^ /g, (character) => {
    const name = Object.keys(ESCAPES).find((key) => ESCAPES[key] === character);
    return `\\${name ?? character}`;
  });
}
