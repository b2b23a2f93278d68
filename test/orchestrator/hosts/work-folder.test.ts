import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { machine } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findWorkFolder } from '../../../orchestrator/hosts/work-folder.ts';
import { localShell } from './local-shell.ts';

const MACHINE = machine();
/** A user id without an account would have no name. */
const NOBODY = 65534;

/** A folder in which every step is root's alone. */
function place(): string {
  const folder = mkdtempSync('/var/lib/predict-test-');
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const asUser = (home: string) => localShell({ uid: NOBODY, prepare: `export HOME=${home}` });

describe.skipIf(process.getuid?.() !== 0)('the work folder (needs root)', () => {
  it('of root lies below /var/lib/predict where the inventory names none', async () => {
    const prepare = 'mount -t tmpfs -o mode=755 tmpfs /var/lib';
    expect(
      await findWorkFolder(localShell({ prepare: `${prepare}; mkdir -p /var/lib/predict/work` }), undefined),
    ).toEqual({
      ...{ uid: 0, user: 'root', machine: MACHINE, folder: '/var/lib/predict/work' },
    });
  });

  it('of another user lies in his home', async () => {
    const home = place();
    chownSync(home, NOBODY, NOBODY);
    const account = await findWorkFolder(asUser(home), undefined);
    expect(account).toEqual({ uid: NOBODY, user: 'nobody', machine: MACHINE, folder: `${home}/.predict` });
    const { uid, mode } = lstatSync(account.folder);
    expect([uid, mode & 0o7777]).toEqual([NOBODY, 0o755]);
  });

  it('is where the inventory says, made if it is not there, its links resolved', async () => {
    const folder = place();
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    const { folder: found } = await findWorkFolder(localShell(), join(folder, 'link', '-ann', 'x'));
    expect(found).toBe(join(folder, 'real', '-ann', 'x'));
    expect(existsSync(found)).toBe(true);
  });

  it.each<[string, (folder: string) => void, RegExp]>([
    [
      'that a stranger made',
      (folder) => [mkdirSync(folder), chownSync(folder, 4242, 4242)],
      /belongs to user 4242 \(mode 0755\)/,
    ],
    ['that others may write', (folder) => [mkdirSync(folder), chmodSync(folder, 0o777)], /writable by others.*0777/],
    ['that the group may write', (folder) => [mkdirSync(folder), chmodSync(folder, 0o775)], /writable by others.*0775/],
    [
      "that is a link to a stranger's",
      (folder) => [mkdirSync(`${folder}.x`), chownSync(`${folder}.x`, 4242, 4242), symlinkSync(`${folder}.x`, folder)],
      /\.x belongs to user 4242/,
    ],
    [
      "that is a stranger's link to what is the user's own",
      (folder) => [mkdirSync(`${folder}.x`), symlinkSync(`${folder}.x`, folder), lchownSync(folder, 4242, 4242)],
      /work belongs to user 4242/,
    ],
  ])('%s is refused with what to do, and nothing is made in it', async (_, make, why) => {
    for (const [shell, parent] of [
      [localShell(), place()],
      [asUser('/'), place()],
    ] as const) {
      if (shell !== undefined) chownSync(parent, 0, 0);
      make(join(parent, 'work'));
      const looking = findWorkFolder(shell, join(parent, 'work', 'below'));
      await expect(looking).rejects.toMatchObject({ kind: 'infrastructure', host: 'here', exitCode: 3 });
      await expect(looking).rejects.toThrow(why);
      await expect(looking).rejects.toThrow(/chmod go-w.*work\.folder/);
      expect(readdirSync(join(parent, 'work'))).toEqual([]);
    }
  });

  it('below a sticky folder such as /tmp is refused for root and may be had by others', async () => {
    const scratch = join(place(), 'scratch');
    mkdirSync(scratch);
    chmodSync(scratch, 0o1777);
    const wanted = join(scratch, 'ann');
    await expect(findWorkFolder(localShell(), wanted)).rejects.toThrow(/scratch is writable by others.*1777/);
    expect(existsSync(wanted)).toBe(false);
    expect((await findWorkFolder(asUser('/'), wanted)).folder).toBe(wanted);
    // What another user has there already is his.
    const taken = join(scratch, 'bob');
    mkdirSync(taken);
    chownSync(taken, 4242, 4242);
    await expect(findWorkFolder(asUser('/'), taken)).rejects.toThrow(/other users can change/);
  });

  it('that cannot be made is said with the reason', async () => {
    await expect(findWorkFolder(asUser('/'), '/var/lib/no-such/work')).rejects.toThrow(
      /cannot be used .*Permission denied/,
    );
    await expect(findWorkFolder(localShell(), '/proc/self/status/work')).rejects.toThrow(
      /is not a directory|cannot be used/,
    );
  });

  it('is read past what a login shell prints', async () => {
    const folder = place();
    const { exec, ...rest } = localShell();
    const noisy = {
      ...rest,
      exec: (words: readonly string[]) =>
        exec(['sh', '-c', `echo welcome; echo '@predict?'; exec "$@"`, 'sh', ...words]),
    };
    expect((await findWorkFolder(noisy, folder)).folder).toBe(folder);
    const mute = { ...rest, exec: () => exec(['echo', 'welcome']) };
    await expect(findWorkFolder(mute, folder)).rejects.toThrow(/^here: .*the reply of the host cannot be read/);
  });
});
