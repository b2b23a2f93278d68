import { basename } from 'node:path';
import { judgePath, oddPath, type PathPart } from '../../base/paths.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines, shortened } from '../../base/text.ts';
import { knownDigest } from '../../experiments/store/digest.ts';
import { type CommandResult, type Executor, execOrFail, hostFault } from './executor.ts';

/** Who commands on a host run as, and where files go there. */
export interface Account {
  readonly uid: number;
  readonly user: string;
  /** What kind of machine the host is, as `uname -m` says. */
  readonly machine: string;
  /** Absolute, without links; nobody but this user and root can change what lies there. */
  readonly folder: string;
}

// The upper bits of st_mode.
const TYPES = { directory: 0x4000, file: 0x8000, link: 0xa000 } as const;

/**
 * Argument: the work folder, '' for root's or the one in the user's home. Tells who and where, in base64 what may hold any character:
 * the folder as it is named and where its links lead; then each step on that way that is there, links too, with owner, raw mode (hex)
 * and path. Nothing is changed.
 */
const LOOK = sh`
uid=$(id -u) && user=$(id -un) && machine=$(uname -m) || exit
asked=$1
[ -n "$asked" ] || if [ "$uid" = 0 ]; then asked=/var/lib/predict/work; else asked=$HOME/.predict; fi
say() { printf '@predict %s %s\n' "$1" "$(printf %s "$2" | base64 | tr -d '\n')"; }
printf '@predict uid %s\n@predict user %s\n@predict machine %s\n' "$uid" "$user" "$machine"
say asked "$asked"
part() { stat -c '@predict part %u %f %n' -- "$1" 2>/dev/null; }
part /
at= rest=$asked links=0
while [ -n "$rest" ]; do
  rest=\${rest#/}
  name=\${rest%%/*}
  case $rest in */*) rest=\${rest#*/} ;; *) rest= ;; esac
  case $name in '' | .) continue ;; ..) at=\${at%/*}; continue ;; esac
  if ! part "$at/$name"; then at=$at/$name\${rest:+/$rest}; break; fi
  if [ ! -L "$at/$name" ]; then at=$at/$name; continue; fi
  links=$((links + 1))
  [ "$links" -le 40 ] || { echo "$at/$name leads to too many links" >&2; exit 1; }
  target=$(readlink -- "$at/$name") || exit
  case $target in /*) at= ;; esac
  rest=$target\${rest:+/$rest}
done
say folder "$at"`;

/** Arguments: folders that are missing, each in the one before. */
const MAKE = sh`umask 022; for step; do mkdir -- "$step" || { [ -d "$step" ] && [ ! -L "$step" ]; } || exit; done`;

/**
 * Finds the ssh user's work folder (`configured`, else root's or the one in the user's home) and makes it. A folder that
 * somebody else could change, there or above, is an `infrastructure` error, and nothing is made in it.
 */
export async function findWorkFolder(executor: Executor, configured: string | undefined): Promise<Account> {
  const look = async (): Promise<Look> => parse(await executor.exec(scriptWords(LOOK, configured ?? '')));
  const before = await look();
  refuse(before, [...before.parts, ...before.missing.map((path) => ownFolder(path, before.uid))]);
  if (before.missing.length > 0) {
    await execOrFail(executor, scriptWords(MAKE, ...before.missing), (said) => unusableText(before.folder, said));
    const after = await look();
    refuse(after, after.parts);
    if (after.folder !== before.folder || after.missing.length > 0)
      throw unusable(after, 'it changed while it was being created');
  }
  const { uid, user, machine, folder } = before;
  return { uid, user, machine, folder };
}

function ownFolder(path: string, uid: number): PathPart {
  return { path, type: 'directory', uid, mode: 0o755 };
}

interface Look extends Account {
  readonly host: string;
  /** Every step that is there, links included. */
  readonly parts: readonly PathPart[];
  /** The folders to the work folder that are not there, from above. */
  readonly missing: readonly string[];
}

