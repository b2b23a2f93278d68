import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { programFile } from '../../../agents/host-programs.ts';
import type { Inventory } from '../../../inventory/inventory-schema.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import type { CommandOptions, CommandResult, Executor, RunningCommand } from '../../../orchestrator/hosts/executor.ts';
import { openRemoteStarts } from '../../../orchestrator/hosts/remote-starts.ts';
import { FakeWorld } from '../fake/world.ts';
import { localShell } from './local-shell.ts';

let folder: string;
/** Where the launcher and its daemon lie. */
let bin: string;

/** This machine as a host: commands that are started know whose host it is by HOST. */
function machine(host: string, { isGone = (): boolean => false } = {}): Executor {
  const start = async (
    [file = '', ...words]: readonly string[],
    options: CommandOptions = {},
  ): Promise<RunningCommand> => {
    if (isGone()) throw new Error(`${host}: the connection was lost.`);
    const child = spawn(file, words, { env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, HOST: host } });
    // Who ended at once reads nothing any more.
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => options.onStdout?.(chunk.toString()));
    options.signal?.addEventListener('abort', () => child.kill(), { once: true });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    const done = (async (): Promise<CommandResult> => ({
      ...{ host, exitCode: await ended, signal: null, stdout: await stdout, stderr: await stderr },
      ...{ durationMs: 0, timedOut: false, printedTooMuch: false },
    }))();
    return { done, end: () => child.stdin.end(), write: (more: string) => child.stdin.write(more) } as RunningCommand;
  };
  return { ...localShell(), host, start };
}

/** A daemon that says where it runs and with which words, and does as the file `do` beside it says. */
const DAEMON = `#!/bin/sh
printf '%s' "$HOST" > "$(dirname "$0")/$HOST.host"; printf '%s\\0' "$@" > "$(dirname "$0")/$HOST.words"
. "$(dirname "$0")/do"
`;

beforeEach(() => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'remote-starts-')));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  [folder, bin] = [join(place, 'work'), join(place, 'bin')];
  for (const made of [folder, bin]) mkdirSync(made);
  copyFileSync(programFile('agent'), join(folder, 'predict-agent'));
  writeFileSync(join(bin, 'mpirun'), '#!/bin/sh\n');
  writeFileSync(join(bin, 'orted'), DAEMON);
  for (const name of ['mpirun', 'orted']) chmodSync(join(bin, name), 0o755);
  writeFileSync(join(bin, 'do'), 'exit 0');
});

const MORE = ['--mca', 'btl', 'self,tcp', '--mca', 'mpi_show', 'all'];

async function open({ signal = new AbortController().signal, gone = '' } = {}) {
  const given = new FakeWorld(3).inventory;
  const inventory: Inventory = { ...given, work: { folder, shared: true } };
  const cluster = new Cluster(inventory, ({ name }) => machine(name, { isGone: () => name === gone }));
  const way = await openRemoteStarts(cluster, inventory.hosts, {
    ...{ timeoutMs: 20_000, noticeMs: 200 },
    ...{ signal, run: 'a1b2c3d4' },
  });
  onTestFinished(() => way.close());
  way.startedAs(['mpirun', ...MORE, 'hostname']);
  const environment = Object.fromEntries([readFileSync(way.environment, 'utf8').trim().split('=')]);
  const ask = (...words: string[]) => execa(way.agent, words, { reject: false, env: environment });
  const stranger = (...words: string[]) => execa(way.agent, words, { reject: false });
  return { way, ask, stranger };
}

/** As Open MPI 4 asks for its daemon, in pieces that a shell would join. */
const daemon = (vpid: number, program = 'orted'): string[] => [
  ...[` ${program}`, '--daemonize', '-mca', 'ess', '"env"', '-mca', 'ess_base_vpid', String(vpid)],
  ...['-mca', 'orte_hnp_uri', '"1313210368.0;tcp://10.77.255.1:33935"', '--mca', 'btl', '"self,tcp"'],
];
const wordsOf = (host: string): string[] =>
  readFileSync(join(bin, `${host}.words`), 'utf8')
    .split('\0')
    .slice(0, -1);
const begun = (): string[] => readdirSync(bin).filter((name) => name.endsWith('.host'));

