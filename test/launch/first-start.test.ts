import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mulberry32 } from '../../base/lists.ts';
import { tempFolder } from '../experiments/make.ts';
import { isLong, times } from '../times.ts';
import { bundlerIn, type Packages, processesIn, servePackages, start, tinyClone } from './tiny-clone.ts';

let packages: Packages;
/** A clone that was started once. */
let started: string;
let first: Awaited<ReturnType<typeof start>>;
let firstLasts = 0;

beforeAll(async () => {
  packages = await servePackages();
  started = tinyClone(mkdtempSync(join(tmpdir(), 'started-')), packages.lock);
  const begin = performance.now();
  first = await start(started);
  firstLasts = performance.now() - begin;
});
afterAll(() => packages.close());

/** A copy of the started clone, times and all; of the modules, which nothing changes in place, only links. */
async function copy(): Promise<string> {
  const clone = tempFolder();
  const isModules = (path: string) => path === join(started, 'node_modules') || path === join(started, 'cache');
  const as = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
  cpSync(started, clone, { ...as, filter: (from) => !isModules(from) });
  await execa('cp', ['-al', join(started, 'node_modules'), clone]);
  return clone;
}

/** For a mount namespace: a folder that is read-only for the command behind it, to root too. */
const READ_ONLY = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; exec "$@"';
const change = (clone: string) => writeFileSync(join(clone, 'base/word.ts'), "export const word = 'second';\n");
const left = (clone: string) => readdirSync(join(clone, 'dist')).filter((name) => name.endsWith('.tmp'));
const builds = (clone: string) => readdirSync(join(clone, 'dist')).filter((name) => name.startsWith('program-'));
const compiled = (clone: string) => readFileSync(join(clone, 'dist/program/main.cjs'), 'utf8');

it('the first start installs and compiles, the next one only runs', async () => {
  expect(first).toMatchObject({ exitCode: 0, stdout: 'first' });
  expect(first.stderr).toMatch(/installing node modules[\s\S]*compiling/);
  expect(await start(started)).toMatchObject({ exitCode: 0, stdout: 'first', stderr: '' });
  expect(left(started)).toEqual([]);
  const map = JSON.parse(readFileSync(join(started, 'dist/program/main.cjs.map'), 'utf8'));
  expect(map.sources).toContain('../../base/word.ts');
});

describe('a source', () => {
  const changes: readonly (readonly [string, (clone: string) => unknown])[] = [
    ...(isLong ? ([['that changed', change]] as const) : []),
    [
      'that is as long as before, and older',
      async (clone) => {
        const word = join(clone, 'base/word.ts');
        writeFileSync(word, readFileSync(word, 'utf8').replace('first', 'secon'));
        await utimes(word, 1e9, 1e9);
      },
    ],
  ];
  it.each(changes)('%s is compiled', async (_, act) => {
    const clone = await copy();
    await act(clone);
    const { stdout, stderr } = await start(clone);
    expect([stdout, stderr]).toEqual([
      expect.stringMatching(/^secon/),
      'predict: compiling, which takes some 10 seconds ...',
    ]);
    expect((await start(clone)).stderr).toBe('');
  });

  it.skipIf(process.getuid?.() !== 0)(
    'of a read-only clone, with a cache behind a link, is compiled too (needs root)',
    async () => {
      const [clone, cache] = [await copy(), tempFolder()];
      mkdirSync(join(cache, 'real'));
      symlinkSync('real', join(cache, 'link'));
      const run = () =>
        execa(
          'unshare',
          ['--mount', 'sh', '-ec', READ_ONLY, 'sh', clone, process.execPath, join(clone, 'launch.cjs')],
          {
            reject: false,
            env: { XDG_CACHE_HOME: join(cache, 'link'), npm_config_cache: join(cache, 'npm') },
          },
        );
      const stale = 'predict: compiling, which takes some 10 seconds ...';
      change(clone);
      expect(await run()).toMatchObject({ exitCode: 0, stdout: 'second', stderr: expect.stringContaining(stale) });
      expect(await run()).toMatchObject({ exitCode: 0, stdout: 'second', stderr: '' });
      writeFileSync(join(clone, 'base/word.ts'), "export const word = 'third';\n");
      expect(await run()).toMatchObject({ exitCode: 0, stdout: 'third', stderr: expect.stringContaining(stale) });
    },
  );

  it('that nothing imports changes nothing', async () => {
    const clone = await copy();
    writeFileSync(join(clone, 'base/other.ts'), 'export const other = ;\n');
    expect(await start(clone)).toMatchObject({ exitCode: 0, stdout: 'first', stderr: '' });
  });
});

