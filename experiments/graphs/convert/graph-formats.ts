import { badInput } from '../../../base/errors.ts';
import { csvFields } from '../../../base/line-reader.ts';
import { shortened } from '../../../base/text.ts';
import { lineBlocks } from '../text/line-blocks.ts';

export const FORMATS = ['auto', 'snap', 'csv', 'matrix-market', 'graphalytics'] as const;
type Format = (typeof FORMATS)[number];

/** How an edge list is written, as its first lines tell. */
export interface Layout {
  readonly format: Exclude<Format, 'auto'>;
  /** A byte between fields; null for any run of blanks and tabs. */
  readonly separator: number | null;
  /** Lines before the first edge. */
  readonly headerLines: number;
  /** Of the columns in a line; the first has index 0. */
  readonly columns: number;
  readonly source: number;
  readonly target: number;
  /** Index of the weights' column, or null. */
  readonly weight: number | null;
  /** What the columns are called where a header says so. */
  readonly names: readonly string[] | null;
  /** null where nothing tells. */
  readonly directed: boolean | null;
  /** How many edges the file says that it has. */
  readonly announced: number | null;
  /** Of a Matrix Market file: the number of rows, and whether both directions are meant. */
  readonly matrix: { readonly rows: number; readonly symmetric: boolean } | null;
}

/** What a person says of the file. */
export interface LayoutOptions {
  readonly format?: Format;
  /** A column's name or its number from 1; null for no weights; undefined: where there are any. */
  readonly weights?: string | null;
}

/**
 * Finds out how an edge list is written from its first lines. SNAP: blanks between ids, `#` comments; CSV: any of `,`, `;`, tab and
 * blank, with or without a header; Matrix Market: https://math.nist.gov/MatrixMarket/formats.html; Graphalytics: a `.e` file.
 * Errors: badInput.
 */
