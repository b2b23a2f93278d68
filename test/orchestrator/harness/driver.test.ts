import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildHostPrograms } from '../../../agents/build.ts';
import { projectRoot } from '../../../base/paths.ts';
import { parseInventory } from '../../../inventory/load-inventory.ts';
import { launchScript, writeDriver } from '../../../orchestrator/driver/write-driver.ts';
import { tempFolder } from '../../experiments/make.ts';
import { writeCoreStubs } from './core-stubs.ts';
import { HERE, processesOf, replaceKernel } from './distribution.ts';

const GRAPHS = join(projectRoot(), 'test/fixtures/graphalytics/example');
const THREE = parseInventory(
  "cluster: c\nhosts: ['n[1-3]']\nnetwork: {interface: eth0}\nlineRate: 1gbit\nranksPerNode: 2\nmpi: {env: {X: \"it's $HOME\"}}\n",
  '/c.yaml',
);
let agent = '';
beforeAll(async () => {
  agent = (await buildHostPrograms()).agent;
});

/** A driver whose kernel is this shell script, on this machine's one host. */
async function driverWith(kernel: string): Promise<string> {
  const folder = join(tempFolder(), 'driver');
  await writeDriver(folder, { inventory: HERE, programs: [agent] });
  replaceKernel(folder, kernel);
  return folder;
}

const script = (folder: string, name: string, args: readonly string[]) =>
  execa(join(folder, 'bin/sh', name), args, { reject: false, stdin: 'ignore' });

const load = (folder: string, loaded: string, edges = join(GRAPHS, 'example-directed.e')) =>
  script(folder, 'load-graph.sh', [
    ...['--graph-name', 'g', '--input-vertex-path', join(GRAPHS, 'example-directed.v'), '--input-edge-path', edges],
    ...['--output-path', loaded, '--directed', 'true', '--weighted', 'true'],
  ]);

