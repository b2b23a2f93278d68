import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Inventory } from '../../../inventory/index.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import type { CommandOptions, CommandResult, Executor, RunningCommand } from '../../../orchestrator/hosts/executor.ts';
import { openRemoteStarts } from '../../../orchestrator/hosts/remote-starts.ts';
import { FakeWorld } from '../fake/world.ts';
import { localShell } from './local-shell.ts';

/** This machine as a host: commands that are started run in a shell which knows whose host it is by HOST. */
function machine(host: string, { isGone = (): boolean => false, shell = '/bin/sh' } = {}): Executor {
  const start = async (command: string, options: CommandOptions = {}): Promise<RunningCommand> => {
    if (isGone()) throw new Error(`${host}: the connection was lost.`);
    const child = spawn('sh', ['-c', command], { env: { ...process.env, HOST: host, SHELL: shell } });
    child.stdout.on('data', (chunk: Buffer) => options.onStdout?.(chunk.toString()));
    options.signal?.addEventListener('abort', () => child.kill(), { once: true });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    const done = (async (): Promise<CommandResult> => ({
      ...{ host, exitCode: await ended, signal: null, stdout: await stdout, stderr: await stderr },
      ...{ durationMs: 0, timedOut: false, printedTooMuch: false },
    }))();
    return { done, end: () => child.stdin.end(), write: (words: string) => child.stdin.write(words) } as RunningCommand;
  };
  return { ...localShell(), host, start };
}

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'remote-starts-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

async function open({ signal = new AbortController().signal, gone = '', shell = '/bin/sh' } = {}) {
  const given = new FakeWorld(3).inventory;
  const inventory: Inventory = { ...given, work: { folder, shared: true } };
  const cluster = new Cluster(inventory, ({ name }) => machine(name, { isGone: () => name === gone, shell }));
  const way = await openRemoteStarts(cluster, inventory.hosts, { timeoutMs: 20_000, signal });
  onTestFinished(() => way.close());
  const ask = (...words: string[]) => execa(way.agent, words, { reject: false });
  return { way, ask };
}

describe("predict's own way from the head to the other hosts", () => {
  test('runs what a launcher asks for on the host that it names', async () => {
    const { ask } = await open();
    const file = join(folder, 'said');
    const answers = await Promise.all([
      ask('-x', 'n2', `echo "$HOST" 'a  b' > ${file}; exit 3`),
      ask('n3', 'echo', "'to say'", ';', 'exit 4'),
    ]);
    expect(answers.map(({ exitCode }) => exitCode)).toEqual([3, 4]);
    expect(answers[1].stderr).toBe('to say');
    expect((await execa('cat', [file])).stdout).toBe('n2 a  b');
  });

  test.each([
    ['/usr/bin/fish', '( test ! -r ./.profile-x || . ./.profile-x; echo "said" )', 'said'],
    [join(import.meta.dirname, 'no-csh'), 'echo said', expect.stringContaining('no-csh: not found')],
  ])('writes for csh where that is the login shell, for sh elsewhere: %s', async (shell, command, said) => {
    const { ask } = await open({ shell });
    expect((await ask('n2', command)).stderr).toEqual(said);
  });

  test('carries many at once, each with its own answer', async () => {
    const { ask } = await open();
    const warnings: Error[] = [];
    const take = (warning: Error) => warnings.push(warning);
    process.on('warning', take);
    onTestFinished(() => void process.off('warning', take));
    const codes = Array.from({ length: 12 }, (_, index) => index + 1);
    const asked = codes.map((code) => ask(code % 2 === 0 ? 'n2' : 'n3', `exit ${code}`));
    expect((await Promise.all(asked)).map(({ exitCode }) => exitCode)).toEqual(codes);
    expect(warnings).toEqual([]);
  });

  test('answers 255, as ssh does, for a host that is not of the run or out of reach', async () => {
    const { ask } = await open({ gone: 'n3' });
    const [stranger, gone] = await Promise.all([ask('elsewhere', 'true'), ask('n3', 'true')]);
    expect([stranger.exitCode, stranger.stderr]).toEqual([255, 'elsewhere is no host of this run']);
    expect([gone.exitCode, gone.stderr]).toEqual([255, 'n3: the connection was lost.']);
  });

  test('ends with the run: what still runs is ended, and nothing is left on the head', async () => {
    const { way, ask } = await open();
    const file = join(folder, 'begun');
    const long = ask('n2', `echo > ${file}; exec sleep 60`);
    await expect.poll(() => readdirSync(folder)).toContain('begun');
    const before = performance.now();
    await way.close();
    expect(performance.now() - before).toBeLessThan(8000);
    expect(readdirSync(folder)).toEqual(['begun']);
    long.kill();
  });

  test('says what keeps it from being opened', async () => {
    rmSync(folder, { recursive: true });
    await expect(open()).rejects.toThrow(/n1: the way to the other hosts could not be opened in .*starts-/);
  });
});
