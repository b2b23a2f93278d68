import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { infrastructure, messageOf } from '../../base/errors.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import type { DatasetFiles } from '../../experiments/workloads/workload.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from './cluster.ts';
import { deployFiles } from './work-folder.ts';

/** Prints what `identities` knows of files; nothing of those that are not there. */
const IDENTIFY = sh`stat -L -c '%s %.9Y %i' -- "$@" 2>/dev/null; true`;

/**
 * Sees to it that every host has the files of some datasets, and says in which folder, the same on each. Hosts that see the
 * controller's own files (a shared file system, a lab) read those; to others they are copied, below the work folder.
 */
export async function provideDatasets(
  cluster: Cluster,
  hosts: readonly Host[],
  datasets: readonly DatasetFiles[],
): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for (const { name, files } of datasets) folders.set(name, await provide(cluster, hosts, { name, files }));
  return folders;
}

async function provide(cluster: Cluster, hosts: readonly Host[], { name, files }: DatasetFiles): Promise<string> {
  const here = await identities(files);
  const [first = '', ...others] = new Set(files.map((file) => dirname(file)));
  const isSeen = async (host: Host): Promise<boolean> => {
    const { stdout } = await cluster.on(host).exec(scriptWords(IDENTIFY, ...files));
    return stdout.trim() === here.join('\n');
  };
  const seen = others.length === 0 ? await Promise.all(hosts.map(isSeen)) : [];
  if (seen.length === hosts.length && seen.every(Boolean)) return first;
  const folder = cluster.remotePath(`datasets/${name}`);
  await cluster.onEach(cluster.places(hosts), (executor) => deployFiles(executor, files, folder));
  return folder;
}

/** Size, time of the last change and number of a file: what is equal in all three is the same file. */
async function identities(files: readonly string[]): Promise<string[]> {
  return await Promise.all(
    files.map(async (file) => {
      try {
        const { size, mtimeNs, ino } = await stat(file, { bigint: true });
        return `${size} ${mtimeNs / 1_000_000_000n}.${String(mtimeNs % 1_000_000_000n).padStart(9, '0')} ${ino}`;
      } catch (error) {
        throw infrastructure(`${basename(file)} cannot be read (${messageOf(error)}).`);
      }
    }),
  );
}
