import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lastLines, PredictError, quote, quoteAll } from '../../base/index.ts';
import type { Executor } from './executor.ts';
import type { Account } from './work-folder.ts';

/** What runs as root on hosts: a copy of predict-agent that root alone can change (agents/host/install.c). */
export interface InstalledAgent {
  /** Where it is, by its content. */
  readonly path: string;
  /** Hex digits. */
  readonly sha256: string;
}

/** What may be run as root, each with any arguments: the agent judges them. */
export const ROOT_VERBS = ['link', 'hold'] as const;

export function installedAgent(file: string): InstalledAgent {
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { path: `/var/lib/predict/agent-${sha256.slice(0, 16)}/predict-agent`, sha256 };
}

/**
 * A command that runs the installed agent as root, once it is seen that nobody else could have changed it. `uid` is who
 * runs it, if known.
 */
export function rootCommand({ path }: InstalledAgent, uid: number | undefined, args: readonly string[]): string {
  const sudo = uid === undefined ? '$([ "$(id -u)" = 0 ] || echo sudo -n) ' : uid === 0 ? '' : 'sudo -n ';
  const why = `"${path} is gone or not root's alone ($(echo $bad)): remove what others put there and run this again"`;
  return `${trusted(path)} || { echo ${why} >&2; exit 27; }; exec ${sudo}${quoteAll([path, ...args])}`;
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
  const asRoot = uid === 0 ? '' : 'sudo -n ';
  const install = `{ ${trusted(agent.path)} || ${asRoot}${quote(source)} install >/dev/null; }`;
  const allowed =
    uid === 0 ? [] : ROOT_VERBS.map((verb) => `sudo -n -l ${quoteAll([agent.path, verb, '-'])} >/dev/null`);
  const { exitCode, stderr } = await executor.exec([install, ...allowed].join(' && '));
  if (exitCode === 0) return;
  const said = lastLines(stderr, 1);
  // What the agent itself says against its folders is no lack of privilege.
  if (uid === 0 || said.startsWith('predict-agent install:')) {
    const message = `${host}: the agent could not be installed for root: ${said}.`;
    throw new PredictError(message, { kind: 'infrastructure', host });
  }
  throw new PredictError(
    `${host}: links cannot be throttled: ${user} may not run the agent as root (${said || 'sudo refused'}). Put what 'predict inventory sudoers' prints into /etc/sudoers.d there, or connect as root. A sweep at --bw 100 alone needs neither.`,
    { kind: 'infrastructure', host, details: { privilege: 'none' } },
  );
}

export function lacksPrivilege(error: unknown): boolean {
  return error instanceof PredictError && error.details.privilege === 'none';
}

/** True on the host while each step to the path belongs to root, is writable by root alone, and is no link. */
function trusted(path: string): string {
  const steps = path.split('/').map((_, index, names) => names.slice(0, index + 1).join('/') || '/');
  return `{ bad=$(find ${steps.join(' ')} -maxdepth 0 '(' ! -uid 0 -o -perm /022 -o -type l ')' 2>&1) && [ -z "$bad" ]; }`;
}
