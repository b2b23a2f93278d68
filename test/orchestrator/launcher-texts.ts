import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../base/paths.ts';
import type { LauncherName } from '../../inventory/inventory-schema.ts';

const FOLDER = 'test/fixtures/launchers';

/** What launchers printed of runs that failed, and of their versions. */
export function said(launcher: LauncherName): readonly string[] {
  const files = readdirSync(join(projectRoot(), FOLDER)).filter((name) => name.startsWith(`${launcher}-`));
  if (files.length > 0) return files.map((name) => readFileSync(join(projectRoot(), FOLDER, name), 'utf8'));
  throw new Error(`what ${launcher} prints of runs that fail is missing: add it as ${FOLDER}/${launcher}-WHY.stderr`);
}
