import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { badInput, messageOf } from '../../../base/errors.ts';
import { compareText } from '../../../base/text.ts';
import { KINDS, type Kind } from './proc-files.ts';

export interface MonitorFile {
  readonly kind: Kind;
  readonly host: string;
  readonly path: string;
}

const ORDER = Object.keys(KINDS) as Kind[];
const FILE_NAME = new RegExp(`^proc-(${ORDER.join('|')})-(.+)$`, 's');

/** The monitor's files below a folder, by host and kind. Errors: badInput without any, or with two of a kind and host. */
export async function findFiles(folder: string): Promise<MonitorFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw badInput(`${folder} cannot be read (${messageOf(error)}): give the folder with the monitor's files.`, error);
  });
  const files = entries.flatMap((entry): MonitorFile[] => {
    const [, kind, host] = FILE_NAME.exec(entry.name) ?? [];
    if (kind === undefined || host === undefined || entry.isDirectory()) return [];
    return [{ kind: kind as Kind, host, path: join(entry.parentPath, entry.name) }];
  });
  if (files.length === 0) {
    throw badInput(
      `${folder} has no file named proc-stat-HOST, proc-net-dev-HOST or proc-diskstats-HOST: give the folder that Grade10's resource monitor wrote to.`,
    );
  }
  const seen = new Map<string, string>();
  for (const { kind, host, path } of files) {
    if (host.includes(']')) {
      throw badInput(`${path} is of the host '${host}', which cannot be used in a metric path: rename it without ].`);
    }
    const other = seen.get(`${kind} ${host}`);
    if (other !== undefined) {
      throw badInput(`${other} and ${path} are of the same host, ${host}: give the folder of one run.`);
    }
    seen.set(`${kind} ${host}`, path);
  }
  return files.sort((a, b) => compareText(a.host, b.host) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}
