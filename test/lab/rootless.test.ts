import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';
import { predict as asRoot, NEEDS, noLab } from './fixture.ts';

const NAME = 'test-rootless';
/** Debian's nobody. */
const USER = 65_534;
const AS_USER = ['setpriv', '--reuid', String(USER), '--regid', String(USER), '--clear-groups'];

const userCan = (...words: string[]): boolean => spawnSync('/usr/bin/env', [...AS_USER, ...words]).status === 0;
const noUserLab = noLab || !userCan('unshare', '--map-root-user', 'test', '-r', join(projectRoot(), 'launch.cjs'));

/** The processes in a user namespace; one that has ended and was not waited for has no words. */
const inNamespace = (space: string): string[] =>
  readdirSync('/proc').filter((id) => {
    try {
      return readlinkSync(`/proc/${id}/ns/user`) === space && readFileSync(`/proc/${id}/cmdline`, 'utf8') !== '';
    } catch {
      return false;
    }
  });

describe.skipIf(noUserLab)(`a lab of an ordinary user, ${NEEDS}`, () => {
  // The user's own in a sticky folder: the one of all tests is root's.
  const home = mkdtempSync('/tmp/predict-rootless-');
  const state = join(home, '.local', 'state');
  const run = (words: readonly string[]) =>
    execa('/usr/bin/env', [...AS_USER, ...words], {
      env: { HOME: home, TMPDIR: home, XDG_CACHE_HOME: '', XDG_STATE_HOME: '', XDG_RUNTIME_DIR: '' },
      reject: false,
    });
  const predict = (...words: string[]) => run([join(projectRoot(), 'predict'), ...words]);

  beforeAll(async () => {
    // A user cannot make this clone ready.
    await asRoot(['--version']);
    const { graph500 } = await buildHostPrograms();
    const built = join(home, '.cache', 'predict', 'built');
    mkdirSync(built, { recursive: true, mode: 0o700 });
    // What is compiled on a user's first start.
    cpSync(dirname(graph500), join(built, 'hosts'), { recursive: true });
    await execa('chown', ['-R', `${USER}:${USER}`, home]);
  });
  afterAll(async () => {
    await predict('lab', 'down', '--name', NAME);
    rmSync(home, { recursive: true, force: true });
  });

  it('measures a throttled cell with its proof, and leaves nothing behind', async () => {
    const up = await predict('lab', 'up', '--name', NAME, '--hosts', '4', '--cpu', '20%', '--link', '50mbit', '--json');
    expect([up.exitCode, up.stderr]).toEqual([0, '']);
    const { inventory } = JSON.parse(up.stdout) as { inventory: string };
    expect(inventory).toBe(join(state, 'predict-lab', NAME, 'inventory.yaml'));
    const first = /\/proc\/(\d+)\/ns\/net/.exec(readFileSync(inventory, 'utf8'))?.[1];
    const space = readlinkSync(`/proc/${first}/ns/user`);
    expect(space).not.toBe(readlinkSync('/proc/self/ns/user'));

    const out = join(home, 'campaign');
    const sweep = ['--cells', '4:10:50', '--roots', '2', '--repeats', '0', '--out', out];
    const swept = await predict('sweep', '--inventory', inventory, ...sweep, '--json');
    expect([swept.exitCode, swept.stderr]).toEqual([0, expect.not.stringContaining('root')]);
    expect(JSON.parse(swept.stdout)).toMatchObject({ failed: [], unmeasured: [] });
    const [cell = ''] = readdirSync(join(out, 'cells'));
    const record = JSON.parse(readFileSync(join(out, 'cells', cell, 'record.json'), 'utf8'));
    expect(record).toMatchObject({ status: 'ok', cell: { nodes: 4, bw: 50 }, proof: { rateBps: 25e6 } });
    expect(record.proof.probes).toHaveLength(4);

    const down = await predict('lab', 'down', '--name', NAME);
    expect([down.exitCode, down.stderr]).toEqual([0, expect.stringMatching(/is down \(\d+ processes ended\)/)]);
    expect(inNamespace(space)).toEqual([]);
    expect(readdirSync(state)).toEqual([]);
  });

  it('says what to do where its folder cannot be made', async () => {
    const down = await run(['env', 'XDG_STATE_HOME=/dev/null', join(projectRoot(), 'predict'), 'lab', 'down']);
    expect([down.exitCode, down.stderr]).toEqual([
      3,
      expect.stringMatching(
        /^predict: The folder of labs \/dev\/null\/predict-lab cannot be made: .*Set XDG_STATE_HOME/,
      ),
    ]);
  });

  it('is refused in a sentence where the kernel has no user namespaces for him', async () => {
    const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" lab up --name "$1"';
    const words = ['sh', '-c', forbid, join(projectRoot(), 'predict'), NAME];
    const refused = await run(['unshare', '--map-current-user', '--keep-caps', ...words]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      3,
      expect.stringMatching(
        /^predict: A lab of an ordinary user needs user namespaces, .*user\.max_user_namespaces is 0.*: have an administrator set it to \d+ .*, or run this as root\.$/,
      ),
    ]);
    expect(existsSync(join(state, 'predict-lab'))).toBe(false);
  });
});
