// Format: https://www.rfc-editor.org/rfc/rfc8259
import { at } from '../../base/at.ts';
import { badInput } from '../../base/index.ts';

/** A JSON value that knows its line, from 1. Entries keep the order of the file. */
export type JsonNode = { readonly line: number } & (
  | { readonly kind: 'object'; readonly entries: ReadonlyMap<string, JsonNode> }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string }
);

const MAX_DEPTH = 64;
const SPACE = /[ \t\r\n]*/y;
/** A part of a text: plain characters, or one escape. */
const PART = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
/** What may stand for itself; NaN and Infinity, which JSON has not but some programs write, are refused by their name. */
const WORD = /[-+.\w]+/y;

/**
 * Parses JSON and keeps line numbers; `firstLine` is the line that the text begins in. Refused with their line: what is
 * no JSON, a text that ends early, NaN and Infinity, and a key that an object has twice.
 */
export function parseJson(text: string, source: string, firstLine = 1): JsonNode {
  const input = text.replace(/^\uFEFF/, '');
  let position = 0;
  let line = firstLine;

  const fail = (problem: string, at = line): never => {
    throw badInput(`${source}, line ${at}: ${problem}.`);
  };
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = position;
    const found = pattern.exec(input)?.[0] ?? null;
    if (found !== null) position += found.length;
    return found;
  };
  /** The next character that is no blank; null at the end. */
  const peek = (): string | null => {
    for (const character of take(SPACE) ?? '') if (character === '\n') line += 1;
    return input[position] ?? null;
  };
  const expect = (wanted: string, within: string, since: number): void => {
    const found = peek();
    if (found === null) fail(`the file ends within ${within} that begins in line ${since}, so it is truncated`);
    if (found !== wanted) fail(`'${excerpt(input, position)}' where '${wanted}' should follow in ${within}`);
    position += 1;
  };
  const string = (): string => {
    const start = position;
    position += 1;
    while (take(PART) !== null);
    if (input[position] === '"') {
      position += 1;
      return JSON.parse(input.slice(start, position)) as string;
    }
    position = start;
    const end = input.slice(position + 1).search(/["\r\n]/);
    return fail(
      end < 0
        ? 'the file ends within a string, so it is truncated'
        : `${excerpt(input, position)} is not a valid JSON string`,
    );
  };

  const value = (depth: number): JsonNode => {
    const next = peek();
    if (depth > MAX_DEPTH) fail(`more than ${MAX_DEPTH} nested brackets: this is not a file of measurements`);
    if (next === null) return fail('the file ends where a value should follow, so it is truncated');
    if (next === '{') return object(depth);
    if (next === '[') return array(depth);
    const at = line;
    if (next === '"') return { kind: 'string', line: at, value: string() };
    const digits = take(NUMBER);
    if (digits !== null) return { kind: 'number', line: at, value: Number(digits), text: digits };
    const word = take(WORD) ?? excerpt(input, position);
    if (['true', 'false', 'null'].includes(word)) return { kind: 'literal', line: at, text: word };
    if (/^[-+]?(?:nan|inf(?:inity)?)$/i.test(word)) {
      return fail(`${word} is not a finite number: leave the measurement out`);
    }
    return fail(`'${word}' is not a JSON value`);
  };

  const object = (depth: number): JsonNode => {
    const since = line;
    position += 1;
    const entries = new Map<string, JsonNode>();
    while (peek() !== '}') {
      if (entries.size > 0) expect(',', 'the object', since);
      const first = peek();
      if (first !== null && first !== '"')
        fail(`'${excerpt(input, position)}' where a key in double quotes should follow`);
      if (first === null) expect('}', 'the object', since);
      const at = line;
      const key = string();
      if (entries.has(key)) fail(`the key '${key}' is given twice in one object: keep one`, at);
      expect(':', 'the object', since);
      entries.set(key, value(depth + 1));
    }
    position += 1;
    return { kind: 'object', line: since, entries };
  };

  const array = (depth: number): JsonNode => {
    const since = line;
    position += 1;
    const items: JsonNode[] = [];
    while (peek() !== ']') {
      if (items.length > 0) expect(',', 'the list', since);
      if (peek() === null) expect(']', 'the list', since);
      items.push(value(depth + 1));
    }
    position += 1;
    return { kind: 'array', line: since, items };
  };

  const root = value(0);
  if (peek() !== null) fail(`'${excerpt(input, position)}' follows the end of the JSON value: one value per file`);
  return root;
}

/** A node as it may stand in a sentence: short. */
export function describeNode(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return 'an object';
    case 'array':
      return 'a list';
    case 'string':
      return JSON.stringify(node.value.length > 40 ? `${node.value.slice(0, 40)}...` : node.value);
    default:
      return node.text;
  }
}

function excerpt(text: string, position: number): string {
  return at(text.slice(position, position + 20).split(/[\r\n]/), 0);
}
