import { badInput } from '../../base/index.ts';
import { nameProblem } from './experiment.ts';
import { describeNode, type JsonNode } from './json-with-lines.ts';

/** A node with what it is called in sentences and the file that it is from. */
export interface Place {
  readonly node: JsonNode;
  readonly what: string;
  readonly source: string;
}

export function fail({ node, source }: Pick<Place, 'node' | 'source'>, problem: string): never {
  throw badInput(`${source}, line ${node.line}: ${problem}.`);
}

/** The entries of an object; with `keys`, exactly those may be there and the ones without `?` must be. */
export function objectAt(place: Place, keys?: readonly string[]): ReadonlyMap<string, JsonNode> {
  const { node, what } = place;
  if (node.kind !== 'object') return fail(place, `${what} is ${describeNode(node)}: it must be an object {...}`);
  if (keys === undefined) return node.entries;
  const names = keys.map((key) => key.replace('?', ''));
  for (const [key, entry] of node.entries) {
    if (!names.includes(key)) {
      fail(
        { ...place, node: entry },
        `${what} has the key '${key}', which is not one of ${names.join(', ')}: remove it`,
      );
    }
  }
  for (const key of keys) {
    if (!key.endsWith('?') && !node.entries.has(key)) fail(place, `${what} has no '${key}': add it`);
  }
  return node.entries;
}

export function arrayAt(place: Place): readonly Place[] {
  const { node, what, source } = place;
  if (node.kind !== 'array') return fail(place, `${what} is ${describeNode(node)}: it must be a list [...]`);
  if (node.items.length === 0) fail(place, `${what} is an empty list: nothing was measured, or the file is truncated`);
  return node.items.map((item, index) => ({ node: item, what: `${what}[${index}]`, source }));
}

export function numberAt(place: Place): number {
  const { node, what } = place;
  if (node.kind === 'number' && Number.isFinite(node.value)) return node.value;
  return fail(place, `${what} is ${describeNode(node)}: give a finite number, without quotes, or leave it out`);
}

export function nameAt(place: Place): string {
  const { node, what } = place;
  if (node.kind !== 'string') return fail(place, `${what} is ${describeNode(node)}: it must be a string in quotes`);
  return nameIn(place, node.value);
}

/** A name that stands as a value or as a key. */
export function nameIn(place: Pick<Place, 'node' | 'source' | 'what'>, name: string): string {
  const trimmed = name.trim();
  const problem = nameProblem(trimmed);
  if (problem !== null) fail(place, `${place.what} is ${JSON.stringify(name)}: ${problem}`);
  return trimmed;
}

/** What stands under a key that `objectAt` has found. */
export function entry(entries: ReadonlyMap<string, JsonNode>, key: string, of: Place): Place {
  const node = entries.get(key) ?? fail(of, `${of.what} has no '${key}': add it`);
  return { node, what: key, source: of.source };
}
