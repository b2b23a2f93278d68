import { basename, join } from 'node:path';
import { execa } from 'execa';
import { projectRoot } from '../../base/paths.ts';

/** Compiles a source into a folder, for other processes to load. Returns the file, which exports what the source does. */
export async function bundled(source: string, folder: string): Promise<string> {
  await execa(process.execPath, [join(projectRoot(), 'launch/bundle.mjs'), projectRoot(), folder, source]);
  return join(folder, `${basename(source, '.ts')}.cjs`);
}
