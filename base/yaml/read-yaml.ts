import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { badInput, messageOf, type PredictError, shortened } from '../index.ts';

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

/** Reads YAML 1.2; syntax errors and duplicate keys become one `badInput` with `path:line` for each. */
export function readYaml(text: string, { path, verbatim = [] }: ReadYamlOptions): YamlFile {
  const lineCounter = new LineCounter();
  const document = parse(text, { path, lineCounter });
  if (document.errors.length > 0) {
    const lines = new Map<number, string>();
    for (const error of document.errors) {
      const { line } = lineCounter.linePos(error.pos[0]);
      // The parser stumbles on after an error: the first complaint about a line is the one that helps.
      if (!lines.has(line)) lines.set(line, `${path}:${line}: ${explain(error, text)}`);
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
    const lineOf = (steps: readonly PropertyKey[]): number => lineCounter.linePos(offsetOf(document, steps)).line;
    return { value: document.toJS(), lineOf };
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Complaints of one message: what follows them is mostly their consequence. */
const TOLD = 8;

function parse(text: string, { path, lineCounter }: { path: string; lineCounter: LineCounter }): Document.Parsed {
  try {
    // Its warnings would go to the terminal.
    return parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' });
  } catch (error) {
    // The parser's stack, of a file that nests thousands of lists.
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): PredictError {
  const why = error instanceof RangeError ? 'it nests too deep' : shortened(messageOf(error), 120);
  return badInput(`${path} is no usable YAML: ${why}.`, error);
}

function explain({ code, message: said, pos }: Document['errors'][number], text: string): string {
  const message = /call stack/.test(said) ? 'it nests too deep' : said;
  const end = text.indexOf('\n', pos[0]);
  const line = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, end === -1 ? undefined : end).trim();
  if (code === 'DUPLICATE_KEY') {
    const key = /^[^\s:]+/.exec(text.slice(pos[0]))?.[0] ?? '';
    return `the key '${shortened(key)}' is given twice: keep one.`;
  }
  if (code === 'MULTIPLE_DOCS') return `the file holds several documents: keep one and remove the '---' before it.`;
  const hint = /\w\[\d/.test(line) ? `; inside a [..] list, put ranges in quotes: ["node[01-04]"]` : '';
  return `'${shortened(line)}' is no valid YAML: ${shortened(message, 120).replace(/\.$/, '')}${hint}.`;
}

function nodeAt(document: Document.Parsed, path: readonly string[]): Parameters<typeof visit>[0] {
  const node: unknown = document.contents === null ? null : document.getIn(path, true);
  return isMap(node) || isSeq(node) ? node : null;
}

/** Walks as far along `path` as the document goes; the key's place counts, since values may start on the next line. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let offset = document.contents?.range?.[0] ?? 0;
  let node: unknown = document.contents;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
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
