import { cpSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

/** A user of no account. */
const USER = 1234;

/** A root folder for chroot(2) that has Node, the libraries it needs, and nothing else: no shell, no /proc, no /etc. */
export class CleanRoot {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** `modules`: native modules whose libraries are there too. */
  static async make(folder: string, modules: readonly string[]): Promise<CleanRoot> {
    for (const name of ['usr/bin', 'opt', 'tmp', 'home/ann']) mkdirSync(join(folder, name), { recursive: true });
    cpSync(realpathSync(process.execPath), join(folder, 'usr/bin/node'));
    const { stdout } = await execa('ldd', [process.execPath, ...modules]);
    const libraries = new Set(stdout.match(/(?<=\s)\/(?:usr\/)?lib\S*/g));
    for (const library of libraries) {
      if (modules.some((module) => dirname(module) === dirname(library))) continue;
      mkdirSync(join(folder, dirname(library)), { recursive: true });
      cpSync(realpathSync(library), join(folder, library));
    }
    await execa('chown', ['-R', `${USER}:${USER}`, join(folder, 'home/ann')]);
    return new CleanRoot(folder);
  }

  /** Runs Node there as an ordinary user, with `installed` read-only on /opt. */
  node(installed: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const enter = [
      'mount --bind "$1" "$2/opt" && mount -o remount,bind,ro "$2/opt"',
      'root=$2; user=$3; shift 3; exec chroot --userspec="$user:$user" "$root" /usr/bin/node "$@"',
    ].join('\n');
    const args = ['--mount', 'sh', '-ec', enter, 'sh', installed, this.folder, String(USER), ...words];
    const { PATH = '' } = process.env;
    return execa('unshare', args, { reject: false, extendEnv: false, env: { PATH, HOME: '/home/ann', ...env } });
  }
}