it('a lock file that is only touched installs nothing', async () => {
  const clone = await copy();
  const now = new Date();
  await utimes(join(clone, 'package-lock.json'), now, now);
  expect(await start(clone)).toMatchObject({
    exitCode: 0,
    stdout: 'first',
    stderr: 'predict: compiling, which takes some 10 seconds ...',
  });
});

it('a program that runs reads the rest of its own build when another has taken its place', async () => {
  const clone = await copy();
  const running = start(clone, ['--later']);
  await once(running.stderr, 'data');
  change(clone);
  writeFileSync(join(clone, 'orchestrator/cli/say.ts'), 'export const say = () => console.log(0);\n');
  expect((await start(clone)).stdout).toBe('0');
  running.stdin.end();
  expect(await running).toMatchObject({ exitCode: 0, stdout: 'first' });
});

it('a build goes a day after another took its place', async () => {
  const clone = await copy();
  const [first = ''] = builds(clone);
  change(clone);
  await start(clone);
  const second = realpathSync(join(clone, 'dist/program'));
  expect(builds(clone)).toHaveLength(2);
  const past = Date.now() / 1000 - 25 * 3600;
  await utimes(join(clone, 'dist', first), past, past);
  // One that took place long ago and runs until now stays for a day too.
  await utimes(second, past, past);
  writeFileSync(join(clone, 'base/word.ts'), "export const word = 'third';\n");
  expect((await start(clone)).stdout).toBe('third');
  expect(builds(clone)).not.toContain(first);
  expect(existsSync(second)).toBe(true);
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

/** Of SIGINT at any moment see below. */
const SIGNALS = ['SIGTERM', 'SIGKILL', 'SIGINT'] as const;
describe('the launcher alone', () => {
  it.each(isLong ? SIGNALS : ['SIGTERM' as const])(
    'by %s while npm installs ends npm, keeps the old modules, and the next start works',
    async (signal) => {
      const clone = await copy();
      writeFileSync(join(clone, 'package-lock.json'), `${packages.lock}\n`);
      const { asked, release } = packages.stall();
      const running = start(clone);
      await asked;
      expect(processesIn(clone).length).toBeGreaterThan(2);
      running.kill(signal);
      expect(await running).toMatchObject({ signal });
      await vi.waitFor(() => expect(processesIn(clone)).toEqual([]), { timeout: 20_000 });
      release();
      expect(left(clone)).toEqual([]);
      expect(readdirSync(join(clone, 'node_modules'))).toContain('rolldown');
      const next = await start(clone);
      expect([next.exitCode, next.stdout, next.stderr]).toEqual([0, 'first', expect.stringContaining('installing')]);
    },
  );

  it.each(isLong ? SIGNALS : ['SIGKILL' as const])(
    'by %s while it compiles ends the compiler, keeps the old build, and the next start works',
    async (signal) => {
      const clone = await copy();
      change(clone);
      const running = start(clone);
      // It compiles for as long as it is stopped.
      process.kill(await bundlerIn(clone), 'SIGSTOP');
      running.kill(signal);
      expect(await running).toMatchObject({ signal });
      await vi.waitFor(() => expect(processesIn(clone)).toEqual([]), { timeout: 20_000 });
      expect(left(clone)).toEqual([]);
      expect(compiled(clone)).toContain('"first"');
      const next = await start(clone);
      expect([next.exitCode, next.stdout, next.stderr]).toEqual([0, 'second', expect.stringContaining('compiling')]);
    },
  );
});

it('killed at any moment, the next start works and nothing is left', async () => {
  const random = mulberry32(7);
  const moments = times(1);
  for (let moment = 0; moment < moments; moment += 1) {
    const clone = tinyClone(tempFolder(), packages.lock);
    const running = start(clone);
    await delay(((moment + random()) / moments) * firstLasts);
    running.kill(moment % 2 === 1 ? 'SIGKILL' : 'SIGINT');
    await running;
    await vi.waitFor(() => expect(processesIn(clone)).toEqual([]), { timeout: 20_000 });
    expect(await start(clone)).toMatchObject({ exitCode: 0, stdout: 'first' });
    change(clone);
    expect(await start(clone)).toMatchObject({ exitCode: 0, stdout: 'second' });
    expect(left(clone)).toEqual([]);
  }
});

it.each([
  [
    'before anything was put into place',
    (clone: string) => mkdirSync(join(clone, 'dist/first-start-x.tmp/base'), { recursive: true }),
  ],
  ['before the new build came', (clone: string) => symlinkSync('program-x', join(clone, 'dist/first-start-x.tmp'))],
  [
    'while it packed',
    (clone: string) => {
      rmSync(join(clone, 'dist/program'));
      mkdirSync(join(clone, 'dist/program'));
    },
  ],
  [
    'before the new modules came',
    (clone: string) => {
      rmSync(join(clone, 'dist/.modules'));
      renameSync(join(clone, 'node_modules'), join(clone, 'dist/first-start-x.tmp'));
    },
  ],
])('a start that a machine lost %s is made good by the next', async (_, damage) => {
  const clone = await copy();
  const gone = await execa('sh', ['-c', 'echo $$']);
  symlinkSync(gone.stdout, join(clone, 'dist/.start'));
  damage(clone);
  change(clone);
  expect(await start(clone)).toMatchObject({ exitCode: 0, stdout: 'second' });
  expect(readdirSync(join(clone, 'dist')).filter((name) => !builds(clone).includes(name))).toEqual([
    '.modules',
    'program',
  ]);
});

const ERRORS: readonly (readonly [string, string, RegExp])[] = [
  ['of syntax', 'export const word = ;\n', /Unexpected token[\s\S]*base\/word\.ts:1:21/],
  ...(isLong
    ? ([['of names', "export { word } from '../orchestrator/cli/say.ts';\n", /"word" is not exported by/]] as const)
    : []),
  ['of modules', "import 'nothing';\nexport const word = 1;\n", /'nothing' in base\/word\.ts/],
];
it.each(ERRORS)('an error %s leaves the old build, and is said in plain text', async (_, source, said) => {
  const clone = await copy();
  writeFileSync(join(clone, 'base/word.ts'), source);
  const { exitCode, stderr } = await start(clone);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(said);
  expect(stderr).toMatch(/^predict: the compiler failed, as it says above; .*\.$/m);
  expect(stderr).not.toMatch(/^ {4}at |\u001b/m);
  expect(left(clone)).toEqual([]);
  expect(compiled(clone)).toContain('"first"');
});

describe('node', () => {
  /** A folder with a `node` that says each of its starts, and the programs that `predict` takes from the PATH. */
  async function countingPath(): Promise<{ readonly path: string; readonly starts: () => number }> {
    const folder = tempFolder();
    for (const name of ['sh', 'dirname', 'readlink']) {
      symlinkSync((await execa('sh', ['-c', `command -v ${name}`])).stdout, join(folder, name));
    }
    const log = join(folder, 'starts');
    writeFileSync(log, '');
    const script = `#!/bin/sh\necho x >> "\${0%/*}/starts"\nexec ${process.execPath} "$@"\n`;
    writeFileSync(join(folder, 'node'), script, { mode: 0o755 });
    return { path: folder, starts: () => readFileSync(log, 'utf8').length / 2 };
  }

  it('is started once where nothing is to be made, also behind links', async () => {
    const { path, starts } = await countingPath();
    const links = tempFolder();
    symlinkSync(join(started, 'predict'), join(links, 'there'));
    symlinkSync('there', join(links, 'here'));
    const { stdout, stderr } = await execa(join(links, 'here'), { env: { PATH: path }, cwd: '/' });
    expect([stdout, stderr, starts()]).toEqual(['first', '', 1]);
  });

  it('that is missing or too old is named', async () => {
    const { path } = await countingPath();
    rmSync(join(path, 'node'));
    const none = await execa(join(started, 'predict'), { env: { PATH: path }, reject: false });
    expect([none.exitCode, none.stderr]).toEqual([3, 'predict needs Node.js 20 or newer on the PATH (found: none).']);
    const old = `Object.defineProperty(process, 'version', { value: 'v12.22.0' });
      Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '12.22.0' } });`;
    writeFileSync(join(path, 'old.cjs'), old);
    const words = ['--require', join(path, 'old.cjs'), join(started, 'launch.cjs')];
    const { exitCode, stderr } = await execa(process.execPath, words, { reject: false });
    expect([exitCode, stderr]).toEqual([3, 'predict needs Node.js 20 or newer on the PATH (found: v12.22.0).']);
  });
});
