import { once } from 'node:events';
import { groupAlike, printable, printableLine } from '../../base/text.ts';
import { tellOfWork } from '../../base/working.ts';
import { foldText, tableLines } from './table-lines.ts';

/** What a command found. */
export interface Answer {
  /** As --json prints it. */
  readonly json?: unknown;
  /** The same where it may be too long for one text: each piece is written before the next is made. */
  readonly pieces?: Iterable<string>;
  /** The same in sentences and tables. */
  readonly say: () => void;
  /** What follows once that is printed. Errors: what was found is no success. */
  readonly after?: () => Promise<void> | void;
}

/** The one place where a command's answer becomes output. */
export async function tell({ json, pieces, say, after }: Answer, asJson = false): Promise<void> {
  if (!asJson) say();
  else if (pieces === undefined) printJson(json);
  else await printPieces(pieces);
  await after?.();
}

let results: NodeJS.WriteStream = process.stdout;

/** Results go to stdout again, once a command has ended. */
export function resultsToStdout(): void {
  results = process.stdout;
}

/** What is said goes to stderr from here on: a file that the command makes is written to stdout. */
export function leaveStdoutToFile(): void {
  results = process.stderr;
}

/** Between two lines of progress where they stay: in a file, a log. */
const KEPT_LINE_MS = 10_000;
/** After so long without a word what is said is of other work. */
const NEW_WORK_MS = 60_000;

/**
 * What a command works on that takes long: on a terminal of stderr one line, which goes as soon as anything is said; elsewhere a line now
 * and then.
 */
export function showWork(): void {
  const { stderr } = process;
  if (!stderr.isTTY || process.env.TERM === 'dumb') {
    let saidMs = 0;
    let heardMs = -NEW_WORK_MS;
    tellOfWork((text) => {
      const nowMs = performance.now();
      // What has just begun may be over before a line is due.
      if (nowMs - heardMs >= NEW_WORK_MS) saidMs = nowMs;
      heardMs = nowMs;
      if (nowMs - saidMs < KEPT_LINE_MS) return;
      saidMs = nowMs;
      note(`predict: ${text}`);
    });
    return;
  }
  tellOfWork((text) => {
    isWorkShown = true;
    stderr.write(`\r\u001b[K${printableLine(text).slice(0, (stderr.columns || 80) - 1)}`);
  });
  process.once('exit', clearWork);
}

let isWorkShown = false;

function clearWork(): void {
  if (isWorkShown) process.stderr.write('\r\u001b[K');
  isWorkShown = false;
}

/** Results go to stdout; progress and warnings to stderr. What hosts and files say is never a terminal's command there. */
export function print(text: string): void {
  printExactly(foldText(printable(text), widthOf(results)));
}

/** What programs read, or people copy: as wide as it is. */
export function printExactly(text: string): void {
  clearWork();
  results.write(`${printable(text)}\n`);
}

export function printJson(value: unknown): void {
  printExactly(JSON.stringify(value, null, 2));
}

/** JSON that is made piece by piece: each is written before the next is made. */
export async function printPieces(pieces: Iterable<string>): Promise<void> {
  clearWork();
  for (const piece of pieces) if (!results.write(printable(piece))) await once(results, 'drain');
  results.write('\n');
}

/** A text that has its own ends of lines. */
export function printPart(text: string): void {
  clearWork();
  results.write(printable(text));
}

export function note(text: string): void {
  process.stderr.write(`${onStderr(text)}\n`);
}

/** Text for stderr, as wide as its terminal at most. */
export function onStderr(text: string): string {
  clearWork();
  return foldText(printable(text), widthOf(process.stderr));
}

/** Warnings, those that are alike once. */
export function noteAlike(warnings: readonly string[]): void {
  for (const warning of groupAlike(warnings))
    process.stderr.write(`${paint(onStderr(`predict: ${warning}`), 'warning')}\n`);
}

