import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { infrastructure, PredictError } from '../../base/errors.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import type { Executor } from './executor.ts';
import type { Account } from './work-folder.ts';

/** What runs as root on hosts: a copy of predict-agent that root alone can change (agents/host/install.c). */
export interface InstalledAgent {
  /** Where it is, by its content. */
  readonly path: string;
  /** Hex digits. */
  readonly sha256: string;
}

/** What may be run as root, and what for, each with any arguments: the agent judges them. */
const ROOT_VERBS = {
  link: 'Throttles the data link under a lease, shows it, restores it.',
  hold: 'Holds the lock that keeps two controllers from using a host at once, and does what link does meanwhile.',
  group: "Ends all that a run has started here, in a control group of the run's own.",
} as const;

export function installedAgent(file: string): InstalledAgent {
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { path: `/var/lib/predict/agent-${sha256.slice(0, 16)}/predict-agent`, sha256 };
}

/**
 * Arguments: the agent, the id of who runs this ('' where it is not known), what to do:
 * `run` and what the agent is told; `install`, the agent in the work folder and the verbs that must be allowed; `enter`, a run's token and
 * the command that is to be in its control group, where that can be made. Each step to the agent must belong to root, be writable by root
 * alone, and be no link.
 */
const AGENT = sh`
path=$1 uid=$2 what=$3; shift 3
[ -n "$uid" ] || uid=$(id -u)
sudo=; [ "$uid" = 0 ] || sudo='sudo -n'
bad=$(find / /var /var/lib /var/lib/predict "\${path%/*}" "$path" -maxdepth 0 '(' ! -uid 0 -o -perm /022 -o -type l ')' 2>&1)
[ -z "$bad" ] || bad=$(printf %s "$bad" | tr '\n' ' ')
case $what in
  install)
    [ -z "$bad" ] || $sudo "$1" install >/dev/null || exit
    shift
    [ -z "$sudo" ] || for verb; do sudo -n -l "$path" "$verb" - >/dev/null || exit; done ;;
  enter)
    [ -n "$bad" ] || $sudo "$path" group enter --run "$1" --pid $$ >/dev/null 2>&1
    shift
    exec "$@" ;;
  run)
    [ -z "$bad" ] || {
      echo "$path is gone or not root's alone ($bad): remove what others put there and run this again" >&2
      exit 27
    }
    exec $sudo "$path" "$@" ;;
esac`;

/** Words that run the installed agent as root. `uid` is who runs them, if known. */
export function rootCommand({ path }: InstalledAgent, uid: number | undefined, args: readonly string[]): string[] {
  return scriptWords(AGENT, path, uid === undefined ? '' : String(uid), 'run', ...args);
}

/** Words that run a command in the control group of a run, where the agent may make one; it runs in any case. */
export function inGroup({ path }: InstalledAgent, uid: number, run: string, words: readonly string[]): string[] {
  return scriptWords(AGENT, path, String(uid), 'enter', run, ...words);
}

/**
 * Has the agent at `source` install itself, if it is not there, and makes sure that it may be run as root. A user without
 * that privilege is an `infrastructure` error for which `lacksPrivilege` holds.
 */
export async function installAgent(
  executor: Executor,
  { source, agent, account }: { readonly source: string; readonly agent: InstalledAgent; readonly account: Account },
): Promise<void> {
  const { host } = executor;
  const { uid, user } = account;
  const words = scriptWords(AGENT, agent.path, String(uid), 'install', source, ...Object.keys(ROOT_VERBS));
  const { exitCode, stderr } = await executor.exec(words);
  if (exitCode === 0) return;
  const said = lastLines(stderr, 1);
  // What the agent itself says against its folders is no lack of privilege.
  if (uid === 0 || said.startsWith('predict-agent install:')) {
    const message = `${host}: the agent could not be installed for root: ${said}.`;
    throw new PredictError(message, { kind: 'infrastructure', host });
  }
  throw new PredictError(
    `${host}: links cannot be throttled, because ${user} may not run the agent as root (${said || 'sudo refused'}). Put the output of 'predict inventory init --sudoers' into /etc/sudoers.d there, or connect as root. A sweep at --bw 100 needs neither.`,
    { kind: 'infrastructure', host, details: { privilege: 'none' } },
  );
}

export function lacksPrivilege(error: unknown): boolean {
  return error instanceof PredictError && error.details.privilege === 'none';
}

/**
 * Lines for /etc/sudoers.d that let the ssh user run exactly what predict runs as root, sudoers(5). `source` is the agent in
 * the user's work folder.
 */
export function sudoersText(
  { user }: Pick<Account, 'user'>,
  { source, agent: { path, sha256 } }: { readonly source: string; readonly agent: InstalledAgent },
): string {
  return [
    `# What predict runs as root for ${user}, and nothing else: into /etc/sudoers.d/predict (mode 0440) of each host.`,
    '# Each version of the agent has a path of its own: print this anew after an update.',
    '#',
    `# Puts the agent where root alone can change it, if its content is the one named. ${user} could exchange the file in the`,
    '# moment between the check and the start: if that matters, let root run the command once and leave these two lines out.',
    `Cmnd_Alias PREDICT_INSTALL = sha256:${sha256} ${literal(source)} install`,
    `${literal(user)} ALL=(root) NOPASSWD: PREDICT_INSTALL`,
    ...Object.entries(ROOT_VERBS).flatMap(([verb, purpose]) => [
      `# ${purpose}`,
      `Cmnd_Alias PREDICT_${verb.toUpperCase()} = ${literal(path)} ${verb} *`,
      `${literal(user)} ALL=(root) NOPASSWD: PREDICT_${verb.toUpperCase()}`,
    ]),
    '',
  ].join('\n');
}

/** A name or path without a meaning of its own in sudoers; `infrastructure` where sudoers cannot say it. */
function literal(word: string): string {
  const known = word.startsWith('/') ? /^[A-Za-z0-9._/@+~ ,:=#-]+$/ : /^[A-Za-z0-9._@\\-]+$/;
  if (!known.test(word)) {
    throw infrastructure(
      `sudo's rules cannot name ${word}: set work.folder in the inventory to a path of letters, digits, dots and dashes.`,
    );
  }
  return word.replace(/[ ,:=#\\]/g, String.raw`\$&`);
}
