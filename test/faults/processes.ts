import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

export interface Process {
  readonly id: number;
  readonly argv: readonly string[];
  /** Folder that it works in. */
  readonly folder: string;
}

/** Names every process that a sweep of the suite starts on this machine: children inherit it. */
export const MARK = 'PREDICT_FAULTS';

/** What is known of a process; undefined when it is gone (also as a zombie). */
export function lookAt(id: number): Process | undefined {
  try {
    const argv = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return argv.length === 0 ? undefined : { id, argv, folder: readlinkSync(`/proc/${id}/cwd`) };
  } catch {
    return undefined;
  }
}

/**
 * Processes of this machine, also of hosts of its labs, that carry a mark in their environment, or work in one of `folders`: a
 * Redis server writes its title over its environment.
 */
export function marked(mark: string, folders: ReadonlySet<string> = new Set()): Process[] {
  const wanted = `${MARK}=${mark}\0`;
  return readdirSync('/proc').flatMap((entry) => {
    const found = /^\d+$/.test(entry) ? lookAt(Number(entry)) : undefined;
    if (!found) return [];
    if (folders.has(found.folder.replace(/ \(deleted\)$/, ''))) return found;
    try {
      return readFileSync(`/proc/${entry}/environ`, 'latin1').includes(wanted) ? found : [];
    } catch {
      return [];
    }
  });
}

export function childrenOf(id: number): Process[] {
  try {
    const ids = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return ids.flatMap((child) => lookAt(Number(child)) ?? []);
  } catch {
    return [];
  }
}

/** The subcommand of a process that is an agent of ours; undefined for other programs. */
export function agentTask({ argv: [program = '', ...words] }: Process): string | undefined {
  if (!basename(program).startsWith('predict-agent')) return undefined;
  return words.includes('keep') ? 'keep' : words[0];
}

/** Name of its program; what a server adds to its own title is left out. */
export const programName = ({ argv: [title = ''] }: Process): string => basename(title.split(' ')[0] ?? '');

export const sayProcess = ({ id, argv }: Process): string => `${id} ${argv.join(' ').slice(0, 80)}`;

/** Sends a signal; false when there is nobody any more. */
export function signal(id: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(id, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
