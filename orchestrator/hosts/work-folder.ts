import { infrastructure, judgePath, lastLines, type PathPart, quote } from '../../base/index.ts';
import type { CommandResult, Executor } from './executor.ts';

/** Who commands on a host run as, and where files go there. */
export interface Account {
  readonly uid: number;
  readonly user: string;
  /** What kind of machine the host is, as `uname -m` says. */
  readonly machine: string;
  /** Absolute, without links; nobody but this user and root can change what lies there. */
  readonly folder: string;
}

const ROOT_FOLDER = '/var/lib/predict/work';
const USER_FOLDER = '.predict';
// The upper bits of st_mode.
const TYPES = { directory: 0x4000, file: 0x8000, link: 0xa000 } as const;

/**
 * Finds the ssh user's work folder (`configured`, else root's or the one in the user's home) and makes it. A folder that
 * somebody else could change, there or above, is an `infrastructure` error, and nothing is made in it.
 */
export async function findWorkFolder(executor: Executor, configured: string | undefined): Promise<Account> {
  const before = parse(await executor.exec(lookScript(configured)));
  const missing = before.path.slice(before.parts.length);
  const ours = missing.map((path): PathPart => ({ path, type: 'directory', uid: before.uid, mode: 0o755 }));
  refuse(before, [...before.parts, ...ours]);
  if (missing.length > 0) {
    const make = `umask 022; mkdir -p -- ${quote(before.folder)} || exit`;
    const after = parse(await executor.exec(`${make}; ${lookScript(configured)}`));
    refuse(after, after.parts);
    if (after.folder !== before.folder || after.parts.length < after.path.length) {
      throw unusable(after, 'it changed while it was made');
    }
  }
  const { uid, user, machine, folder } = before;
  return { uid, user, machine, folder };
}

/** Prints who and where, and each step to it that is there: owner, raw mode (hex), path. */
function lookScript(configured: string | undefined): string {
  const folder =
    configured === undefined
      ? `if [ "$uid" = 0 ]; then w=${ROOT_FOLDER}; else w=$HOME/${USER_FOLDER}; fi`
      : `w=${quote(configured)}`;
  return [
    'uid=$(id -u) && user=$(id -un) && machine=$(uname -m) || exit',
    folder,
    'w=$(realpath -m -- "$w") || exit',
    'echo "@predict uid $uid"; echo "@predict user $user"; echo "@predict machine $machine"; echo "@predict folder $w"',
    `p=$w; set --; while set -- "$p" "$@" && [ "$p" != / ]; do p=\${p%/*}; p=\${p:-/}; done`,
    'stat -c \'@predict part %u %f %n\' -- "$@" 2>/dev/null; true',
  ].join('; ');
}

interface Look extends Account {
  readonly host: string;
  /** Every step to the folder. */
  readonly path: readonly string[];
  /** Those that are there. */
  readonly parts: readonly PathPart[];
}

function parse({ host, exitCode, stdout, stderr }: CommandResult): Look {
  const lines = stdout.split('\n').flatMap((line) => /^@predict (\w+) (.*)$/.exec(line)?.slice(1) ?? []);
  const values = (wanted: string): string[] =>
    lines.filter((_, index) => index % 2 === 1 && lines[index - 1] === wanted);
  const [uid = '', user = '', machine = '', folder = ''] = ['uid', 'user', 'machine', 'folder'].map(
    (name) => values(name)[0] ?? '',
  );
  const parts = values('part').map(parsePart);
  if (
    exitCode !== 0 ||
    !/^\d+$/.test(uid) ||
    user === '' ||
    machine === '' ||
    !folder.startsWith('/') ||
    parts.includes(null)
  ) {
    throw unusable({ host, folder }, lastLines(stderr, 1) || 'the host gave no answer that can be read');
  }
  const names = folder.split('/').filter((name) => name !== '');
  const path = ['/', ...names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`)];
  return { host, uid: Number(uid), user, machine, folder, path, parts: parts.filter((part) => part !== null) };
}

function parsePart(text: string): PathPart | null {
  const [, uid = '', raw = '', path = ''] = /^(\d+) ([0-9a-f]+) (\/.*)$/.exec(text) ?? [];
  if (path === '') return null;
  const mode = Number.parseInt(raw, 16);
  const type = (['directory', 'file', 'link'] as const).find((name) => (mode & 0xf000) === TYPES[name]) ?? 'other';
  return { path, type, uid: Number(uid), mode: mode & 0o7777 };
}

function refuse(look: Look, parts: readonly PathPart[]): void {
  const why = judgePath(parts, { uid: look.uid });
  if (why === null) return;
  throw infrastructure(
    `${look.host}: the work folder ${look.folder} could be changed by others: ${why}. Take that from them ('chmod go-w'), or set work.folder in the inventory to a folder of ${look.user}'s own.`,
    { host: look.host },
  );
}

export function unusable({ host, folder }: { readonly host: string; readonly folder: string }, why: string) {
  return infrastructure(
    `${host}: the work folder ${folder} cannot be used (${why}): set work.folder in the inventory to one that the ssh user can write.`,
    { host },
  );
}
