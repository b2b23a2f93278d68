import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { labCgroups } from '../../inventory/lab/cgroups.ts';
import { labStateFolder } from '../../inventory/lab/spec.ts';
import { NEEDS, noLab, predict, predictJson, useLab } from './fixture.ts';

const NAME = 'test-sudo';
const HOSTS = ['node01', 'node02', 'node03', 'node04', 'head'];
const ANN = 4242;

/**
 * Gives the lab's hosts a user without privileges: accounts, home and sudo's rules are files of the host's own, bound over
 * the machine's inside the host's mounts.
 */
const WITH_ANN = [
  'set -eu',
  'umask 022',
  'mkdir -p /run/etc/sudoers.d',
  'for file in passwd group shadow; do cp -p /etc/$file /run/etc/$file; done',
  `echo "ann:x:${ANN}:${ANN}::/home/ann:/bin/sh" >> /run/etc/passwd`,
  `echo "ann:x:${ANN}:" >> /run/etc/group`,
  'echo "ann:*:19000:0:99999:7:::" >> /run/etc/shadow',
  'for file in passwd group shadow sudoers.d; do mount --bind /run/etc/$file /etc/$file; done',
  'mount -t tmpfs -o mode=755 tmpfs /home',
  `install -d -o ${ANN} -g ${ANN} -m 755 /home/ann`,
  'chmod 1777 /run/tmp',
].join('\n');

/** Runs a script as root in the mounts of a lab host. */
async function inside(host: string, script: string, input = ''): Promise<void> {
  const [group = ''] = labCgroups(NAME).roots;
  const ids = readFileSync(join(group, host, 'cgroup.procs'), 'utf8')
    .trim()
    .split('\n');
  const sshd = ids.find((id) => readFileSync(`/proc/${id}/comm`, 'utf8').trim() === 'sshd');
  await execa('nsenter', ['-t', sshd ?? '', '-m', 'sh', '-c', script, labStateFolder(NAME)], { input });
}

const allow = (rules: string): Promise<unknown> =>
  Promise.all(
    HOSTS.map((host) => inside(host, 'cat > /etc/sudoers.d/predict; chmod 440 /etc/sudoers.d/predict', rules)),
  );

describe.skipIf(noLab)(`an ssh user who is not root, ${NEEDS}`, () => {
  const lab = useLab({ name: NAME, hosts: 4, cpu: '20%' });
  let inventory = '';

  beforeAll(async () => {
    if (!existsSync('/usr/bin/sudo')) await execa('apt-get', ['install', '-y', '--no-install-recommends', 'sudo']);
    // sshd reads a user's keys as that user.
    chmodSync(labStateFolder(NAME), 0o711);
    await Promise.all(HOSTS.map((host) => inside(host, WITH_ANN)));
    const text = readFileSync(lab.inventory(), 'utf8')
      .replace('user: root', 'user: ann')
      .replace(/^work:\n( .*\n)+/m, '')
      // Without it mpirun takes predict's own way to the hosts, of which none sees another's work folder.
      .replace(/ *- --mca\n *- plm_rsh_agent\n *- ssh .*\n/, '');
    expect(text).not.toContain('plm_rsh_agent');
    inventory = join(lab.folder, 'ann.yaml');
    writeFileSync(inventory, text);
  }, 180_000);

  const check = () => predict(['inventory', 'check', '--inventory', inventory, '--json']);
  const privileges = (stdout: string): unknown[] =>
    (JSON.parse(stdout) as { privilege: unknown }[]).map(({ privilege }) => privilege);
  const onAll = (command: string) =>
    predictJson<{ stdout: string }[]>(['exec', '--inventory', inventory, '--json', '--', 'sh', '-c', command]).catch(
      (error: Error) => error.message,
    );

  it('is told what he lacks; with the rules that are printed, and nothing more, a sweep works', async () => {
    const before = await check();
    expect(before.exitCode).toBe(3);
    expect(privileges(before.stdout)).toEqual(Array(4).fill('none'));
    expect(before.stderr).toMatch(
      /node01, node02, node03 and node04: links cannot be throttled: ann may not run .*inventory sudoers/,
    );

    const { stdout: rules } = await predict(['inventory', 'sudoers', '--inventory', inventory]);
    const file = join(mkdtempSync(join(tmpdir(), 'sudoers-')), 'predict');
    writeFileSync(file, rules);
    await execa('/usr/sbin/visudo', ['-cf', file]);
    await allow(`${rules}\n`);
    const after = await check();
    expect([after.exitCode, after.stderr]).toEqual([0, '']);
    expect(privileges(after.stdout)).toEqual(Array(4).fill('sudo'));

    const out = join(lab.folder, 'as-ann');
    const flags = ['--nodes', '4', '--scales', '12', '--bw', '50', '--roots', '2', '--repeats', '0', '--out', out];
    const result = await predict(['sweep', '--inventory', inventory, ...flags, '--json']);
    expect([result.exitCode, result.stderr]).toEqual([0, expect.not.stringMatching(/ try |tried|sudo/)]);
    expect(JSON.parse(result.stdout)).toMatchObject({ failed: [], unmeasured: [] });
  }, 180_000);

  it('may run nothing else as root', async () => {
    const agent = '$(echo /var/lib/predict/agent-*/predict-agent)';
    for (const refused of [
      'id',
      'sh -s',
      `${agent} facts`,
      `${agent} install`,
      '/home/ann/.predict/predict-agent hold --token 11112222 --owner ann',
      '/home/ann/.predict/predict-agent install /etc',
    ]) {
      expect(await onAll(`sudo -n ${refused} </dev/null 2>&1; echo code $?`)).toEqual(
        Array(4).fill(expect.objectContaining({ stdout: expect.stringMatching(/password is required\ncode 1\n$/) })),
      );
    }
    const swapped = 'cp /bin/id /home/ann/.predict/x && mv /home/ann/.predict/x /home/ann/.predict/predict-agent';
    expect(await onAll(`${swapped}; sudo -n /home/ann/.predict/predict-agent install 2>&1; echo code $?`)).toEqual(
      Array(4).fill(expect.objectContaining({ stdout: expect.not.stringContaining('uid=0') })),
    );
    expect(await onAll(`sudo -n ${agent} hold --token 11112222 --owner ann </dev/null`)).toEqual(
      Array(4).fill(expect.objectContaining({ stdout: 'held 11112222\n' })),
    );
  }, 120_000);

  it('needs no rule for the install once the agent is installed', async () => {
    const { stdout: rules } = await predict(['inventory', 'sudoers', '--inventory', inventory]);
    await allow(
      `${rules
        .split('\n')
        .filter((line) => !line.includes('PREDICT_INSTALL'))
        .join('\n')}\n`,
    );
    const result = await check();
    expect([result.exitCode, result.stderr]).toEqual([0, '']);
    expect(
      (await predict(['throttle', 'set', '--inventory', inventory, '--bw', '50', '--lease', '30s'])).exitCode,
    ).toBe(0);
    expect((await predict(['throttle', 'clear', '--inventory', inventory])).exitCode).toBe(0);
  }, 120_000);
});
