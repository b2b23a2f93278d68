import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clusterSource, programFile } from '../../../agents/host-programs.ts';
import { underAnyShell } from '../../../base/shell.ts';
import type { Inventory } from '../../../inventory/inventory-schema.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import type { CommandOptions, CommandResult, Executor, RunningCommand } from '../../../orchestrator/hosts/executor.ts';
import { openRemoteStarts } from '../../../orchestrator/hosts/remote-starts.ts';
import { deployFiles, findWorkFolder } from '../../../orchestrator/hosts/work-folder.ts';
import { times } from '../../times.ts';
import { FakeWorld } from '../fake/world.ts';

/** What `sh` is, as the words of a shell; so many names for each. */
const SHELLS = ['dash', 'bash', 'busybox'];
const NAMES = times(6);

/** A folder that goes with its test, each step to it root's alone. */
function place(): string {
  const folder = mkdtempSync('/var/lib/predict-names-');
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** This machine as a host whose `sh` and login shell is a shell. */
function host(bin: string, env: Readonly<Record<string, string>>): Executor {
  const start = async (words: readonly string[], options: CommandOptions = {}): Promise<RunningCommand> => {
    const child = spawn(join(bin, 'sh'), ['-c', underAnyShell(words)], {
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, ...env },
    });
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => options.onStdout?.(chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    const done = (async (): Promise<CommandResult> => ({
      ...{ host: 'n1', exitCode: await ended, signal: null, stdout: await stdout, stderr: await stderr },
      ...{ durationMs: 0, timedOut: false, printedTooMuch: false },
    }))();
    if (options.input !== undefined) child.stdin.write(options.input);
    return { done, end: () => void child.stdin.end(), write: (more) => void child.stdin.write(more) };
  };
  return {
    host: 'n1',
    sshPort: 22,
    start,
    exec: async (words, options) => {
      const running = await start(words, options);
      running.end();
      return running.done;
    },
    send: async (from, to) => copyFileSync(from, to),
    fetch: async () => null,
    close: () => undefined,
  };
}

const name = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          ' ',
          "'",
          '"',
          '$',
          '`',
          '\n',
          ';',
          '-',
          '*',
          '~',
          '\\',
          '&',
          '(',
          '#',
          '!',
          '{',
          '=',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(' -rf ', '$(id)', '$HOME', ' / ', "' '", '" "', '..', '/', ' x/y ', '-- '),
      },
      { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(...'abcxyz019._'), minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 3 }) },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))
  // A step up leads out of the folder that is watched.
  .filter((made) => made !== '' && !made.split('/').includes('..'));

/** Folders of strangers that a name leads to when a shell splits it, each with a file in it. */
function putCanaries(at: string, made: string): string[] {
  const whole = join(at, made);
  const cuts = [...whole].flatMap((character, index) => (/[\s'"$`;&(*~\\#!{=-]/.test(character) ? [index] : []));
  const near = cuts.flatMap((cut) => [whole.slice(0, cut), join(at, whole.slice(cut + 1))]);
  const files: string[] = [];
  for (const folder of new Set([...near, join(at, 'x'), join(at, 'y')])) {
    if (!folder.startsWith(`${at}/`) || folder === whole || whole.startsWith(`${folder}/`)) continue;
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'canary'), '');
      files.push(join(folder, 'canary'));
    } catch {
      // A name that no file may have.
    }
  }
  return files;
}

describe.skipIf(process.getuid?.() !== 0)('folders of any name (needs root)', () => {
  test.each(SHELLS)('cost a stranger nothing where sh is %s', async (shell) => {
    const bin = join(place(), 'bin');
    mkdirSync(bin);
    const program = shell === 'busybox' ? '/bin/busybox' : `/bin/${shell}`;
    expect(existsSync(program), `${program} is not installed: ./predict setup`).toBe(true);
    symlinkSync(realpathSync(program), join(bin, 'sh'));
    writeFileSync(join(bin, 'mpicc'), '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done; echo > "$2"\n', {
      mode: 0o755,
    });
    const source = clusterSource('graphalytics');
    const given = new FakeWorld(2).inventory;
    let canaries = 0;
    await fc.assert(
      fc.asyncProperty(name, fc.boolean(), async (made, isHome) => {
        const at = mkdtempSync(join(place(), 'at-'));
        chmodSync(at, 0o755);
        const files = putCanaries(at, made);
        canaries += files.length;
        const folder = join(at, made);
        const executor = host(bin, isHome ? { HOME: folder } : {});
        // As the inventory and the hosts are asked for it: it works, or it is rejected.
        await findWorkFolder(executor, isHome ? undefined : folder).catch(() => undefined);
        // And whatever they think of it.
        const inventory: Inventory = { ...given, work: { folder, shared: true } };
        const cluster = new Cluster(inventory, () => executor);
        mkdirSync(folder, { recursive: true });
        await deployFiles(executor, [programFile('agent')], folder);
        const options = { timeoutMs: 20_000, signal: new AbortController().signal, run: 'a1b2c3d4' };
        const way = await openRemoteStarts(cluster, inventory.hosts, options);
        await way.close();
        const compiled = await executor.exec(
          source.command({ folder: `${folder}/p`, file: 'built', compiler: join(bin, 'mpicc') }),
          {
            input: 'mpi/one.c IyBub25lCg==\n',
          },
        );
        expect(compiled.stderr).toBe('');
        expect(
          readdirSync(folder)
            .sort()
            .filter((each) => each !== 'canary'),
        ).toEqual(expect.arrayContaining(['p', 'predict-agent']));
        await cluster.remove(inventory.hosts, 'p');
        await cluster.remove(inventory.hosts, 'predict-agent');
        expect(readdirSync(folder).filter((each) => /^(p|predict-agent|starts-.*)(\..*)?$/.test(each))).toEqual([]);
        expect(files.filter((file) => !existsSync(file))).toEqual([]);
      }),
      { numRuns: NAMES, seed: 25 },
    );
    expect(canaries).toBeGreaterThan(NAMES);
  });
});
