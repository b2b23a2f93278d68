import { writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { launcherSchema } from '../../../inventory/inventory-schema.ts';
import type { Executor } from '../../../orchestrator/hosts/executor.ts';
import { lookAround } from '../../../orchestrator/hosts/look-around.ts';
import { LAUNCHERS } from '../../../orchestrator/launchers/launchers.ts';
import { tempFolder } from '../../experiments/make.ts';

/** This machine as a host, whatever its sh and awk. */
const here = (path = process.env.PATH): Executor =>
  ({
    host: 'here',
    exec: async ([, ...words]: readonly string[]) =>
      await execa('/bin/sh', words, { reject: false, env: { PATH: path } }),
  }) as unknown as Executor;

test('a host tells its memory to the byte, and links with address and speed', async () => {
  const { name, memoryBytes, links } = await lookAround(here());
  expect([name, memoryBytes]).toEqual(['here', totalmem()]);
  for (const { address, mbit } of links) {
    expect(address).toMatch(/^[\d.]+\/\d+$/);
    expect(mbit === null || mbit > 0).toBe(true);
  }
});

test('a virtual link tells no speed, whatever the kernel makes up', async () => {
  const add = 'ip link add data0 type veth peer name data1; ip addr add 10.9.0.1/24 dev data0; ip link set data0 up';
  const enter = ['-rnm', 'sh', '-c', `mount -t sysfs sysfs /sys && { ${add}; } && exec "$@"`, 'sh'];
  const inside = {
    host: 'inside',
    exec: async (words: readonly string[]) => await execa('unshare', [...enter, ...words], { reject: false }),
  } as unknown as Executor;
  expect((await inside.exec(['cat', '/sys/class/net/data0/speed'])).stdout).toBe('10000');
  expect((await lookAround(inside)).links).toEqual([{ name: 'data0', address: '10.9.0.1/24', mbit: null }]);
});

test.each(launcherSchema.options)('a launcher is found by its program and what that says: %s', async (launcher) => {
  const { command, says } = LAUNCHERS[launcher];
  const folder = tempFolder();
  const found = async (version: string | null): Promise<readonly string[]> => {
    writeFileSync(join(folder, command), `#!/bin/sh\necho '${version} 4.0'\n`, { mode: 0o755 });
    return (await lookAround(here(`${folder}:${process.env.PATH}`))).launchers;
  };
  expect(await found(says)).toContain(launcher);
  if (says !== null) expect(await found('another')).not.toContain(launcher);
});

test('one without /proc/meminfo or the tools is refused with what it said', async () => {
  await expect(lookAround(here('/nowhere'))).rejects.toThrow(
    /^here: its memory cannot be read \(.+\): check that it is a Linux host/,
  );
});
