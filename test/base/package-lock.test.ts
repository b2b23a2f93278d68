import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { projectRoot } from '../../base/index.ts';
import { tempFolder } from '../experiments/make.ts';

interface Lock {
  readonly packages: Readonly<Record<string, { integrity?: string; os?: string[]; cpu?: string[]; libc?: string[] }>>;
}

const lock: Lock = JSON.parse(readFileSync(join(projectRoot(), 'package-lock.json'), 'utf8'));
const listed = Object.entries(lock.packages).filter(([path]) => path !== '');

test('every package of Linux on x64 has its checksum', () => {
  const without = listed.filter(
    ([, { integrity, os = ['linux'], cpu = ['x64'], libc = ['glibc'] }]) =>
      integrity === undefined && os.includes('linux') && cpu.includes('x64') && libc.includes('glibc'),
  );
  expect(without).toEqual([]);
  for (const [, { integrity }] of listed) if (integrity !== undefined) expect(integrity).toMatch(/^sha512-.{86}==$/);
});

test('a package without its checksum is not installed', async () => {
  const folder = tempFolder();
  for (const file of ['predict', 'launch.mjs', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    copyFileSync(join(projectRoot(), file), join(folder, file));
  }
  for (const room of 'base inventory experiments orchestrator throttle agents modeling analysis report'.split(' ')) {
    mkdirSync(join(folder, room));
  }
  const [some = ''] = listed.map(([path]) => path).filter((path) => path === 'node_modules/zod');
  const packages = { ...lock.packages, [some]: { ...lock.packages[some], integrity: undefined } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  const { exitCode, stderr } = await execa(join(folder, 'predict'), ['--version'], { reject: false });
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('package-lock.json has no checksum of zod, which')]);
});