/** What casts a doubt on a result, among the results. */
export function printCareful(warning: string): void {
  printPainted(`Careful: ${warning}`, 'warning');
}

/** What failed, among the results. */
export function printFailed(text: string): void {
  printPainted(text, 'failed');
}

function printPainted(text: string, ink: Parameters<typeof paint>[1]): void {
  clearWork();
  results.write(`${paint(foldText(printable(text), widthOf(results)), ink, results)}\n`);
}

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number;
  readonly pad: 'padStart' | 'padEnd';
}

/** A column of words. */
export function left<Row>(title: string, value: Column<Row>['value']): Column<Row> {
  return { title, value, pad: 'padEnd' };
}

/** A column of numbers. */
export function right<Row>(title: string, value: Column<Row>['value']): Column<Row> {
  return { title, value, pad: 'padStart' };
}

/** Columns of what was measured where: sizes, nodes, bandwidths. */
export function cellColumns<Row>(
  rows: readonly Row[],
  cellOf: (row: Row) => { readonly scale: number; readonly nodes: number; readonly bw: number },
): readonly Column<Row>[] {
  return [
    ...scaleColumn(rows, (row) => cellOf(row).scale),
    right('nodes', (row) => cellOf(row).nodes),
    right('bw %', (row) => cellOf(row).bw),
  ];
}

/** The column of sizes; none where no row has any, as those of programs without sizes. */
export function scaleColumn<Row>(rows: readonly Row[], scaleOf: (row: Row) => number): readonly Column<Row>[] {
  return rows.some((row) => scaleOf(row) !== 0) ? [right('scale', scaleOf)] : [];
}

/** A plain table, as wide as the terminal at most. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  const cells = columns.map(({ title, value, pad }) => ({
    pad,
    texts: [title, ...rows.map((row) => String(value(row)))].map(printableLine),
  }));
  for (const line of tableLines(cells, widthOf(results))) printExactly(line);
}

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;

const INKS = { warning: '\u001b[33m', failed: '\u001b[31m' } as const;
const PLAIN = '\u001b[0m';

/** Characters of a line: of the terminal, or as COLUMNS says; without end where neither is known. */
export function widthOf({ isTTY, columns }: Stream, { COLUMNS }: Readonly<NodeJS.ProcessEnv> = process.env): number {
  const said = Number(COLUMNS);
  if (Number.isInteger(said) && said > 0) return said;
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** Text in the colour of its meaning, on terminals alone and not where NO_COLOR is set (no-color.org). */
export function paint(
  text: string,
  ink: keyof typeof INKS,
  { isTTY }: Pick<Stream, 'isTTY'> = process.stderr,
  { NO_COLOR = '', TERM }: Readonly<NodeJS.ProcessEnv> = process.env,
): string {
  const safe = printable(text);
  return isTTY && NO_COLOR === '' && TERM !== 'dumb' ? `${INKS[ink]}${safe}${PLAIN}` : safe;
}

/** Elements of an array that are written at once. */
const AT_ONCE = 1000;

/** What `JSON.stringify(value, null, 2)` gives, in pieces: a path may have more steps than one text holds. */
export function* jsonPieces(value: unknown, indent = ''): Generator<string> {
  if (!isLarge(value)) {
    yield JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
    return;
  }
  const inner = `${indent}  `;
  const isArray = Array.isArray(value);
  const entries = Object.entries(value).filter(([, own]) => own !== undefined);
  let before = isArray ? '[' : '{';
  for (const [key, own] of entries) {
    yield `${before}\n${inner}${isArray ? '' : `${JSON.stringify(key)}: `}`;
    yield* jsonPieces(own, inner);
    before = ',';
  }
  yield `\n${indent}${isArray ? ']' : '}'}`;
}

/** Whether an object or array holds, at any depth, an array that is too long to be written at once. */
function isLarge(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) && value.length > AT_ONCE) return true;
  return Object.values(value).some(isLarge);
}