describe('launch.sh', () => {
  const run = async (inventory: typeof THREE, env: Record<string, string> = {}) => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'launch.sh'), launchScript(inventory).replace('exec "$@"', `printf '%s\\n' "$@"`));
    return execa('sh', [join(folder, 'launch.sh'), 'prog', 'a b', ''], { reject: false, env });
  };

  test('starts as many hosts as asked for, all without, in the words of the launcher', async () => {
    const words = (await run(THREE, { PREDICT_NODES: '2' })).stdout.split('\n');
    expect(words.slice(0, 1)).toEqual(['env']);
    expect(words.slice(words.indexOf('--host'), words.indexOf('--host') + 4)).toEqual([
      ...['--host', 'n1:2,n2:2', '-np', '4'],
    ]);
    expect(words).toContain("X=it's $HOME");
    expect(words.slice(-3)).toEqual(['prog', 'a b', '']);
    expect((await run(THREE)).stdout).toContain('n1:2,n2:2,n3:2');
  });

  test.each([
    [{ PREDICT_NODES: '4' }, /4 is not a number of hosts from 1 to 3/],
    [{ PREDICT_NODES: 'x' }, /x is not a number of hosts/],
    [{ PREDICT_NODES: '2', PREDICT_HOSTS: 'n1,n9' }, /for the hosts n1,n2, not for n1,n9/],
  ])('refuses %j', async (env, message) => {
    const { exitCode, stderr } = await run(THREE, env);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('the folder', () => {
  test('is written again over one of ours, and nowhere else', async () => {
    const folder = await driverWith('true');
    await writeDriver(folder, { inventory: THREE, programs: [] });
    expect(readFileSync(join(folder, 'bin/sh/launch.sh'), 'utf8')).toContain('n1,n2,n3');
    const platform = readFileSync(join(folder, 'config-template/platform.properties'), 'utf8');
    expect(platform).toContain('platform.predict.num-machines = 3');
    const other = tempFolder();
    writeFileSync(join(other, 'mine.txt'), '');
    await expect(writeDriver(other, { inventory: THREE, programs: [] })).rejects.toThrow(/contains something other/);
    await expect(writeDriver(join(other, 'mine.txt'), { inventory: THREE, programs: [] })).rejects.toThrow(
      /is not a folder/,
    );
  });

  test('has scripts that dash reads', async () => {
    const folder = await driverWith('true');
    for (const name of ['load-graph', 'execute-job', 'unload-graph', 'terminate-job', 'compile-benchmark', 'launch']) {
      await execa('dash', ['-n', join(folder, `bin/sh/${name}.sh`)]);
    }
  });
});

describe('its scripts', () => {
  const ECHO = 'if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then printf "%s\\n" "$@"; fi';

  test("hand the harness's options to the kernel, whatever else is said", async () => {
    const folder = await driverWith(ECHO);
    const [loaded, out] = [join(folder, 'in terms $x/g'), join(folder, 'out put/r1/r1')];
    const { exitCode: status, stdout: said } = await load(folder, loaded);
    expect([status, said.split('\n').slice(0, 2)]).toEqual([0, ['--algorithm', 'wcc']]);
    const cache = said.split('\n').at(-1);
    expect(cache).toMatch(/\/driver\/cache-\d+$/);
    const { exitCode, stdout } = await script(folder, 'execute-job.sh', [
      ...['--job-id', 'r1', '--log-path', join(folder, 'a log'), '--directed', 'true', '--algorithm', 'pr'],
      ...['--home-dir', '--new-flag', '--other', 'x', '--damping-factor', '0.85', '--max-iteration', '14'],
      ...['--input-path', loaded, '--output-path', out, '--num-machines', '1', '--num-threads', '4'],
    ]);
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual([
      ...['--algorithm', 'pr', '--vertices', join(GRAPHS, 'example-directed.v')],
      ...['--edges', join(GRAPHS, 'example-directed.e'), '--directed', 'true', '--weighted', 'true'],
      ...['--output', out, '--graph-cache', cache, '--iterations', '14', '--damping', '0.85'],
    ]);
    expect(existsSync(join(folder, 'out put/r1'))).toBe(true);
    expect(Number(readFileSync(join(folder, 'a log/executable.pid'), 'utf8'))).toBeGreaterThan(1);
  });

  test('unloading removes what loading made, and leaves what others put there', async () => {
    const folder = await driverWith('true');
    const loaded = join(folder, 'loaded');
    await load(folder, loaded);
    const cache = readFileSync(join(loaded, 'graph.conf'), 'utf8').trim().split('\n').at(-1) ?? '';
    mkdirSync(cache);
    writeFileSync(join(cache, 'part-0'), '');
    writeFileSync(join(loaded, 'mine.txt'), '');
    expect((await script(folder, 'unload-graph.sh', ['--graph-name', 'g', '--output-path', loaded])).exitCode).toBe(0);
    expect([existsSync(cache), existsSync(join(loaded, 'graph.conf'))]).toEqual([false, false]);
    expect(existsSync(join(loaded, 'mine.txt'))).toBe(true);
    // What was never loaded, as after a load that failed.
    const again = await script(folder, 'unload-graph.sh', ['--graph-name', 'g', '--output-path', folder]);
    expect([again.exitCode, existsSync(join(folder, 'README.md'))]).toEqual([0, true]);
  });

  test('a load that fails leaves nothing', async () => {
    const folder = await driverWith('exit 2');
    const before = readdirSync(folder);
    expect((await load(folder, join(folder, 'loaded'))).exitCode).toBe(2);
    expect(readdirSync(folder)).toEqual(before);
  });

  test.each([
    ['edges that are not there', join(GRAPHS, 'none.e'), /the file '.*none\.e' cannot be read/],
    ['no edges', '', /the file '' cannot be read/],
  ])('loading %s fails', async (_, edges, message) => {
    const folder = await driverWith('true');
    const { exitCode, stderr } = await load(folder, join(folder, 'loaded'), edges);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });

  test.each([
    ['a graph that is not loaded', '/nowhere', 'bfs', /there is no graph in '\/nowhere'/],
    ['an unknown algorithm', '', 'tc', /'tc' is no algorithm of the benchmark/],
  ])('executing on %s fails', async (_, input, algorithm, message) => {
    const folder = await driverWith('true');
    const loaded = join(folder, 'loaded');
    if (input === '') await load(folder, loaded);
    const { exitCode, stderr } = await script(folder, 'execute-job.sh', [
      ...['--algorithm', algorithm, '--input-dir', input || loaded, '--output-file', join(folder, 'out')],
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });

  test.each(['kill', 'terminate-job.sh'])('no rank outlives its job after %s', async (way) => {
    const mark = `98${process.pid}`;
    const folder = await driverWith(`case $* in *--output*) exec sleep ${mark} ;; esac`);
    const [loaded, log] = [join(folder, 'loaded'), join(folder, 'log')];
    await load(folder, loaded);
    const job = script(folder, 'execute-job.sh', [
      ...['--algorithm', 'wcc', '--input-dir', loaded, '--output-file', join(folder, 'out'), '--log-path', log],
    ]);
    await expect.poll(() => processesOf(`^sleep ${mark}`), { timeout: 20_000 }).toHaveLength(2);
    if (way === 'kill') process.kill(Number(readFileSync(join(log, 'executable.pid'), 'utf8')), 'SIGKILL');
    else expect((await script(folder, way, ['--job-id', 'r1', '--log-path', log])).exitCode).toBe(0);
    await expect.poll(() => processesOf(`sleep ${mark}`), { timeout: 20_000 }).toEqual([]);
    expect((await job).signal).toBe('SIGKILL');
  });

  test('terminating a job that has ended touches nobody', async () => {
    const folder = await driverWith('true');
    writeFileSync(join(folder, 'executable.pid'), `${process.pid}\n`);
    expect((await script(folder, 'terminate-job.sh', ['--log-path', folder])).exitCode).toBe(0);
  });
});

const noJdk = await execa('javac', ['-version']).then(
  () => false,
  () => true,
);

test.skipIf(noJdk)('the Java class compiles, and does what the harness asks of a platform', async () => {
  const folder = await driverWith(
    '[ "$OMPI_COMM_WORLD_RANK" != 0 ] || printf "%s\\n" "Processing starts at 1700000000000" "Processing ends at 1700000000001" "processing_time: 0.000321"',
  );
  // Short programs: compiling them well would take longer than running them.
  const env = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };
  const core = tempFolder();
  await execa('javac', ['-nowarn', '-d', core, ...writeCoreStubs(join(core, 'src'))], { env });
  await execa('jar', ['cf', join(core, 'core.jar'), '-C', core, 'science'], { env });
  await execa(join(folder, 'bin/sh/compile-benchmark.sh'), [join(core, 'core.jar')], { env });
  // As the harness's own script goes on: prepare-benchmark.sh says where the classes are.
  writeFileSync(join(folder, 'config-template/platform.properties'), 'platform.predict.num-machines = 1\n');
  const { stdout } = await execa(
    'bash',
    [
      '-ec',
      'config=config-template; . bin/sh/prepare-benchmark.sh; exec java -cp "$config:$LIBRARY_JAR:$platform_classpath" science.atlarge.graphalytics.Drive "$1"',
      'bash',
      GRAPHS,
    ],
    { cwd: folder, env },
  );
  // The kernel's own figure is finer than the two lines.
  expect(stdout.split('\n').slice(-2)).toEqual(['T_proc 0.000321', 'platform predict']);
  expect(existsSync(join(folder, 'intermediate/example-directed'))).toBe(false);
});
