import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { badInput } from '../../base/errors.ts';
import { LineReader } from '../../base/line-reader.ts';
import { openRegular, readProblem, readRegular } from '../store/regular.ts';
import { type DagLine, type DagPeriod, type DagRun, dagLineSchema, dagRunSchema } from './dag-records.ts';
import { PERIODS_FILE, RUN_FILE } from './write-run.ts';

/** A line of more bytes is damage: 100 tasks and edges of 1,000 instances take a fifth of it. */
const LONGEST_LINE = 1 << 24;

interface ReadDagRun {
  readonly run: DagRun;
  /** Lines in their order, one in memory at a time. Errors: `badInput` naming a damaged line. */
  readonly lines: AsyncGenerator<DagLine>;
  /** What was passed over, a sentence each; complete once `lines` has ended. */
  readonly problems: readonly string[];
}

/** Whether a folder holds a run, sound or not. */
export function hasDagRun(folder: string): boolean {
  return existsSync(join(folder, RUN_FILE));
}

/**
 * A run's folder; may be read while it is written: a last line that is not whole is passed over and told.
 * Errors: `badInput` where the folder holds no run.
 */
export async function readDagRun(folder: string): Promise<ReadDagRun> {
  const run = await readRun(join(folder, RUN_FILE));
  const problems: string[] = [];
  return { run, lines: readLines(join(folder, PERIODS_FILE), problems), problems };
}

async function readRun(path: string): Promise<DagRun> {
  let text: string;
  try {
    text = (await readRegular(path)).toString('utf8');
  } catch (error) {
    throw badInput(`${path} ${readProblem(error)}: name the folder of a run that 'predict watch' wrote.`, error);
  }
  const read = dagRunSchema.safeParse(jsonOf(text));
  if (read.success) return read.data;
  throw badInput(`${path} is damaged or not of a run (${whereOf(read.error)}): watch the job again.`);
}

async function* readLines(path: string, problems: string[]): AsyncGenerator<DagLine> {
  let lastEndNs = Number.NEGATIVE_INFINITY;
  for await (const { text, number, whole } of textLines(path)) {
    if (text.trim() === '') continue;
    const read = dagLineSchema.safeParse(jsonOf(text));
    if (!read.success) {
      if (whole) throw badInput(`${path}, line ${number} is damaged (${whereOf(read.error)}): delete that line.`);
      problems.push(`${path}, line ${number} is incomplete because its writer was ended: it is skipped.`);
      return;
    }
    if (read.data.kind === 'period') {
      refuseDisorder(read.data, lastEndNs, `${path}, line ${number}`);
      lastEndNs = read.data.endNs;
    }
    yield read.data;
  }
}

function refuseDisorder({ startNs, endNs }: DagPeriod, lastEndNs: number, where: string): void {
  if (endNs <= startNs) throw badInput(`${where}: a period ends before it starts: delete that line.`);
  if (startNs < lastEndNs) throw badInput(`${where}: a period starts before the one before it ends: delete that line.`);
}

interface TextLine {
  readonly text: string;
  readonly number: number;
  /** Whether its end is there. */
  readonly whole: boolean;
}

async function* textLines(path: string): AsyncGenerator<TextLine> {
  const lines: TextLine[] = [];
  let [number, whole] = [0, true];
  const reader = new LineReader({
    mostLineBytes: LONGEST_LINE,
    onLine: (text) => void lines.push({ text, number: ++number, whole }),
    onTooLong: () => {
      throw badInput(`${path}, line ${number + 1} is too long for a period: delete it.`);
    },
  });
  const decoder = new StringDecoder('utf8');
  const file = await openRegular(path).catch((error: unknown) => {
    throw badInput(`${path} ${readProblem(error)}: watch the job again.`, error);
  });
  try {
    for await (const piece of file.createReadStream({ autoClose: false })) {
      reader.add(decoder.write(piece as Buffer));
      yield* lines.splice(0);
    }
    whole = false;
    reader.add(decoder.end());
    reader.end();
    yield* lines;
  } finally {
    await file.close();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function whereOf({
  issues: [issue],
}: {
  readonly issues: readonly { path: PropertyKey[]; message: string }[];
}): string {
  return `${issue?.path.join('.') || 'as a whole'}: ${issue?.message}`;
}
