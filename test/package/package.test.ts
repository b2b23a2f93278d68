import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram, projectRoot } from '../../base/paths.ts';
import { CleanRoot } from './clean-root.ts';

const place = mkdtempSync(join(tmpdir(), 'package-'));
const prefix = join(place, 'installed');
const modules = join(prefix, 'lib/node_modules/predict');
const MAIN = '/opt/lib/node_modules/predict/dist/program/main.cjs';
/** Without it hosts of the other kind compile their agent. */
const hasCross = findProgram('aarch64-linux-gnu-gcc') !== undefined;
let tarball = '';
let root: CleanRoot;

beforeAll(async () => {
  chmodSync(place, 0o755);
  await execa('npm', ['pack', '--pack-destination', place], { cwd: projectRoot() });
  tarball = join(place, readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '');
  await execa('npm', ['install', '-g', '--ignore-scripts', '--prefix', prefix, tarball]);
  const duckdb = join(modules, 'node_modules/@duckdb');
  const bindings =
    readdirSync(duckdb).find((name) => name.startsWith('node-bindings-') && !name.endsWith('musl')) ?? '';
  const native = readdirSync(join(duckdb, bindings)).filter((name) => /\.node$|\.so$/.test(name));
  root = await CleanRoot.make(
    join(place, 'root'),
    native.map((name) => join(duckdb, bindings, name)),
  );
  cpSync(join(projectRoot(), 'test/fixtures/campaigns/schema-1'), join(root.folder, 'home/ann/first'), {
    recursive: true,
  });
  await execa('chown', ['-R', '1234:1234', join(root.folder, 'home/ann')]);
});

const predict = (words: readonly string[], env?: Readonly<Record<string, string>>) =>
  root.node(prefix, [MAIN, ...words], env);

test('the tarball has what is built, the sources that are compiled on clusters, and no tests', async () => {
  const { stdout } = await execa('tar', ['tzf', tarball]);
  const names = stdout.split('\n').map((line) => line.slice('package/'.length));
  expect(names).toEqual(
    expect.arrayContaining([
      ...[
        'LICENSE',
        'CHANGELOG.md',
        'npm-shrinkwrap.json',
        'docs/report.png',
        'dist/man/predict.1',
        'dist/program/main.cjs',
      ],
      ...['dist/hosts/x86_64/predict-agent', 'agents/host/main.c', 'agents/graph500/main.c'],
      ...(hasCross ? ['dist/hosts/aarch64/predict-agent'] : []),
    ]),
  );
  expect(names.filter((name) => /(?:^|\/)test\/|\.ts$|agents\/host\/check/.test(name))).toEqual([]);
  const shrinkwrap = JSON.parse(readFileSync(join(modules, 'npm-shrinkwrap.json'), 'utf8'));
  const own = JSON.parse(readFileSync(join(projectRoot(), 'package-lock.json'), 'utf8'));
  expect(shrinkwrap.packages['node_modules/ssh2']).toEqual(own.packages['node_modules/ssh2']);
  expect(shrinkwrap.packages['node_modules/vitest']).toBeUndefined();
  expect(existsSync(join(projectRoot(), 'npm-shrinkwrap.json'))).toBe(false);
});

describe.skipIf(process.getuid?.() !== 0)(
  'in a root with nothing but Node, installed read-only, as no one (needs root)',
  () => {
    test.each([
      [['--version'], /^\d+\.\d+\.\d+$/m],
      [['fit', '/home/ann/first'], /scale 13/],
      [['compare', '/home/ann/first'], /Eq 7/],
      [['project', '/home/ann/first', '--nodes', '9,16'], /^ +13 +16 +100 +- +no prediction/m],
      [['plan', '/home/ann/first', '--nodes', '4..64'], /^ +13 +64 +100 +- +no prediction/m],
      [['advise', '/home/ann/first', '--target', 'nodes=16,bw=100,scale=13', '--budget', '1'], /nodes/],
      [['report', '/home/ann/first', '--out', '/home/ann/page.html'], /Report: \/home\/ann\/page\.html/],
      [['export', '/home/ann/first', '--format', 'csv', '--out', '/home/ann/rows.csv'], /rows\.csv/],
      [['import', '/home/ann/rows.csv'], /Bfs +ct +8/],
      [['grade10', '/home/ann/first'], /load imbalance/],
      [['status', '/home/ann/first'], /12 of 12 cells done/],
      [['campaign', 'check', '/home/ann/first', '--repair'], /first is intact/],
      [['sweep', '--nodes', '4,9', '--dry-run', '--scales', '20', '--roots', '4'], /46 cells/],
      [['completion', 'bash'], /complete .* predict/],
    ])('predict %j', async (words, said) => {
      const { exitCode, stdout, stderr } = await predict(words);
      expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
      expect(stdout).toMatch(said);
    });

    test('what needs a lab says what it lacks', async () => {
      const { exitCode, stderr } = await predict(['sweep', '--nodes', '4']);
      expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/This machine lacks|needs root/)]);
    });
  },
);

