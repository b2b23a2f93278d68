import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { machine, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtFolder, programFile } from '../../agents/host-programs.ts';
import { projectRoot } from '../../base/paths.ts';
import { tempFolder } from '../experiments/make.ts';
import { bundled } from '../launch/bundled.ts';

const agents = join(projectRoot(), 'agents');

const compiled = mkdtempSync(join(tmpdir(), 'agents-'));
beforeAll(() => bundled('agents/index.ts', compiled));

/** A clone that is compiled, but for what hosts run. */
function unbuilt(tree = tempFolder()): string {
  for (const part of ['package.json', 'agents']) {
    cpSync(join(projectRoot(), part), join(tree, part), { recursive: true, preserveTimestamps: true });
  }
  cpSync(compiled, join(tree, 'dist/program'), { recursive: true });
  symlinkSync(join(projectRoot(), 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

/** Builds a program of a tree in a process of its own, which prints an exit code with the program's path or the error. */
function build(tree: string, path: string | undefined, program = 'agent') {
  return inTree(tree, path, `buildProgram('${program}')`);
}

function inTree(tree: string, path: string | undefined, call: string) {
  const code = `const { agentFor, buildProgram } = await import(${JSON.stringify(join(tree, 'dist/program/index.cjs'))});
    const said = await ${call}.then((file) => [0, file], (error) => [error.exitCode, error.message]);
    console.log(JSON.stringify(said));`;
  return execa(process.execPath, ['--input-type=module', '-e', code], { reject: false, env: { PATH: path } });
}

describe('building what hosts run', () => {
  it('waits for another command that builds', async () => {
    const tree = unbuilt();
    const makefile = join(tree, 'agents', 'host', 'Makefile');
    const other = execa('flock', [makefile, 'sh', '-c', 'echo builds; exec cat']);
    await once(other.stdout, 'data');
    const { ino } = statSync(makefile);
    const building = build(tree, process.env.PATH);
    // Who waits for a lock stands there behind an arrow.
    const waits = new RegExp(`-> FLOCK .*:${ino} `);
    while (building.exitCode === null && !waits.test(readFileSync('/proc/locks', 'utf8'))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(building.exitCode).toBe(null);
    building.kill('SIGKILL');
    await building;
    other.stdin.end();
    await other;
  });

  it('without a compiler is a fault of the machine, with what to do', async () => {
    const { stdout } = await build(unbuilt(), tempFolder());
    expect(JSON.parse(stdout)).toEqual([
      3,
      expect.stringMatching(
        /could not be compiled: there is no make\. Run '\.\/predict setup'.*, or install the npm package/,
      ),
    ]);
  });

  it('for another kind of machine tells one without a cross compiler what to install', async () => {
    const tools = tempFolder();
    for (const name of ['make', 'sh', 'mkdir']) symlinkSync(`/usr/bin/${name}`, join(tools, name));
    const [other, packages] =
      process.arch === 'arm64'
        ? ['x86_64', 'gcc-x86-64-linux-gnu and libc6-dev-amd64-cross']
        : ['aarch64', 'gcc-aarch64-linux-gnu and libc6-dev-arm64-cross'];
    const { stdout } = await inTree(unbuilt(), tools, `agentFor('${other}')`);
    const [exitCode, message] = JSON.parse(stdout);
    expect([exitCode, message]).toEqual([3, expect.stringContaining(`there is no ${other}-linux-gnu-gcc. Install`)]);
    expect(message).toContain(`(on Debian make, ${packages})`);
    expect(message).not.toMatch(/setup|\*\*\*/);
  });

  it('of a program under MPI tells a machine without its compiler what to install', async () => {
    const tools = tempFolder();
    for (const name of ['make', 'sh', 'mkdir', 'dirname']) symlinkSync(`/usr/bin/${name}`, join(tools, name));
    const { stdout } = await build(unbuilt(), tools, 'graph500');
    expect(JSON.parse(stdout)).toEqual([
      3,
      expect.stringMatching(/agents\/graph500 could not be compiled: .*mpicc.* Install make and an MPI compiler/),
    ]);
  });

  it('knows names with blanks', async () => {
    const tree = unbuilt(join(tempFolder(), 'a b'));
    const tools = tempFolder();
    for (const name of ['make', 'sh', 'mkdir', 'dirname', 'mv']) symlinkSync(`/usr/bin/${name}`, join(tools, name));
    // A compiler that says where it writes what, in place of one that takes its time.
    for (const name of ['cc', 'gcc', 'mpicc']) {
      const last = 'for word; do [ "$last" = -o ] && : > "$word"; last=$word; done';
      writeFileSync(join(tools, name), `#!/bin/sh\n${last}\n`, { mode: 0o755 });
    }
    for (const [program, file] of [
      ['agent', `${machine()}/predict-agent`],
      ['graph500', 'predict-graph500'],
      ['graphalytics', 'predict-graphalytics'],
    ] as const) {
      const { stdout } = await build(tree, tools, program);
      expect(JSON.parse(stdout)).toEqual([0, join(tree, 'dist/hosts', file)]);
      expect(existsSync(join(tree, 'dist/hosts', file))).toBe(true);
    }
  });

  it('is not needed where everything came built', async () => {
    const tree = unbuilt();
    for (const part of ['host', 'idle']) rmSync(join(tree, 'agents', part), { recursive: true });
    cpSync(programFile('agent'), join(tree, 'dist', 'hosts', machine(), 'predict-agent'));
    const { stdout } = await build(tree, tempFolder());
    expect(JSON.parse(stdout)).toEqual([0, join(tree, 'dist', 'hosts', machine(), 'predict-agent')]);
  });

  it('is not stopped by a warning of the compiler', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'build-'));
    const words = ['-s', '-C', join(agents, 'host'), `BUILD=${folder}`, `${folder}/json.o`];
    const { exitCode, stderr } = await execa('make', [...words, 'CC=gcc -Wpadded -Wundef -Wtraditional']);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/ warning: /);
    const graph = ['-s', '-C', join(agents, 'graph500'), `BUILD=${folder}`, `${folder}/graph500/capacity.o`];
    expect(await execa('make', [...graph, 'CFLAGS=-Wtraditional'])).toMatchObject({
      stderr: expect.stringMatching(/ warning: /),
    });
  });

  it('gives no warning here, in what was compiled last and in libraries', async () => {
    const parts = [`host-${machine()}`, 'graph500', 'graphalytics'];
    const said = parts.map((part) => join(builtFolder('build'), part, 'said'));
    // What an older version built said nothing.
    const isKept = said.every((file) => existsSync(file));
    if (isKept) expect(said.map((file) => readFileSync(file, 'utf8'))).toEqual(['', '', '']);
    const target = isKept ? 'check-libraries' : 'check-warnings';
    const { stderr } = await execa('make', ['-s', '-C', agents, target], { reject: false });
    expect(stderr).toBe('');
  });
});
