// npm run bench -- same-answers [--against COMMIT] [--data FOLDER] [--keep FOLDER] [--only WORDS]: whether the launcher answers as it did in
// COMMIT (by default the last one). Both programs get the same questions about equal copies of all fixtures, of made campaigns and of
// the data folder's files; each answer that differs is listed with its first difference. Exit 1 if any differs. --keep FOLDER keeps the
// built commit for the next time, --only asks the questions that contain these words.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { projectRoot } from '../../base/paths.ts';
import { simpleCommands } from '../docs/shell-words.ts';
import { builtCommit } from './built-commit.ts';
import { launcherQuestions } from './launcher-questions.ts';

const { values: asked } = parseArgs({
  args: process.argv.slice(process.argv.indexOf('same-answers') + 1),
  options: {
    against: { type: 'string', default: 'HEAD' },
    data: { type: 'string' },
    keep: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});

/** What a program is asked about, and where it is built. Folders of both have names of one length: tables are folded to the width. */
interface Side {
  readonly root: string;
  readonly folder: string;
}
/** What a question left: its exit code, its streams, and every file by its path. */
type Answer = ReadonlyMap<string, Buffer>;

const OWN_TIMES = [
  { of: /^graph /, times: /"seconds": [\d.e-]+|in [\d.]+ m?s$/gm },
  { of: /^cases critical-path /, times: /"(?:timing|events_per_s)": \{[^}]*\}/g },
];

const startMs = Date.now();
const work = realpathSync(mkdtempSync(join(tmpdir(), 'same-answers-')));
try {
  const before = { root: builtCommit(asked.against, asked.keep ?? join(work, 'built')), folder: join(work, 'old') };
  const now = { root: projectRoot(), folder: join(work, 'now') };
  const world = join(work, 'world');
  mkdirSync(world);
  const all = await launcherQuestions(world, asked.data ?? null);
  const questions = all.filter((question) => question.includes(asked.only));
  // The first one compiles.
  for (const { root } of [before, now]) await execa('node', [join(root, 'test/cases/run.mjs')], { reject: false });
  let differing = 0;
  for (const question of questions) {
    const [was, is] = await Promise.all([before, now].map((side) => answerOf(question, side, world)));
    const differences = differencesOf(was ?? new Map(), is ?? new Map());
    if (differences.length === 0) continue;
    differing += 1;
    console.log([question, ...differences].join('\n  '));
  }
  console.log(`${questions.length} questions, ${questions.length - differing} the same, ${differing} differ`);
  if (differing > 0) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true });
}

/** Asks in a new folder that has copies of what the words name; caches are left out, before and after. */
async function answerOf(question: string, { root, folder }: Side, world: string): Promise<Answer> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const words = simpleCommands(question)[0] ?? [];
  const named = words.map((word) => (word.endsWith('.properties') ? dirname(word) : word));
  for (const path of named.filter((word) => existsSync(join(world, word)))) {
    await cp(join(world, path), join(folder, path), { recursive: true, preserveTimestamps: true, filter: isNoCache });
  }
  const isCase = words[0] === 'cases';
  const program = [join(root, isCase ? 'test/cases/run.mjs' : 'dist/program/main.cjs'), ...words.slice(isCase ? 1 : 0)];
  const env = { HOME: folder, TZ: 'UTC', COLUMNS: '120', NO_COLOR: '1' };
  const options = {
    cwd: folder,
    env,
    encoding: 'buffer',
    stdin: 'ignore',
    reject: false,
    timeout: 600_000,
    stripFinalNewline: false,
    maxBuffer: 2 ** 30,
  } as const;
  const { exitCode, stdout, stderr, signal, timedOut } = await execa(process.execPath, program, options);
  if (timedOut) throw new Error(`'${question}' does not end`);
  const said = { 'exit code': `${exitCode ?? signal}`, stdout, stderr };
  const answer = new Map(
    Object.entries(said).map(([name, part]) => [name, normalised(Buffer.from(part), question, { root, folder })]),
  );
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !isNoCache(entry.parentPath)) continue;
    answer.set(path.slice(folder.length + 1), normalised(readFileSync(path), question, { root, folder }));
  }
  return answer;
}

/** Not what a campaign or a store of profiles keeps of its own answers. */
function isNoCache(path: string): boolean {
  return !/\/(?:cache|store\/graph)(?:\/|$)/.test(path);
}

/** Folders of a side, times since the start of this bench, and what a command took itself differ by nature. */
function normalised(bytes: Buffer, question: string, { root, folder }: Side): Buffer {
  const text = bytes
    .toString('latin1')
    .replaceAll(folder, '<folder>')
    .replaceAll(root, '<root>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (Date.parse(time) >= startMs ? '<now>' : time));
  const own = OWN_TIMES.find(({ of }) => of.test(question));
  return Buffer.from(own === undefined ? text : text.replace(own.times, '<took>'), 'latin1');
}

function differencesOf(was: Answer, is: Answer): readonly string[] {
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [before, now] = [was.get(name), is.get(name)];
    if (before === undefined || now === undefined) return [`${name}: ${before === undefined ? 'is new' : 'is gone'}`];
    return before.equals(now) ? [] : [`${name} ${firstDifference(before.toString(), now.toString())}`];
  });
}

/** Its path in JSON, else its line: what was there, and what is. */
function firstDifference(before: string, now: string): string {
  const [was, is] = [before, now].map(parsed);
  if (was !== undefined && is !== undefined) {
    const found = inJson(was, is, '');
    return found ?? 'has keys in another order';
  }
  const [old, own] = [before.split('\n'), now.split('\n')];
  const line = own.findIndex((text, index) => text !== old[index]);
  const at = line < 0 ? own.length : line;
  return `line ${at + 1}: ${excerpts(old[at] ?? '(its end)', own[at] ?? '(its end)')}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function inJson(was: unknown, is: unknown, path: string): string | null {
  const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && !!value;
  if (!isObject(was) || !isObject(is)) {
    const [old, own] = [was, is].map((value) => JSON.stringify(value) ?? '(nothing)');
    return old === own ? null : `${path || 'it'}: ${excerpts(old ?? '', own ?? '')}`;
  }
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const found = inJson(was[key], is[key], `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/** Both from a little before where they part. */
function excerpts(was: string, is: string): string {
  let at = 0;
  while (at < was.length && was[at] === is[at]) at += 1;
  const [old, own] = [was, is].map((text) => `${at > 30 ? '...' : ''}${text.slice(Math.max(0, at - 30), at + 60)}`);
  return `${old} -> ${own}`;
}
