import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';
import { asBitsPerSecond, asPercent } from '../../base/units.ts';
import { labCgroups } from '../../inventory/lab/cgroups.ts';
import { labStatus } from '../../inventory/lab/lifecycle.ts';
import { labSpec } from '../../inventory/lab/spec.ts';
import { runDemo } from '../../orchestrator/cli/demo-command.ts';
import { isLong } from '../times.ts';
import { NEEDS, noLab, predict, predictJson } from './fixture.ts';
import { predict as started } from './predict.ts';

const NAME = 'test-life';
const up = ['lab', 'up', '--name', NAME, '--hosts', '3', '--cpu', '6%', '--link', '200mbit', '--json'];

const traces = (): string[] => [
  ...labCgroups(NAME).roots.filter((root) => existsSync(root)),
  ...readdirSync('/var/tmp').filter((name) => name === `predict-${NAME}`),
];

describe.skipIf(noLab)(`the lab's life, ${NEEDS}`, () => {
  afterEach(async () => {
    await predict(['lab', 'down', '--name', NAME]);
  });

  it('gives every host its own name, address, sshd and quota, and leaves nothing behind', async () => {
    const lab = await predictJson<{ inventory: string; hosts: string[] }>(up);
    expect(lab.hosts).toEqual(['node01', 'node02', 'node03']);
    const waiting = 'ompi_info --all --parsable | grep opal_event_include:value:';
    const commands = ['--', 'sh', '-c', `hostname; ip -4 -br addr show eth0; ls /proc | grep -c "^[0-9]"; ${waiting}`];
    const answers = await predictJson<{ host: string; exitCode: number; stdout: string }[]>([
      'exec',
      '--inventory',
      lab.inventory,
      '--json',
      ...commands,
    ]);
    for (const [index, { host, exitCode, stdout }] of answers.entries()) {
      const [name, address, processes, waits] = stdout.trim().split('\n');
      expect([exitCode, name]).toEqual([0, host]);
      expect(address).toContain(`10.77.0.${index + 1}/16`);
      // A host sees its own processes only.
      expect(Number(processes)).toBeLessThan(20);
      expect(waits).toMatch(/:epoll$/);
    }
    const status = await predictJson<{ state: string }>(['lab', 'status', '--name', NAME, '--json']);
    expect(status.state).toBe('up');
    const again = await predict(up);
    expect([again.exitCode, again.stderr]).toEqual([5, expect.stringContaining('is already running')]);
    expect((await predict(['lab', 'down', '--name', NAME])).exitCode).toBe(0);
    expect(traces()).toEqual([]);
  });

  it('is not ended by a demo that finds it up', async () => {
    await predictJson(up);
    const spec = labSpec({ name: NAME, hosts: 3, cpuPercent: asPercent(6), linkBps: asBitsPerSecond(200e6) });
    const demo = runDemo({
      ...{ spec, programs: await buildHostPrograms(), out: '/nonexistent', signal: new AbortController().signal },
    });
    await expect(demo).rejects.toMatchObject({ kind: 'busy' });
    expect(labStatus(NAME)).toMatchObject({ state: 'up', hosts: ['node01', 'node02', 'node03'] });
  });

  it('is started by one of two commands at once, and the other one leaves it alone', async () => {
    const both = await Promise.all([started(up), started(up)]);
    expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 5]);
    expect(both.find(({ exitCode }) => exitCode === 5)?.stderr).toContain('is already running');
    const status = await predictJson<{ state: string }>(['lab', 'status', '--name', NAME, '--json']);
    expect(status.state).toBe('up');
  });

  it.each(isLong ? [150, 600, 1000] : [150, 700])(
    'is cleaned up after an up that was killed after %i ms',
    async (ms) => {
      const child = execa(join(projectRoot(), 'predict'), up, { reject: false });
      await new Promise((resolve) => setTimeout(resolve, ms));
      child.kill('SIGKILL');
      await child;
      expect((await predict(['lab', 'down', '--name', NAME])).exitCode).toBe(0);
      expect(traces()).toEqual([]);
    },
  );
});
