import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../base/paths.ts';

/** Another commit of this program, built in a folder of its name below `folder`, or found there. */
export function builtCommit(commit: string, folder: string): string {
  const here = projectRoot();
  const id = execFileSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: here, encoding: 'utf8' });
  const root = join(folder, id.trim());
  if (existsSync(root)) return root;
  const fresh = `${root}.tmp`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const archive = execFileSync('git', ['archive', id.trim()], { cwd: here, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x'], { cwd: fresh, input: archive });
  const lock = 'package-lock.json';
  const hasOurModules = readFileSync(join(fresh, lock), 'utf8') === readFileSync(join(here, lock), 'utf8');
  // Else its launcher installs those of its own.
  if (hasOurModules || !existsSync(join(fresh, 'launch.cjs'))) {
    symlinkSync(join(here, 'node_modules'), join(fresh, 'node_modules'));
    mkdirSync(join(fresh, 'dist'));
    copyFileSync(join(fresh, lock), join(fresh, 'dist/.modules'));
  }
  const [node, stdio] = [process.execPath, 'ignore' as const];
  if (existsSync(join(fresh, 'launch.cjs'))) execFileSync(node, ['launch.cjs', '--version'], { cwd: fresh, stdio });
  // Commits of before there was a bundle.
  else execFileSync('node_modules/.bin/tsc', ['-p', '.', '--noEmit', 'false'], { cwd: fresh });
  renameSync(fresh, root);
  return root;
}