describe("predict's own way from the head to the other hosts", () => {
  test('starts the daemon of the launcher, with its words, on the host that is named', async () => {
    const { ask } = await open();
    writeFileSync(join(bin, 'do'), 'echo "to say" >&2; exit 4');
    const answers = await Promise.all([ask('-x', 'n2', ...daemon(1)), ask('n3', ...daemon(2))]);
    expect(answers.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
      [4, 'to say'],
      [4, 'to say'],
    ]);
    expect(begun()).toEqual(['n2.host', 'n3.host']);
    const uri = ['-mca', 'orte_hnp_uri', '1313210368.0;tcp://10.77.255.1:33935', '--mca', 'btl', 'self,tcp'];
    expect(wordsOf('n3')).toEqual(['--daemonize', '-mca', 'ess', 'env', '-mca', 'ess_base_vpid', '2', ...uri]);
  });

  test("leaves out what stands before it for a login shell, and has the launcher's own libraries found", async () => {
    const { ask } = await open();
    writeFileSync(join(bin, 'do'), 'printf %s "$LD_LIBRARY_PATH" >&2');
    const before = `set path = ( ${bin} $path ) ; touch ${join(bin, 'touched.host')} ; export PATH ;  `;
    const { exitCode, stderr } = await ask('n2', `${before} ${daemon(1, join(bin, 'orted')).join(' ').trim()}`);
    expect([exitCode, stderr.split(':').slice(0, 2)]).toEqual([0, [`${dirname(bin)}/lib`, `${dirname(bin)}/lib64`]]);
    expect(begun()).toEqual(['n2.host']);
  });

  test.each<[string, string[], RegExp]>([
    ['another program', ['id; echo pwned'], /'echo' is not a daemon of the launcher/],
    ['a shell', ['sh', '-c', '"id"'], /'sh' is not a daemon/],
    ['a daemon from elsewhere', daemon(1, '/tmp/orted'), /\/tmp\/orted does not lie beside the launcher/],
    [
      'a library to load',
      [...daemon(1), '--mca', 'mca_base_component_path', '/tmp'],
      /mca_base_component_path may not have the value '\/tmp'/,
    ],
    [
      'a program to start by',
      [...daemon(1), '-mca', 'orte_fork_agent', '/tmp/x'],
      /orte_fork_agent may not have the value '\/tmp\/x'/,
    ],
    [
      'another value than the launcher was told',
      [...daemon(1), '--mca', 'btl', 'openib'],
      /btl may not have the value 'openib'/,
    ],
    ['an option that is none', [...daemon(1), '--run', 'x'], /'--run' is not an option of a daemon/],
    ['a quote without an end', ["orted '"], /'' is not a daemon/],
  ])('starts nothing else: %s', async (_, words, why) => {
    const { ask } = await open();
    const { exitCode, stderr } = await ask('n2', ...words);
    expect(exitCode).toBe(255);
    expect(stderr).toMatch(why);
    expect(begun()).toEqual([]);
  });

  test('starts nothing for who does not know the token, and each host once', async () => {
    const { ask, stranger } = await open();
    const refused = await stranger('n2', ...daemon(1));
    expect([refused.exitCode, refused.stderr]).toEqual([
      255,
      'only the launcher of this run may start processes on other hosts',
    ]);
    expect(begun()).toEqual([]);
    expect((await ask('n2', ...daemon(1))).exitCode).toBe(0);
    const again = await ask('n2', ...daemon(1));
    expect([again.exitCode, again.stderr]).toEqual([255, 'n2 is not a host of this run that waits to be started']);
  });

  test('answers 255, as ssh does, for a host that is not of the run or out of reach', async () => {
    const { ask } = await open({ gone: 'n3' });
    const [stranger, gone] = await Promise.all([ask('elsewhere', ...daemon(1)), ask('n3', ...daemon(1))]);
    expect([stranger.exitCode, stranger.stderr]).toEqual([
      255,
      'elsewhere is not a host of this run that waits to be started',
    ]);
    expect([gone.exitCode, gone.stderr]).toEqual([255, 'n3: the connection was lost.']);
  });

  test('answers a daemon that goes into the background at once, and ends it with the run', async () => {
    const { way, ask } = await open();
    writeFileSync(
      join(bin, 'do'),
      `setsid sh -c 'trap "" TERM; echo $$ > ${join(bin, 'pid')}; exec sleep 900' & exit 0`,
    );
    expect((await ask('n2', ...daemon(1))).exitCode).toBe(0);
    await expect.poll(() => readdirSync(bin)).toContain('pid');
    const isAlive = (): boolean => {
      try {
        return process.kill(Number(readFileSync(join(bin, 'pid'), 'utf8')), 0);
      } catch {
        return false;
      }
    };
    expect(isAlive()).toBe(true);
    await way.close();
    expect(isAlive()).toBe(false);
    expect(readdirSync(folder)).toEqual(['predict-agent']);
  });

  test('tells of a daemon that ends in the background while the launcher goes on, and of none that ends with its run', async () => {
    const { way, ask } = await open();
    writeFileSync(join(bin, 'do'), `setsid sh -c 'while [ ! -e ${bin}/go ]; do sleep 0.05; done; kill -9 $$' & exit 0`);
    expect((await ask('n2', ...daemon(1))).exitCode).toBe(0);
    expect(way.lost.aborted).toBe(false);
    writeFileSync(join(bin, 'go'), '');
    await expect.poll(() => way.lost.aborted, { timeout: 5000 }).toBe(true);
    expect(way.lost.reason).toBe("n2: the launcher's daemon there ended before its run (orted ended).");
    const other = await open();
    expect((await other.ask('n2', ...daemon(1))).exitCode).toBe(0);
    await other.way.close();
    await delay(400);
    expect(other.way.lost.aborted).toBe(false);
  });

  test('hears nothing but requests from a head that was opened', async () => {
    const { ask, way } = await open();
    const starts = dirname(way.agent);
    const lie = Buffer.from('/tmp/orted\0').toString('base64');
    writeFileSync(join(starts, '7.words'), `x\nlauncher ${lie}\n`);
    // What the reader passes on is one line, whoever wrote the file.
    await execa('sh', ['-c', 'printf "7\\n../7\\n" > "$1"', 'sh', join(starts, 'ask')]);
    const { exitCode, stderr } = await ask('n2', ...daemon(1, '/tmp/orted'));
    expect([exitCode, stderr]).toEqual([255, expect.stringMatching(/\/tmp\/orted does not lie beside the launcher/)]);
  });

  test('says what keeps it from being opened', async () => {
    rmSync(folder, { recursive: true });
    await expect(open()).rejects.toThrow(/n1: remote starts on the other hosts could not be prepared in .*starts-/);
  });
});