describe('unpacked (README)', () => {
  /** A folder with the package's own files, and npm's answer to installing what it needs. */
  async function unpack(change: (folder: string) => void = () => undefined) {
    const folder = mkdtempSync(join(place, 'unpacked-'));
    await execa('tar', ['xzf', tarball, '--strip-components', '1', '-C', folder]);
    change(folder);
    const npm = await execa('npm', ['install', '--omit=dev', '--ignore-scripts', '--prefix', folder], {
      reject: false,
      cwd: place,
    });
    return { folder, npm };
  }

  test('npm installs the versions of the lock file, and the command is a file to link to', async () => {
    const { folder, npm } = await unpack();
    expect(npm.exitCode).toBe(0);
    const lock = JSON.parse(readFileSync(join(projectRoot(), 'package-lock.json'), 'utf8'));
    const installed = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
    const paths = Object.keys(installed.packages);
    expect(paths.length).toBeGreaterThan(5);
    const versionsOf = (packages: Readonly<Record<string, { version: string; integrity: string }>>) =>
      paths.map((path) => [path, packages[path]?.version, packages[path]?.integrity]);
    expect(versionsOf(installed.packages)).toEqual(versionsOf(lock.packages));
    symlinkSync(join(folder, 'dist/program/main.cjs'), join(folder, 'predict'));
    expect((await execa(join(folder, 'predict'), ['--version'])).stdout).toBe(lock.version);
  });

  test('npm rejects a package that is not as it was', async () => {
    const { folder, npm } = await unpack((own) => {
      const file = join(own, 'npm-shrinkwrap.json');
      const shrinkwrap = JSON.parse(readFileSync(file, 'utf8'));
      shrinkwrap.packages['node_modules/ssh2'].integrity = `sha512-${'a'.repeat(86)}==`;
      writeFileSync(file, JSON.stringify(shrinkwrap));
    });
    expect([npm.exitCode === 0, npm.stderr]).toEqual([false, expect.stringContaining('EINTEGRITY')]);
    expect(existsSync(join(folder, 'node_modules/ssh2'))).toBe(false);
  });
});

test('npx runs it from the tarball', async () => {
  const cwd = mkdtempSync(join(place, 'npx-'));
  const { stdout } = await execa('npx', ['--yes', '--ignore-scripts', '--package', tarball, 'predict', '--version'], {
    cwd,
  });
  expect(stdout).toBe(JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')).version);
});

test('the man page is one that man reads without a complaint', async () => {
  const page = join(modules, 'dist/man/predict.1');
  const { stdout, stderr } = await execa('man', ['--warnings', '-l', page], {
    env: { LC_ALL: 'C.UTF-8', MANWIDTH: '100' },
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('PREDICT_INVENTORY');
  expect(stdout).toContain('inventory check');
});

describe('the agent', () => {
  test.runIf(hasCross)(
    'of the package is static and speaks for arm64 too, here in an emulator (needs a cross compiler)',
    async () => {
      const agent = join(modules, 'dist/hosts/aarch64/predict-agent');
      expect((await execa('file', [agent]).catch(() => execa('readelf', ['-hd', agent]))).stdout).toMatch(
        /statically linked|AArch64[\s\S]*no dynamic section/,
      );
      const { stdout } = await execa('qemu-aarch64', [agent, 'facts', '--interface', 'lo']);
      expect(JSON.parse(stdout)).toMatchObject({ dataInterface: 'lo', cores: expect.any(Number) });
      const guard = await execa('qemu-aarch64', [agent, 'guard', '--', 'sh', '-c', 'exit 7'], {
        reject: false,
        stdin: 'pipe',
      });
      expect(guard.exitCode).toBe(7);
    },
  );

  test('of this machine runs without a library', async () => {
    expect(statSync(join(modules, 'dist/hosts/x86_64/predict-agent')).mode & 0o111).not.toBe(0);
    const agent = join(modules, 'dist/hosts/x86_64/predict-agent');
    const ldd = await execa('ldd', [agent], { reject: false, all: true });
    expect(ldd.all).toMatch(/not a dynamic executable|statically linked/);
  });
});
