import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { LAYERS, ROOMS, readSource, sourcesBelow } from '../house/sources.ts';

const read = (file: string): string => readFileSync(join(projectRoot(), file), 'utf8');
const page = read('docs/design.md');
const files = execFileSync('git', ['ls-files'], { cwd: projectRoot(), encoding: 'utf8' }).trim().split('\n');

/** The row of a room: the first sentence of its README, and what it may import. */
function rowOf(room: string): string {
  const [sentence = ''] = /(?<=^# .*\n\n)(?:.|\n(?!\n))*?\.(?=\s)/.exec(read(`${room}/README.md`)) ?? [];
  return `| [${room}](../${room}/README.md) | ${sentence} | ${LAYERS[room]?.join(', ') || '-'} |`;
}

test('docs/design.md has each room with the first sentence of its README and what it imports', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| ['));
  expect(rows).toEqual(ROOMS.map(rowOf));
});

test('the READMEs of rooms have 15 lines at most', () => {
  const long = ROOMS.filter((room) => read(`${room}/README.md`).trimEnd().split('\n').length > 15);
  expect(long).toEqual([]);
});

test('every source file that it names is there', () => {
  const named = [...page.matchAll(/(?<![\w./-])[\w/-]+\.(?:ts|c|h|mjs|cjs)\b/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(50);
  const made = ['dist/program/main.cjs'];
  const isThere = (name: string): boolean =>
    name.includes('/')
      ? existsSync(join(projectRoot(), name))
      : files.some((file) => file === name || file.endsWith(`/${name}`));
  expect(named.filter((name) => !made.includes(name) && !isThere(name))).toEqual([]);
});

test('every name behind a file is in that file', () => {
  const named = [...page.matchAll(/([\w/-]+\.ts)\s+`(\w+)`/g)].map(([, file = '', name = '']) => ({ file, name }));
  expect(named.length).toBeGreaterThan(7);
  const lost = named.filter(({ file, name }) => {
    const at = files.find((one) => one === file || one.endsWith(`/${file}`));
    return at === undefined || !new RegExp(`\\b${name}\\b`).test(read(at));
  });
  expect(lost).toEqual([]);
});

test('every function of the way of the data is there', () => {
  const named = [...(page.split('```')[1] ?? '').matchAll(/(\w+)\(/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(15);
  const sources = sourcesBelow(ROOMS).map(readSource).join('\n');
  expect(named.filter((name) => !new RegExp(`export (?:async )?function ${name}\\b`).test(sources))).toEqual([]);
});
