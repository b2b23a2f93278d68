import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { labStateFolder, labsFolder } from '../../inventory/lab/spec.ts';
import { makeStateFolder, removeStateFolder } from '../../inventory/lab/state-folder.ts';
import { tempFolder } from '../experiments/make.ts';

const NAME = `state-${process.pid}`;

describe.skipIf(process.getuid?.() !== 0)("a lab's state folder (needs root)", () => {
  it("is root's to change and to list, and gone afterwards", () => {
    const folder = makeStateFolder(NAME);
    expect([folder, lstatSync(folder).mode & 0o777]).toEqual([`/var/lib/predict-lab/${NAME}`, 0o711]);
    writeFileSync(join(folder, 'work', 'x'), '');
    removeStateFolder(NAME);
    expect(existsSync(folder)).toBe(false);
    removeStateFolder(NAME);
  });

  it.each<[string, (folder: string, precious: string) => void]>([
    ['a link', (folder, precious) => symlinkSync(precious, folder)],
    ['a folder of a stranger', (folder) => [mkdirSync(folder), chownSync(folder, 4242, 4242)]],
    ['a folder that others may write', (folder) => [mkdirSync(folder), chmodSync(folder, 0o777)]],
  ])('is not removed where it is %s', (_, make) => {
    const folder = labStateFolder(NAME);
    const precious = tempFolder();
    writeFileSync(join(precious, 'file'), '');
    mkdirSync('/var/lib/predict-lab', { recursive: true });
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true });
      removeStateFolder(NAME);
    });
    make(folder, precious);
    expect(() => removeStateFolder(NAME)).toThrow(/is not a safe location for a lab: /);
    expect([existsSync(folder), existsSync(join(precious, 'file'))]).toEqual([true, true]);
  });

  it('takes no name that leads elsewhere', () => {
    for (const name of ['../../etc', 'a/b', '.', '', 'UP']) {
      expect(() => removeStateFolder(name)).toThrow(/name '.*' is invalid/);
    }
  });
});

it('of an ordinary user lies where links to the home lead, which need not have its last folders yet', () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'export'));
  symlinkSync('export', join(folder, 'home'));
  const home = join(folder, 'home', 'me');
  expect(labsFolder({ HOME: home }, true)).toBe(join(folder, 'export', 'me', '.local', 'state', 'predict-lab'));
  expect(labsFolder({ HOME: home, XDG_STATE_HOME: join(folder, 'home') }, true)).toBe(
    join(folder, 'export', 'predict-lab'),
  );
});
