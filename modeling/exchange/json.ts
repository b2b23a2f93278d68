// Format: https://www.rfc-editor.org/rfc/rfc8259
import { attempt, badInput, messageOf } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';
import { readYaml } from '../../base/yaml/read-yaml.ts';
import { nameProblem } from './experiment.ts';

/** A value of a file with what it is called in sentences, and where it stands. */
export interface Place {
  readonly value: unknown;
  readonly what: string;
  readonly path: readonly PropertyKey[];
  readonly source: string;
  /** Asked only where something is wrong. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** Parses a JSON file. Refused with the line: what is no JSON, and a key that an object has twice. */
export function parseJson(text: string, source: string): Place {
  if (text.trim() === '') throw badInput(`${source} is empty: give a file with measurements.`);
  // JSON is YAML, whose parser knows lines, but takes a thousand times as long.
  const slowly = () => {
    try {
      return readYaml(text, { path: source });
    } catch (error) {
      const said = messageOf(error).replaceAll(`${source}:`, `${source}, line `).replaceAll('valid YAML', 'valid JSON');
      throw badInput(said, error);
    }
  };
  const quick = soundJson(text);
  const value = quick === undefined ? slowly().value : quick;
  return { value, what: 'the file', path: [], source, lineOf: (path) => slowly().lineOf(path) };
}

/** Parses one line of JSON. */
export function parseJsonLine(
  text: string,
  { source, line }: { readonly source: string; readonly line: number },
): Place {
  const value = soundJson(text);
  if (value !== undefined) return { value, what: 'the line', path: [], source, lineOf: () => line };
  throw badInput(
    `${source}, line ${line}: '${shortened(text)}' is not valid JSON: it is truncated, has a key twice, or has a value that is not a number.`,
  );
}

/** Undefined for what is no JSON or has a key twice. */
function soundJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return keysOf(value) === writtenKeys(text).length ? value : undefined;
  } catch {
    return undefined;
  }
}

function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, inner) => sum + keysOf(inner), own);
}

/** The keys of a JSON text in the order of the text: strings before a colon. */
export function writtenKeys(text: string): string[] {
  const keys: string[] = [];
  const colon = /\s*:/y;
  for (let from = text.indexOf('"'); from >= 0; ) {
    let to = from + 1;
    while (to < text.length && text[to] !== '"') to += text[to] === '\\' ? 2 : 1;
    colon.lastIndex = to + 1;
    if (colon.test(text)) keys.push(JSON.parse(text.slice(from, to + 1)));
    from = text.indexOf('"', to + 1);
  }
  return keys;
}

export function fail({ source, lineOf, path }: Pick<Place, 'source' | 'lineOf' | 'path'>, problem: string): never {
  // Of a file that is too long for its parser there are no lines.
  const line = attempt(() => lineOf(path));
  throw badInput(`${source}${line === null ? '' : `, line ${line}`}: ${problem}.`);
}

/** What stands under the keys of an object; with `keys`, exactly those may be there and the ones without `?` must be. */
export function entriesAt(place: Place, keys?: readonly string[]): ReadonlyMap<string, Place> {
  const { value, what, path } = place;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail(place, `${what} is ${described(value)}: it must be an object {...}`);
  }
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, { ...place, value: inner, what: key, path: [...path, key] }] as const,
  );
  const names = keys?.map((key) => key.replace('?', ''));
  for (const [key, entry] of entries) {
    if (names?.includes(key) === false) {
      fail(entry, `${what} has the key '${key}', which is not one of ${names.join(', ')}: remove it`);
    }
  }
  const missing = keys?.find((key) => !key.endsWith('?') && !Object.hasOwn(value, key));
  if (missing !== undefined) fail(place, `${what} has no '${missing}': add it`);
  return new Map(entries);
}

/** What stands under a key that must be there. */
export function entry(place: Place, key: string): Place {
  return entriesAt(place).get(key) ?? fail(place, `${place.what} has no '${key}': add it`);
}

export function itemsAt(place: Place): readonly Place[] {
  const { value, what, path } = place;
  if (!Array.isArray(value)) return fail(place, `${what} is ${described(value)}: it must be a list [...]`);
  if (value.length === 0) fail(place, `${what} is an empty list: nothing was measured, or the file is truncated`);
  return value.map((item: unknown, index) => ({
    ...place,
    value: item,
    what: `${what}[${index}]`,
    path: [...path, index],
  }));
}

export function numberAt(place: Place): number {
  const { value, what } = place;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return fail(place, `${what} is ${described(value)}: give a finite number, without quotes, or leave it out`);
}

/** A name that stands as a value, or as the key `key`. */
export function nameAt(place: Place, key?: string): string {
  const { value, what } = place;
  const name = key ?? value;
  if (typeof name !== 'string') return fail(place, `${what} is ${described(name)}: it must be a string in quotes`);
  const problem = nameProblem(name.trim());
  if (problem !== null) fail(place, `${key === undefined ? what : 'a key'} is ${JSON.stringify(name)}: ${problem}`);
  return name.trim();
}

/** A value as it may stand in a sentence: short. */
function described(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? JSON.stringify(shortened(value, 40)) : String(value);
}