export async function readLayout(file: string, { format = 'auto', weights }: LayoutOptions): Promise<Layout> {
  const head = await firstLines(file);
  const isMatrix = head[0]?.startsWith('%%MatrixMarket') === true;
  if (format === 'matrix-market' || (format === 'auto' && isMatrix)) return matrixLayout(head, { file, weights });
  const comments = head.filter(isComment).join('\n');
  const first = head.findIndex((line) => line.trim() !== '' && !isComment(line));
  const line = head[first];
  if (line === undefined) throw badInput(`${file} has no edges: it is empty, or has comments only.`);
  const mayHaveHeader = format === 'auto' || format === 'csv';
  const isHeader = mayHaveHeader && !/^[\s"]*-?\d/.test(line);
  const separator = separatorOf(line, isHeader);
  const fields = fieldsOf(line, separator, file, first + 1);
  if (fields.length < 2) {
    throw badInput(`${file} line ${first + 1}: '${shortened(line)}' is not an edge: a line needs two ids.`);
  }
  const names = isHeader ? fields : null;
  const ends = names === null ? ([0, 1] as const) : endsOf(names);
  return {
    format: format === 'auto' ? formatOf(file, separator, isHeader, comments) : format,
    separator,
    headerLines: isHeader ? first + 1 : 0,
    columns: fields.length,
    source: ends[0],
    target: ends[1],
    weight: weightColumn(fields, { names, ends, weights, file }),
    names,
    directed: directionOf(comments),
    announced: numberAfter(comments, /\bedges:\s*(\d+)/i),
    matrix: null,
  };
}

/** Comments may be long, but not so long. */
const [HEAD_LINES, HEAD_BYTES] = [20_000, 1 << 20];

async function firstLines(file: string): Promise<readonly string[]> {
  for await (const block of lineBlocks(file)) {
    const text = Buffer.from(block.buffer, block.byteOffset, Math.min(block.length, HEAD_BYTES)).toString('utf8');
    return text.replace(/^\ufeff/, '').split(/\r?\n/, HEAD_LINES);
  }
  throw badInput(`${file} is empty.`);
}

function isComment(line: string): boolean {
  return /^\s*[#%]/.test(line);
}

function separatorOf(line: string, isHeader: boolean): number | null {
  if (line.includes(',')) return 44;
  if (line.includes(';')) return 59;
  // With names of columns, a field may be empty.
  return isHeader && line.includes('\t') ? 9 : null;
}

function fieldsOf(line: string, separator: number | null, file: string, number: number): readonly string[] {
  if (separator === null) return line.trim().split(/[ \t]+/);
  const fields = separator === 44 ? csvFields(line) : line.split(String.fromCharCode(separator));
  if (fields === null) throw badInput(`${file} line ${number}: a quote is not closed.`);
  return fields.map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
}

function formatOf(
  file: string,
  separator: number | null,
  isHeader: boolean,
  comments: string,
): 'snap' | 'csv' | 'graphalytics' {
  if (separator !== null || isHeader) return 'csv';
  return /\.e(?:\.gz)?$/.test(file) && comments === '' ? 'graphalytics' : 'snap';
}

const ENDS = [
  ['source', 'target'],
  ['src', 'dst'],
  ['from', 'to'],
  ['fromnodeid', 'tonodeid'],
] as const;

/** Columns that are named as ends, else the first two. */
function endsOf(names: readonly string[]): readonly [number, number] {
  const lower = names.map((name) => name.toLowerCase());
  const found = ENDS.map(([a, b]) => [lower.indexOf(a), lower.indexOf(b)] as const);
  return found.find(([a, b]) => a >= 0 && b >= 0) ?? [0, 1];
}

function weightColumn(
  fields: readonly string[],
  {
    names,
    ends,
    weights,
    file,
  }: {
    readonly names: readonly string[] | null;
    readonly ends: readonly [number, number];
    readonly weights: string | null | undefined;
    readonly file: string;
  },
): number | null {
  if (weights === null) return null;
  const others = fields.map((_, index) => index).filter((index) => !ends.includes(index));
  if (weights === undefined) {
    const named = others.find((index) => names?.[index]?.toLowerCase() === 'weight');
    return named ?? (others.length === 1 ? (others[0] ?? null) : null);
  }
  const column = names?.includes(weights) ? names.indexOf(weights) : /^\d+$/.test(weights) ? Number(weights) - 1 : -1;
  if (others.includes(column)) return column;
  const known = names === null ? `numbers 1 to ${fields.length}` : names.join(', ');
  throw badInput(
    `--weights: ${file} has no column '${shortened(weights)}' besides the two vertices (columns: ${known}).`,
  );
}

/** SNAP says `Directed graph` or `Undirected graph` in its comments. */
function directionOf(comments: string): boolean | null {
  const [, undirected] = /\b(un)?directed graph\b/i.exec(comments) ?? [null, null];
  return undirected === null ? null : undirected === undefined;
}

function numberAfter(text: string, pattern: RegExp): number | null {
  const [, digits] = pattern.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}

function matrixLayout(
  head: readonly string[],
  { file, weights }: { readonly file: string; readonly weights: string | null | undefined },
): Layout {
  const banner = (head[0] ?? '').trim().toLowerCase().split(/\s+/);
  const [mark, object, shape, field, symmetry] = banner;
  const refuse = (what: string): never => {
    throw badInput(
      `${file} line 1: ${what}: a graph must be 'matrix coordinate', pattern, real or integer, and general or symmetric.`,
    );
  };
  if (mark !== '%%matrixmarket' || banner.length !== 5)
    refuse(`'${shortened(head[0] ?? '')}' is not a Matrix Market banner`);
  if (object !== 'matrix' || shape !== 'coordinate') refuse(`it is a '${shortened(`${object} ${shape}`)}'`);
  if (field !== 'pattern' && field !== 'real' && field !== 'integer')
    refuse(`its entries are '${shortened(`${field}`)}'`);
  if (symmetry !== 'general' && symmetry !== 'symmetric') refuse(`it is '${shortened(`${symmetry}`)}'`);
  const at = head.findIndex((line, index) => index > 0 && line.trim() !== '' && !isComment(line));
  const size = /^\s*(\d{1,15})\s+(\d{1,15})\s+(\d{1,15})\s*$/.exec(head[at] ?? '');
  if (size === null) throw badInput(`${file} line ${at + 1}: give the numbers of rows, columns and entries.`);
  const [rows = 0, columns, entries = 0] = size.slice(1).map(Number);
  if (rows !== columns) {
    throw badInput(
      `${file} line ${at + 1}: the matrix has ${rows} rows and ${columns} columns: the matrix of a graph must be square.`,
    );
  }
  const hasWeights = field !== 'pattern';
  if (weights !== null && weights !== undefined && (!hasWeights || weights !== '3')) {
    throw badInput(
      `--weights: ${file} has no column '${shortened(weights)}' of weights${hasWeights ? ': it is column 3' : ''}.`,
    );
  }
  return {
    format: 'matrix-market',
    separator: null,
    headerLines: at + 1,
    columns: hasWeights ? 3 : 2,
    source: 0,
    target: 1,
    weight: hasWeights && weights !== null ? 2 : null,
    names: null,
    directed: symmetry === 'general',
    announced: entries,
    matrix: { rows, symmetric: symmetry === 'symmetric' },
  };
}
