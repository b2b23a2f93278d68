import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asBitsPerSecond, asPercent } from '../../base/units.ts';
import { cgroupProcesses } from '../../inventory/lab/cgroups.ts';
import { labDown, labUp } from '../../inventory/lab/lifecycle.ts';
import { labSpec } from '../../inventory/lab/spec.ts';
import { missingModule } from '../../inventory/lab/user-namespace.ts';
import { tempFolder } from '../experiments/make.ts';

const NAME = `life-${process.pid}`;
const spec = labSpec({ name: NAME, hosts: 1, cpuPercent: asPercent(6), linkBps: asBitsPerSecond(2e8) });

/** A PATH with nothing but flock and the given ssh-keygen. */
const usePath = (keygen: string): void => {
  const folder = tempFolder();
  symlinkSync('/usr/bin/flock', join(folder, 'flock'));
  if (keygen.startsWith('#!')) writeFileSync(join(folder, 'ssh-keygen'), keygen, { mode: 0o755 });
  else symlinkSync(keygen, join(folder, 'ssh-keygen'));
  const { PATH } = process.env;
  process.env.PATH = folder;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
};

describe.skipIf(process.getuid?.() !== 0 || !existsSync('/usr/sbin/sshd'))('a lab that does not start (root)', () => {
  const program = '/bin/true';

  it('says why, and leaves nothing, when no process can be started', async () => {
    usePath('/usr/bin/ssh-keygen');
    await expect(labUp(spec, { agent: program, idle: program, rulesFor: () => '' })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/^The lab 'life-\d+' did not start: spawn sh ENOENT/),
    });
    expect(existsSync(spec.stateFolder)).toBe(false);
    expect(existsSync(`${spec.stateFolder}.lock`)).toBe(false);
  });

  it('says why when it cannot be ended either', async () => {
    usePath('#!/bin/sh\n/bin/chmod 777 /var/lib/predict-lab/life-*\necho no keys today >&2\nexit 1\n');
    onTestFinished(async () => {
      if (existsSync(spec.stateFolder)) chmodSync(spec.stateFolder, 0o700);
      await labDown(NAME);
    });
    await expect(labUp(spec, { agent: program, idle: program, rulesFor: () => '' })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/did not start: .*no keys today.*Parts of it remain: .*is not a safe location/s),
    });
  });
});

describe.skipIf(process.getuid?.() !== 0)('a kernel without a part of the lab (root)', () => {
  it.each([
    ['a kind of device', 'ip link add x type predict0'],
    ['a kind of queue', 'tc qdisc add dev lo root handle 1: pie'],
  ])('is told by what is said of %s', async (_, command) => {
    const { stderr } = await execa('unshare', ['--net', 'sh', '-c', command], { reject: false });
    expect(missingModule(stderr)).toMatch(/^\. The kernel lacks a part that only root can load: modprobe -a /);
    expect(missingModule('Cannot open network namespace')).toBeNull();
  });
});

describe('the processes of a control group', () => {
  const groups = (procs?: string) => {
    const root = tempFolder();
    mkdirSync(join(root, 'host'));
    if (procs !== undefined)
      for (const folder of [root, join(root, 'host')]) writeFileSync(join(folder, 'cgroup.procs'), procs);
    return { version: 'v2', roots: [root], counted: [root] } as const;
  };

  it('are told once each', () => {
    expect(cgroupProcesses(groups('12\n13\n'))).toEqual([12, 13]);
  });

  it('are none in a group that goes while it is read', () => {
    expect(cgroupProcesses(groups())).toEqual([]);
  });

  it('are refused where they have no id here', () => {
    expect(() => cgroupProcesses(groups('0\n12\n'))).toThrow(/has processes of another PID namespace/);
  });
});
