import { basename } from 'node:path';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { knownDigest } from '../../experiments/store/digest.ts';
import type { Executor } from './executor.ts';
import { unusable } from './work-folder.ts';

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
  const listing = await executor.exec(scriptWords(DIGESTS, folder, ...wanted.map(({ remote }) => remote)));
  if (listing.exitCode !== 0) throw unusable({ host: executor.host, folder }, lastLines(listing.stderr, 1));
  const missing = wanted.filter(({ remote, hash }) => !listing.stdout.includes(`${hash}  ${remote}`));
  for (const { path, remote } of missing) await executor.send(path, remote);
  return missing.map(({ remote }) => basename(remote));
}
