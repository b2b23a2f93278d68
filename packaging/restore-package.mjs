import { existsSync, renameSync, rmSync } from 'node:fs';

/** Where the repository's package.json lies while the package has its own. */
export const SAVED = 'dist/package.json.saved';

/** After `npm pack`: the repository has its own package.json, and its versions in package-lock.json alone. */
export function restorePackage() {
  rmSync('npm-shrinkwrap.json', { force: true });
  if (existsSync(SAVED)) renameSync(SAVED, 'package.json');
}
