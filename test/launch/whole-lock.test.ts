import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { tempFolder } from '../experiments/make.ts';
import { start, tinyClone } from './tiny-clone.ts';

it('the lock file has a checksum of every package, for whatever machine', () => {
  const { packages } = JSON.parse(readFileSync(join(projectRoot(), 'package-lock.json'), 'utf8'));
  const places = Object.keys(packages).filter((place) => place !== '');
  expect(places.length).toBeGreaterThan(100);
  expect(places.filter((place) => !/^sha512-[\w+/]{86}==$/.test(packages[place].integrity))).toEqual([]);
});

const integrity = `sha512-${'a'.repeat(86)}==`;
/** For another machine than this one, and in a folder of another package. */
const LOCK = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { name: 'tiny' },
    'node_modules/whole': { version: '1.0.0', integrity },
    'node_modules/whole/node_modules/@away/hole': { version: '2.0.0', os: ['aix'], optional: true },
  },
});
const SENTENCE = /^predict: .*package-lock\.json has no checksum of @away\/hole@2\.0\.0: choose a version .*\.$/;

it('a clone whose lock lacks a checksum installs nothing', async () => {
  const clone = tinyClone(join(tempFolder(), 'clone'), LOCK);
  const { exitCode, stdout, stderr } = await start(clone);
  expect([exitCode, stdout]).toEqual([3, '']);
  expect(stderr.split('\n').filter((line) => !line.startsWith('predict: installing'))).toEqual([
    expect.stringMatching(SENTENCE),
  ]);
});

it('no package is made from a lock that lacks a checksum', async () => {
  const folder = tempFolder();
  for (const part of ['launch', 'packaging'])
    cpSync(join(projectRoot(), part), join(folder, part), { recursive: true });
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'package-lock.json'), LOCK);
  const prepack = join(folder, 'packaging/prepack.mjs');
  const { exitCode, stdout, stderr } = await execa(process.execPath, [prepack], { cwd: folder, reject: false });
  expect([exitCode, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(SENTENCE);
});
