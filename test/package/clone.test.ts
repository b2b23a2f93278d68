import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';

/** A folder with links to the named programs alone. */
async function pathWith(names: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'path-'));
  for (const name of names) symlinkSync((await execa('sh', ['-c', `command -v ${name}`])).stdout, join(folder, name));
  return folder;
}

test.skipIf(process.getuid?.() !== 0)(
  'a read-only clone starts for a user without a compiler, make or flock, also behind a link (needs root)',
  async () => {
    const place = mkdtempSync(join(tmpdir(), 'clone-'));
    const clone = join(place, 'clone');
    const { stdout } = await execa('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: projectRoot(),
    });
    for (const name of stdout.split('\0')) {
      if (name === '' || name.startsWith('test/')) continue;
      cpSync(join(projectRoot(), name), join(clone, name));
    }
    mkdirSync(join(place, 'home'));
    mkdirSync(join(place, 'bin'));
    symlinkSync('../clone/predict', join(place, 'bin/predict'));
    await execa('chmod', ['755', place, tmpdir()]);
    await execa('chown', ['-R', '1234:1234', join(place, 'home')]);
    const path = await pathWith(['sh', 'node', 'npm', 'dirname', 'readlink', 'env']);
    await execa('chmod', ['755', path]);
    const { NODE_EXTRA_CA_CERTS: extra } = process.env;
    const certificates = extra === undefined ? [] : [`NODE_EXTRA_CA_CERTS=${extra}`];
    const run = (words: readonly string[]) =>
      execa(
        'unshare',
        [
          ...[
            '--mount',
            'sh',
            '-ec',
            'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"; shift; exec "$@"',
            'sh',
            clone,
          ],
          ...['setpriv', '--reuid', '1234', '--regid', '1234', '--clear-groups'],
          ...[
            'env',
            '-i',
            ...certificates,
            `PATH=${path}`,
            `HOME=${join(place, 'home')}`,
            join(place, 'bin/predict'),
            ...words,
          ],
        ],
        { reject: false, cwd: '/' },
      );
    const first = await run(['--version']);
    const { exitCode, stdout: said, stderr } = first;
    expect({ exitCode, said, stderr }).toEqual({
      exitCode: 0,
      said: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      stderr: expect.stringMatching(/is read-only, so it is made ready in .*clone-/),
    });
    const data = join(place, 'home', 'rows.csv');
    writeFileSync(data, 'scale,n,bw,rep,ct\n20,4,100,1,1.5\n20,9,100,1,0.8\n20,16,100,1,0.5\n');
    const second = await run(['fit', '--data', data, '--ranks-per-node', '1', '--model', 'eq2']);
    expect([second.exitCode, second.stderr]).toEqual([0, expect.not.stringMatching(/compiling|installing|read-only/)]);
  },
);
