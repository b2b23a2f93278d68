import { totalmem } from 'node:os';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { Executor } from '../../../orchestrator/hosts/executor.ts';
import { lookAround } from '../../../orchestrator/hosts/look-around.ts';

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

test('one without /proc/meminfo or the tools is refused with what it said', async () => {
  await expect(lookAround(here('/nowhere'))).rejects.toThrow(
    /^here: its memory cannot be read \(.+\): check that it is a Linux host/,
  );
});
