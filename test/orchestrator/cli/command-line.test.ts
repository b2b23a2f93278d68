import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { completionText } from '../../../orchestrator/cli/completion.ts';
import { manPage } from '../../../orchestrator/cli/man-page.ts';
import { commandsOf } from '../../../orchestrator/cli/register/add-command.ts';
import { registerAll } from '../../../orchestrator/cli/register/register-all.ts';
import { tempFolder } from '../../experiments/make.ts';
import { runPredict } from '../../run-predict.ts';

const predict = (words: readonly string[], env: Record<string, string> = {}, cwd = tempFolder()) =>
  runPredict(words, { env, cwd });

describe('what is wrong with a command line', () => {
  test('is said of all options that are missing, at once', async () => {
    const { exitCode, stderr } = await predict(['profiles', 'flame', 'store']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/missing required option\(s\):\n {2}--profile <key> .*\n {2}--out <file>/);
    const older = await predict(['graph', 'validate', 'out']);
    expect(older.exitCode).toBe(2);
    expect(older.stderr).toMatch(/graph validate: missing required option\(s\):\n {2}--reference <file> .*\n {2}--alg/);
  });

  test('is first an option that nobody knows, with the one that was meant', async () => {
    const { stderr } = await predict(['plan', '--nodez', '4']);
    expect(stderr).toMatch(/^predict: unknown option '--nodez'\n\(Did you mean --nodes\?\)/);
  });

  test('is an argument that is missing, with what it is, and a verb that is none, with those there are', async () => {
    expect((await predict(['status'])).stderr).toMatch(
      /^predict: missing required argument:\n {2}<dir> {2}campaign folder\n/,
    );
    expect((await predict(['lab', 'foo'])).stderr).toMatch(/^predict: 'lab' has no 'foo': it has up, status, down\n/);
    expect((await predict(['swep'])).stderr).toMatch(/^predict: unknown command 'swep'\n\(Did you mean sweep\?\)/);
  });

  test('is a file that is not there, in words', async () => {
    const { stderr } = await predict(['fit', '--data', 'nope.csv']);
    expect(stderr).toBe('predict: nope.csv cannot be read: no such file or directory.');
  });

  test('is the last line of stderr as JSON, with --json', async () => {
    const wrong = await predict(['sweep', '--nodez', '4', '--json']);
    expect(JSON.parse(wrong.stderr)).toEqual({
      schema: 1,
      error: { kind: 'badInput', exitCode: 2, message: expect.stringMatching(/unknown option '--nodez'/) },
    });
    const absent = await predict(['status', '/nowhere', '--json']);
    expect([absent.exitCode, absent.stdout]).toEqual([2, '']);
    expect(JSON.parse(absent.stderr)).toMatchObject({ schema: 1, error: { kind: 'badInput', exitCode: 2 } });
  });
});

describe('the inventory of a command', () => {
  const file = (cluster: string): string =>
    `cluster: ${cluster}\nhosts: ["n[1-4]"]\nnetwork: {interface: eth0}\nlineRate: 1gbit\n`;
  const dryRun = ['sweep', '--nodes', '4', '--bw', '50', '--roots', '4', '--scales', '12', '--dry-run'];

  test('is the named one, else that of PREDICT_INVENTORY, else cluster.yaml', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'cluster.yaml'), file('a b'));
    writeFileSync(join(folder, 'other', 'env.yaml'), file('c d'));
    const env = { PREDICT_INVENTORY: 'other/env.yaml' };
    expect((await predict([...dryRun, '--inventory', 'no.yaml'], env, folder)).stderr).toMatch(
      /no inventory file no\.yaml/,
    );
    expect((await predict(dryRun, env, folder)).stderr).toMatch(/^predict: other\/env\.yaml:1: /);
    expect((await predict(dryRun, {}, folder)).stderr).toMatch(/^predict: cluster\.yaml:1: /);
  });

  test('is asked for where none is there and the command needs hosts', async () => {
    const { exitCode, stderr } = await predict(['inventory', 'check']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^predict: No inventory is given: .*PREDICT_INVENTORY/),
    ]);
  });

  test('is a lab that a sweep makes for itself, with sizes for ten minutes, and says so', async () => {
    const { exitCode, stdout, stderr } = await predict([
      'sweep',
      '--nodes',
      '4,9,16,25',
      '--bw',
      '10..50',
      '--dry-run',
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^92 cells$/m);
    expect(stderr).toMatch(/the hosts are 25 of a lab inside this machine \(each \d+ % of a core, 15 Mbit\/s\)/);
    expect(stderr).toMatch(
      /92 cells of scale \d\d \(--scales\), \d+ searches each \(--roots\): about (?:9|10) min.* campaigns\/sweep/,
    );
  });
});

