import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program is on the PATH of this machine; undefined where it is not. */
export function findProgram(
  name: string,
  { PATH = '' }: Readonly<NodeJS.ProcessEnv> = process.env,
): string | undefined {
  return PATH.split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        return false;
      }
    });
}
