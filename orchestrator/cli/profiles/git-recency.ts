import { execa } from 'execa';
import { badInput } from '../../../base/errors.ts';

/** Days after which a change counts half (Lundberg and Rettig 2024, section 6.3.2). */
const HALF_LIFE_DAYS = 15;
const DAY_S = 86_400;

/**
 * How recently the code behind code paths changed before a time, by the latest commit to a file that has it: w = exp(-t ln 2 / 15 days). A file has a
 * code path that names it (`src/a.c:12`) or its class (`a/b/C.method`, also with dots), else one in which the function's name stands as a word. Code paths
 * without such a file are left out. Errors: badInput where there is no repository.
 */
export async function gitRecency(
  repo: string,
  { names, timeNs }: { readonly names: readonly string[]; readonly timeNs: bigint },
): Promise<ReadonlyMap<string, number>> {
  const timeS = Number(timeNs / 1_000_000_000n);
  const revision = (await git(repo, ['rev-list', '-1', `--before=@${timeS}`, 'HEAD'])).trim();
  if (revision === '') throw badInput(`--repo: ${repo} has no commit before the candidate's run.`);
  const changedAt = await latestCommits(repo, revision);
  const files = (await git(repo, ['ls-tree', '-r', '-z', '--name-only', revision]))
    .split('\0')
    .filter((file) => file !== '');
  const found = new Map<string, number>();
  for (const name of new Set(names)) {
    const holding = filesNamed(name, files);
    const having = holding.length > 0 ? holding : await filesWithWord(repo, { revision, word: wordOf(name) });
    const latest = having.reduce((most, file) => Math.max(most, changedAt.get(file) ?? 0), 0);
    if (latest > 0) found.set(name, recencyWeight((timeS - latest) / DAY_S));
  }
  return found;
}

/** 1 at once, 1/2 after 15 days, 1/4 after 30. */
export function recencyWeight(days: number): number {
  return Math.exp((-Math.max(0, days) * Math.LN2) / HALF_LIFE_DAYS);
}

/** Of each file the time of the latest commit to it, in seconds. */
async function latestCommits(repo: string, revision: string): Promise<ReadonlyMap<string, number>> {
  const log = await git(repo, ['log', '-z', '--format=%x01%ct', '--name-only', revision]);
  const latest = new Map<string, number>();
  for (const commit of log.split('\u0001').slice(1)) {
    const [time = '', ...files] = commit.split(/[\0\n]+/);
    for (const file of files) if (file !== '' && !latest.has(file)) latest.set(file, Number(time));
  }
  return latest;
}

/** Files that a code path names, or whose class it names. */
function filesNamed(name: string, files: readonly string[]): readonly string[] {
  const told = fileAtEnd(name);
  const isFile = told !== undefined && files.filter((file) => file === told || file.endsWith(`/${told}`));
  if (isFile && isFile.length > 0) return isFile;
  const path = before(name, '(').replaceAll('::', '/').replaceAll('.', '/').split('/');
  const type = before(path.slice(0, -1).join('/'), '$');
  if (!type.includes('/')) return [];
  return files.filter((file) => {
    const stem = file.replace(/\.[^./]*$/, '');
    return stem === type || stem.endsWith(`/${type}`);
  });
}

function before(text: string, mark: string): string {
  return text.split(mark, 1)[0] ?? '';
}

/** `src/a.ts` of `f (/home/me/src/a.ts:12:5)`, with all that stands before it in the path. */
function fileAtEnd(name: string): string | undefined {
  let text = name.endsWith(')') ? name.slice(0, -1) : name;
  for (
    let colon = text.lastIndexOf(':');
    /^\d+$/.test(text.slice(colon + 1)) && colon >= 0;
    colon = text.lastIndexOf(':')
  ) {
    text = text.slice(0, colon);
  }
  let from = text.length;
  while (from > 0 && /[\w@./-]/.test(text.charAt(from - 1))) from -= 1;
  const path = text.slice(from).split('//').at(-1)?.replace(/^\//, '') ?? '';
  return /[\w@.-]\.[A-Za-z]\w{0,4}$/.test(path) ? path : undefined;
}

/** The function's own name. */
function wordOf(name: string): string {
  const bare = before(name, '(').replace(/<[^<>]*>/g, '');
  return bare.match(/[\w$]+/g)?.findLast((word) => /\w/.test(word)) ?? name;
}

async function filesWithWord(
  repo: string,
  { revision, word }: { readonly revision: string; readonly word: string },
): Promise<readonly string[]> {
  const text = await git(repo, ['grep', '-l', '-z', '-w', '-F', '-I', '-e', word, revision], [0, 1]);
  return text
    .split('\0')
    .filter((file) => file !== '')
    .map((file) => file.slice(revision.length + 1));
}

async function git(repo: string, words: readonly string[], codes: readonly number[] = [0]): Promise<string> {
  const { exitCode, stdout, stderr, failed } = await execa(
    'git',
    ['-C', repo, '-c', 'core.quotePath=false', '-c', 'core.fsmonitor=false', ...words],
    {
      reject: false,
      stripFinalNewline: false,
      env: { GIT_OPTIONAL_LOCKS: '0' },
      maxBuffer: 1 << 30,
    },
  );
  if (exitCode !== undefined && codes.includes(exitCode)) return stdout;
  const why = failed && exitCode === undefined ? 'git cannot be run' : stderr.trim().split('\n')[0];
  throw badInput(`--repo: ${repo} cannot be read (${why}): name a folder with a git repository.`);
}
