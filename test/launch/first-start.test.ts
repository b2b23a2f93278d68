import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tempFolder } from '../experiments/make.ts';
import { type Packages, processesIn, servePackages, start, tinyClone } from './tiny-clone.ts';

let packages: Packages;
/** A clone that was started once. */
let started: string;
let first: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  packages = await servePackages();
  started = tinyClone(mkdtempSync(join(tmpdir(), 'started-')), packages.lock);
  first = await start(started);
});
afterAll(() => packages.close());

/** A copy of the started clone, times and all; of the modules, which nothing changes in place, only links. */
async function copy(): Promise<string> {
  const clone = tempFolder();
  const isModules = (path: string) => path === join(started, 'node_modules') || path === join(started, 'cache');
  cpSync(started, clone, { recursive: true, preserveTimestamps: true, filter: (from) => !isModules(from) });
  await execa('cp', ['-al', join(started, 'node_modules'), clone]);
  return clone;
}

const change = (clone: string) => writeFileSync(join(clone, 'base/word.ts'), "export const word = 'second';\n");
const left = (clone: string) => readdirSync(clone).filter((name) => name.endsWith('.tmp'));

it('the first start installs and compiles, the next one only runs', async () => {
  expect(first).toMatchObject({ exitCode: 0, stdout: 'first' });
  expect(first.stderr).toMatch(/installing node modules[\s\S]*compiling/);
  expect(await start(started)).toMatchObject({ exitCode: 0, stdout: 'first', stderr: '' });
  expect(left(started)).toEqual([]);
  const map = JSON.parse(readFileSync(join(started, 'dist/base/word.js.map'), 'utf8'));
  expect(map.sources).toEqual(['../../base/word.ts']);
});

it('what was compiled from a source that is gone goes with the next build', async () => {
  const clone = await copy();
  writeFileSync(join(clone, 'dist/base/gone.js'), '');
  change(clone);
  expect(await start(clone)).toMatchObject({ exitCode: 0, stdout: 'second' });
  expect(readdirSync(join(clone, 'dist/base'))).not.toContain('gone.js');
});

it('of two first starts at once one makes everything ready, and both run', async () => {
  const clone = tinyClone(tempFolder(), packages.lock);
  const both = await Promise.all([start(clone), start(clone)]);
  expect(both).toMatchObject([
    { exitCode: 0, stdout: 'first' },
    { exitCode: 0, stdout: 'first' },
  ]);
  const said = both.map(({ stderr }) => stderr).join('\n');
  expect(said.match(/installing|compiling/g)).toEqual(['installing', 'compiling']);
});

describe.each(['SIGINT', 'SIGKILL'] as const)('%s to the launcher alone', (signal) => {
  it('while npm installs ends npm, keeps the old modules, and the next start works', async () => {
    const clone = await copy();
    const now = new Date();
    await utimes(join(clone, 'package-lock.json'), now, now);
    const { asked, release } = packages.stall();
    const running = start(clone);
    await asked;
    expect(processesIn(clone).length).toBeGreaterThan(2);
    running.kill(signal);
    expect(await running).toMatchObject({ signal });
    await vi.waitFor(() => expect(processesIn(clone)).toEqual([]), { timeout: 20_000 });
    release();
    expect(left(clone)).toEqual([]);
    expect(readdirSync(join(clone, 'node_modules'))).toContain('typescript');
    const next = await start(clone);
    expect([next.exitCode, next.stdout, next.stderr]).toEqual([0, 'first', expect.stringContaining('installing')]);
  });

  it('while it compiles ends the compiler, keeps the old build, and the next start works', async () => {
    const clone = await copy();
    const source = join(clone, 'base/word.ts');
    rmSync(source);
    // The compiler waits for somebody to write.
    await execa('mkfifo', [source]);
    const running = start(clone);
    const writing = await open(source, 'w');
    running.kill(signal);
    expect(await running).toMatchObject({ signal });
    await vi.waitFor(() => expect(processesIn(clone)).toEqual([]), { timeout: 20_000 });
    await writing.close();
    expect(left(clone)).toEqual([]);
    expect(readFileSync(join(clone, 'dist/base/word.js'), 'utf8')).toContain("'first'");
    rmSync(source);
    change(clone);
    const next = await start(clone);
    expect([next.exitCode, next.stdout, next.stderr]).toEqual([0, 'second', expect.stringContaining('compiling')]);
  });
});

it.each([
  [
    'before anything was put into place',
    (clone: string) => mkdirSync(join(clone, 'first-start-x.tmp/base'), { recursive: true }),
  ],
  ['between two rooms', (clone: string) => renameSync(join(clone, 'dist/base'), join(clone, 'first-start-x.tmp'))],
  [
    'before the new modules came',
    (clone: string) => {
      rmSync(join(clone, 'dist/.modules'));
      renameSync(join(clone, 'node_modules'), join(clone, 'first-start-x.tmp'));
    },
  ],
])('a start that a machine lost %s is made good by the next', async (_, damage) => {
  const clone = await copy();
  const gone = await execa('sh', ['-c', 'echo $$']);
  symlinkSync(gone.stdout, join(clone, 'dist/.start'));
  rmSync(join(clone, 'dist/.built'));
  damage(clone);
  change(clone);
  expect(await start(clone)).toMatchObject({ exitCode: 0, stdout: 'second' });
  expect([left(clone), readdirSync(join(clone, 'dist')).sort()]).toEqual([
    [],
    ['.built', '.modules', 'base', 'orchestrator'],
  ]);
});

it('a compiler that finds a mistake leaves the old build, and says so in a sentence', async () => {
  const clone = await copy();
  writeFileSync(join(clone, 'base/word.ts'), 'export const word: string = 1;\n');
  const { exitCode, stderr } = await start(clone);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/^predict: the compiler failed, as it says above; .*\.$/m);
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(left(clone)).toEqual([]);
  expect(readFileSync(join(clone, 'dist/base/word.js'), 'utf8')).toContain("'first'");
});
