import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { labStateFolder } from '../../inventory/lab/spec.ts';
import { NEEDS, noLab, predict, predictJson, useLab } from './fixture.ts';

const NAME = 'test-sudo';
const WORK = join(labStateFolder(NAME), 'work');

/** sudo's rules on all hosts of the lab: one file, bound over each host's own. */
const allow = (rules: string): void => writeFileSync(join(labStateFolder(NAME), 'etc', 'sudoers'), rules);

describe.skipIf(noLab)(`an ssh user who is not root, ${NEEDS}`, () => {
  const lab = useLab({ name: NAME, hosts: 4, cpu: '20%', linkMbit: 50 });
  const check = () => predict(['inventory', 'check', '--inventory', lab.inventory(), '--json']);
  const privileges = (stdout: string): unknown[] =>
    (JSON.parse(stdout) as { privilege: unknown }[]).map(({ privilege }) => privilege);
  const onAll = (command: string) =>
    predictJson<{ stdout: string }[]>([
      ...['exec', '--inventory', lab.inventory(), '--json', '--', 'sh', '-c', command],
    ]).catch((error: Error) => error.message);
  const printed = async (): Promise<string> =>
    (await predict(['inventory', 'sudoers', '--inventory', lab.inventory()])).stdout;

  it('is told what he lacks; with the rules that are printed, and nothing more, a sweep works', async () => {
    expect(readFileSync(lab.inventory(), 'utf8')).not.toContain('plm_rsh_agent');
    allow('');
    const before = await check();
    expect(before.exitCode).toBe(3);
    expect(privileges(before.stdout)).toEqual(Array(4).fill('none'));
    expect(before.stderr).toMatch(
      /node01, node02, node03 and node04: links cannot be throttled, because predict may not run .*inventory init --sudoers/,
    );

    const rules = await printed();
    const file = join(mkdtempSync(join(tmpdir(), 'sudoers-')), 'predict');
    writeFileSync(file, rules);
    await execa('/usr/sbin/visudo', ['-cf', file]);
    allow(`${rules}\n`);
    const after = await check();
    expect([after.exitCode, after.stderr]).toEqual([0, '']);
    expect(privileges(after.stdout)).toEqual(Array(4).fill('sudo'));

    const out = join(lab.folder, 'as-user');
    const flags = ['--nodes', '4', '--scales', '12', '--bw', '50', '--roots', '2', '--repeats', '0', '--out', out];
    const result = await predict(['sweep', '--inventory', lab.inventory(), ...flags, '--json']);
    expect([result.exitCode, result.stderr]).toEqual([0, expect.not.stringMatching(/ try |tried|sudo/)]);
    expect(JSON.parse(result.stdout)).toMatchObject({ failed: [], unmeasured: [] });
  });

  it('may run nothing else as root', async () => {
    const agent = '$(echo /var/lib/predict/agent-*/predict-agent)';
    for (const refused of [
      'id',
      'sh -s',
      `${agent} facts`,
      `${agent} install`,
      `${WORK}/predict-agent hold --token 11112222 --owner ann`,
      `${WORK}/predict-agent install /etc`,
    ]) {
      expect(await onAll(`sudo -n ${refused} </dev/null 2>&1; echo code $?`)).toEqual(
        Array(4).fill(expect.objectContaining({ stdout: expect.stringMatching(/password is required\ncode 1\n$/) })),
      );
    }
    const swapped = `cp /bin/id ${WORK}/x-$(hostname) && mv ${WORK}/x-$(hostname) ${WORK}/predict-agent`;
    expect(await onAll(`${swapped}; sudo -n ${WORK}/predict-agent install 2>&1; echo code $?`)).toEqual(
      Array(4).fill(expect.objectContaining({ stdout: expect.not.stringContaining('uid=0') })),
    );
    expect(await onAll(`sudo -n ${agent} hold --token 11112222 --owner ann </dev/null`)).toEqual(
      Array(4).fill(expect.objectContaining({ stdout: 'held 11112222\n' })),
    );
  });

  it('needs no rule for the install once the agent is installed', async () => {
    const rules = (await printed()).split('\n').filter((line) => !line.includes('PREDICT_INSTALL'));
    allow(`${rules.join('\n')}\n`);
    const result = await check();
    expect([result.exitCode, result.stderr]).toEqual([0, '']);
    const set = ['throttle', 'set', '--inventory', lab.inventory(), '--bw', '50', '--lease', '30s'];
    expect((await predict(set)).exitCode).toBe(0);
    expect((await predict(['throttle', 'clear', '--inventory', lab.inventory()])).exitCode).toBe(0);
  });
});
