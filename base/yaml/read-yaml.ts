import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { badInput, messageOf, type PredictError } from '../errors.ts';
import { shortened } from '../text.ts';

/** A YAML file as plain data, and the line of each of its values. */
interface YamlFile {
  readonly value: unknown;
  /** The line (from 1) of the value at `path`, or of the nearest section that exists. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

export interface ReadYamlOptions {
  /** Name of the file, for messages. */
  readonly path: string;
  /** Sections whose numbers stay as written: `1.10` must not become 1.1 in an environment variable. */
  readonly verbatim?: readonly (readonly string[])[];
}

/** Characters of a file that people write; the parser takes seconds for a few times as many. */
const LONGEST = 2 ** 20;

/** Reads YAML 1.2; syntax errors and duplicate keys become one `badInput` with `path:line` for each. */
export function readYaml(text: string, { path, verbatim = [] }: ReadYamlOptions): YamlFile {
  if (text.length > LONGEST) {
    throw badInput(`${path} has more than ${LONGEST.toLocaleString('en')} characters: write a shorter file.`);
  }
  const lineCounter = new LineCounter();
  const document = parse(text, { path, lineCounter });
  const faults = [
    ...document.errors.map((error) => ({ offset: error.pos[0], sentence: explain(error, text) })),
    ...repeatedKeys(document),
  ].sort((a, b) => a.offset - b.offset);
  if (faults.length > 0) {
    const lines = new Map<number, string>();
    for (const { offset, sentence } of faults) {
      const { line } = lineCounter.linePos(offset);
      // The parser stumbles on after an error: the first complaint about a line is the one that helps.
      if (!lines.has(line)) lines.set(line, `${path}:${line}: ${sentence}`);
    }
    throw badInput([...lines.values()].slice(0, TOLD).join('\n'));
  }
  for (const section of verbatim) {
    visit(nodeAt(document, section), {
      Scalar: (_, scalar) => {
        if (typeof scalar.value === 'number' && scalar.source !== undefined) scalar.value = scalar.source;
      },
    });
  }
  try {
    const value: unknown = document.toJS();
    refuseCircles(value);
    const pairs = pairsByKey();
    const lineOf = (steps: readonly PropertyKey[]): number =>
      lineCounter.linePos(offsetOf(document, steps, pairs)).line;
    return { value, lineOf };
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Complaints of one message: what follows them is mostly their consequence. */
const TOLD = 8;

function parse(text: string, { path, lineCounter }: { path: string; lineCounter: LineCounter }): Document.Parsed {
  try {
    // Its warnings would go to the terminal.
    return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
  } catch (error) {
    // The parser's stack, of a file that nests thousands of lists.
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): PredictError {
  const why = error instanceof RangeError ? 'it is nested too deeply' : shortened(messageOf(error), 120);
  return badInput(`${path} is not usable YAML: ${why}.`, error);
}

/** The parser itself would hold every key against every other. */
function repeatedKeys(document: Document.Parsed): { readonly offset: number; readonly sentence: string }[] {
  const found: { readonly offset: number; readonly sentence: string }[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          const sentence = `the key '${shortened(String(key.value))}' is given twice: keep one.`;
          found.push({ offset: key.range?.[0] ?? 0, sentence });
        }
        seen.add(key.value);
      }
    },
  });
  return found;
}

function explain({ code, message: said, pos }: Document['errors'][number], text: string): string {
  const message = /call stack/.test(said) ? 'it is nested too deeply' : said;
  const end = text.indexOf('\n', pos[0]);
  const line = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, end === -1 ? undefined : end).trim();
  if (code === 'MULTIPLE_DOCS') return `the file holds several documents: keep one and remove the '---' before it.`;
  const hint = /\w\[\d/.test(line)
    ? `; inside a [..] list, put ranges in quotes: ["node[01-04]"]`
    : /escape sequence/.test(message)
      ? '; single quotes keep a backslash as it is'
      : '';
  return `'${shortened(line)}' is not valid YAML: ${shortened(message, 120).replace(/\.$/, '')}${hint}.`;
}

function nodeAt(document: Document.Parsed, path: readonly string[]): Parameters<typeof visit>[0] {
  const node: unknown = document.contents === null ? null : document.getIn(path, true);
  return isMap(node) || isSeq(node) ? node : null;
}

/** Throws for a value that has itself inside: an alias may stand within what it names. */
function refuseCircles(value: unknown, above = new Set<unknown>(), done = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || done.has(value)) return;
  if (above.has(value)) throw new Error('an alias (*name) lies within the node that it refers to');
  above.add(value);
  for (const inner of Object.values(value)) refuseCircles(inner, above, done);
  above.delete(value);
  done.add(value);
}

type PairOf = (map: YAMLMap, key: string) => Pair | undefined;

/** Pairs of maps by their keys, listed once for each map: a file may have many keys, and many of them wrong. */
function pairsByKey(): PairOf {
  const known = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  return (map, key) => {
    const pairs = known.get(map) ?? new Map(map.items.map((pair) => [keyOf(pair), pair]));
    known.set(map, pairs);
    return pairs.get(key);
  };
}

function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

/** Walks as far along `path` as the document goes; the key's place counts, since values may start on the next line. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[], pairOf: PairOf): number {
  let offset = document.contents?.range?.[0] ?? 0;
  let node: unknown = document.contents;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = pairOf(node, String(step));
      if (pair === undefined) break;
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? offset) : offset;
    } else break;
  }
  return offset;
}