describe.each(['bash', 'zsh', 'fish'] as const)('completion for %s', (shell) => {
  const program = registerAll();

  test('names every command and option', () => {
    const text = completionText(program, shell);
    for (const { command } of commandsOf(program)) {
      expect(text).toContain(command.name().split(' ').at(-1));
      for (const { long } of command.createHelp().visibleOptions(command))
        expect(text).toContain(shell === 'fish' ? `-l ${long?.slice(2)}` : long);
    }
  });
});

test.skipIf(!existsSync('/bin/bash'))('bash completes commands, verbs below them, and options', async () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const script = `${completionText(registerAll(), 'bash')}
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _predict; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await execa('bash', ['-c', script, 'bash', 'predict', ...words])).stdout.split('\n');
  };
  expect(await complete('sta')).toEqual(['status']);
  expect(await complete('lab', '')).toEqual(['up', 'status', 'down']);
  expect(await complete('lab', 'up', '--c')).toEqual(['--cpu']);
  expect(await complete('completion', 'f')).toEqual(['fish']);
  expect(await complete('why', 'campaigns/first', '--method', 'path', '--wh')).toEqual(['--what-if', '--whole']);
  expect(await complete('why', 'campaigns/first', '--method', 'g')).toEqual(['grade10']);
  expect(await complete('why', 'campaigns/first', '--what')).toEqual(['']);
  expect(await complete('fi')).toEqual(['']);
});

describe.skipIf(!existsSync('/usr/bin/fish'))('fish (needs fish)', () => {
  test.each([
    ['predict swe', ['sweep']],
    ['predict lab ', ['down', 'status', 'up']],
    ['predict lab up --c', ['--cpu']],
    ['predict completion z', ['zsh']],
  ])('completes %j', async (typed, offered) => {
    const script = join(tempFolder(), 'predict.fish');
    writeFileSync(script, completionText(registerAll(), 'fish'));
    const offer = 'source $argv[1]; complete -C $argv[2] | string split -f 1 \\t; true';
    const { stdout, stderr } = await execa('fish', ['--no-config', '-c', offer, script, typed]);
    expect([stdout.split('\n'), stderr]).toEqual([offered, '']);
  });
});

test.skipIf(!existsSync('/usr/bin/zsh'))(
  'zsh is offered verbs and options, from which it picks (needs zsh)',
  async () => {
    const script = join(tempFolder(), '_predict');
    writeFileSync(script, completionText(registerAll(), 'zsh'));
    // As bashcompinit of zshcompsys(1) calls a function.
    const offer = `autoload -U compinit; compinit -u -D; source "$1"; shift
    () { emulate -L sh; setopt kshglob noshglob braceexpand nokshautoload
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _predict; printf '%s\\n' "\${COMPREPLY[@]}" } "$@"`;
    const offers = async (...words: string[]) => {
      const { stdout, stderr } = await execa('zsh', ['-fc', offer, 'zsh', script, 'predict', ...words]);
      expect(stderr).toBe('');
      return stdout.split('\n');
    };
    expect(await offers('lab', '')).toEqual(['up', 'status', 'down']);
    expect(await offers('swe')).toContain('sweep');
    expect(await offers('lab', 'up', '--c')).toContain('--cpu');
  },
);

test('the man page has every command, and no line that troff would take for a request', () => {
  const page = manPage(registerAll(), '# Title\n\n- a `code` line\n\n.dot\n');
  for (const { command, words } of commandsOf(registerAll())) {
    if (words.length > 0 && command.commands.length === 0)
      expect(page).toContain(`.SS ${words.join(' ').replaceAll('-', '\\-')}`);
  }
  const requests = page.split('\n').filter((line) => /^[.']/.test(line));
  expect(requests.filter((line) => !/^\.(?:TH|SH|SS|TP|PP|IP|B|I|br)\b/.test(line))).toEqual([]);
  expect(page).toContain('\\&.dot');
});