function parse({ host, exitCode, stdout, stderr }: CommandResult): Look {
  const lines = stdout.split('\n').flatMap((line) => {
    const [, name, value] = /^@predict ([a-z]+) (.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  const said = (wanted: string): string => lines.find(({ name }) => name === wanted)?.value ?? '';
  const decoded = (wanted: string): string => Buffer.from(said(wanted), 'base64').toString();
  const [uid, user, machine, asked, folder] = [
    said('uid'),
    said('user'),
    said('machine'),
    decoded('asked'),
    decoded('folder'),
  ];
  const odd = oddPath(asked);
  // Said of the path as it was asked for first: nothing was touched.
  if (asked !== '' && odd !== null) throw unusable({ host, folder: asked }, odd);
  const parts = lines.filter(({ name }) => name === 'part').map(({ value }) => parsePart(value));
  if (exitCode !== 0 || !/^\d+$/.test(uid) || user === '' || machine === '' || folder === '' || parts.includes(null)) {
    throw unusable({ host, folder: asked }, lastLines(stderr, 1) || 'the reply of the host cannot be read');
  }
  const there = parts.filter((part) => part !== null);
  return { host, uid: Number(uid), user, machine, folder, parts: there, missing: missingOf(folder, there) };
}

function missingOf(folder: string, parts: readonly PathPart[]): string[] {
  const names = folder.split('/').filter((name) => name !== '');
  const steps = names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
  const there = new Set(parts.map(({ path }) => path));
  const first = steps.findIndex((step) => !there.has(step));
  return first < 0 ? [] : steps.slice(first);
}

function parsePart(text: string): PathPart | null {
  const [, uid = '', raw = '', path = ''] = /^(\d+) ([0-9a-f]+) (\/.*)$/.exec(text) ?? [];
  if (path === '') return null;
  const mode = Number.parseInt(raw, 16);
  const type = (['directory', 'file', 'link'] as const).find((name) => (mode & 0xf000) === TYPES[name]) ?? 'other';
  return { path, type, uid: Number(uid), mode: mode & 0o7777 };
}

function refuse(look: Look, parts: readonly PathPart[]): void {
  const why = judgePath(parts, { uid: look.uid, links: true });
  const odd = oddPath(look.folder);
  if (why === null && odd !== null) throw unusable(look, odd);
  if (why === null) return;
  throw hostFault(
    look.host,
    `other users can change the work folder ${look.folder}: ${why}. Remove their write permission ('chmod go-w'), or set work.folder in the inventory to a folder owned by ${look.user}.`,
  );
}

function unusable({ host, folder }: { readonly host: string; readonly folder: string }, why: string) {
  return hostFault(host, unusableText(folder, why));
}

function unusableText(folder: string, why: string): string {
  return `the work folder ${shortened(folder)} cannot be used (${why}): set work.folder in the inventory to a folder that the ssh user can write.`;
}

/** The digests of files that are in a folder, which is made. */
const DIGESTS = sh`mkdir -p -- "$1" && shift && { sha256sum -- "$@" 2>/dev/null; true; }`;

/** Puts local files into a folder of the host, each only when its content differs; returns the names that were sent. */
export async function deployFiles(
  executor: Executor,
  files: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const wanted = await Promise.all(
    files.map(async (path) => ({
      path,
      remote: `${folder}/${basename(path)}`,
      hash: (await knownDigest(path)).sha256,
    })),
  );
  const words = scriptWords(DIGESTS, folder, ...wanted.map(({ remote }) => remote));
  const { stdout } = await execOrFail(executor, words, (said) => unusableText(folder, said));
  const missing = wanted.filter(({ remote, hash }) => !stdout.includes(`${hash}  ${remote}`));
  for (const { path, remote } of missing) await executor.send(path, remote);
  return missing.map(({ remote }) => basename(remote));
}
