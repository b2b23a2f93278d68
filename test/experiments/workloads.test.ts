import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Cell } from '../../experiments/records.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { loadWorkload } from '../../experiments/workloads/load-workload.ts';
import type { RunResult } from '../../experiments/workloads/workload.ts';

const cell: Cell = {
  id: '0123456789abcdef',
  workload: 'x',
  nodes: 4,
  ranks: 8,
  scale: 20,
  bw: 50,
  rep: 1,
  role: 'measure',
  roots: 16,
};
const where = {
  ...{ hosts: ['n1', 'n2'], outputFolder: '/w/out', program: () => '/w/bin/g', seed: 7 },
  datasetFolder: () => '',
};

async function load(yaml: string): Promise<Awaited<ReturnType<typeof loadWorkload>>> {
  const folder = mkdtempSync(join(tmpdir(), 'workload-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'w.yaml'), yaml);
  return loadWorkload(join(folder, 'w.yaml'));
}

const COMMAND = `kind: command
name: stencil
command: [/opt/stencil, --size, '{scale}', '--x={ranks}/{nodes}/{roots}/{seed}', '{{scale}}', 5]
time: { pattern: 'took ([0-9.e-]+) ms', unit: ms }
failure: ['^NaN']
success: '^all done'
ranks: { multipleOf: 2 }
`;

test.each([
  ['s', 2],
  ['ms', 2e-3],
  ['us', 2e-6],
  ['ns', 2e-9],
])('times printed in %s are seconds', async (unit, seconds) => {
  const workload = await load(COMMAND.replace('unit: ms', `unit: ${unit}`));
  const result = workload.parse({ exitCode: 0, stdout: 'took 2 ms\nall done\n', stderr: '' });
  expect(result).toMatchObject({ ok: true, runs: [{ ct: expect.closeTo(seconds, 15) }] });
});

describe('our graph500', () => {
  test('it is called with its flags, and leaves roots and phases to fetch', async () => {
    const workload = await loadWorkload('graph500');
    expect(workload.invocation(cell, { ...where, cacheFolder: '/cache' })).toEqual({
      argv: [
        ...['/w/bin/g', '--scale', '20', '--roots', '16', '--seed', '7', '--warm-up', '1'],
        ...['--phases', '/w/out/phases.csv', '--messages', '/w/out/messages.csv'],
        ...['--roots-out', '/w/out/roots.csv', '--graph-cache', '/cache'],
      ],
      outputs: { runs: '/w/out/roots.csv', phases: '/w/out/phases.csv', messages: '/w/out/messages.csv' },
    });
    expect(workload.invocation(cell, where).argv).not.toContain('--graph-cache');
  });

  test('a cell with a kernel runs that one', async () => {
    const workload = await loadWorkload('graph500');
    const { argv } = workload.invocation({ ...cell, params: { kernel: 'sssp' } }, where);
    expect(argv.slice(7, 11)).toEqual(['--warm-up', '1', '--kernel', 'sssp']);
    expect(workload.programOf({ kernel: 'sssp' })).toBe('kernel=sssp');
  });

  test('with orders it is told names alone, and its outputs are fetched from the same place', async () => {
    const workload = await loadWorkload('graph500');
    const { argv, outputs } = workload.invocation(cell, { ...where, orders: '/w/fifo' });
    expect(argv.slice(9)).toEqual([
      ...['--phases', 'phases.csv', '--messages', 'messages.csv', '--roots-out', 'roots.csv', '--orders', '/w/fifo'],
    ]);
    expect(outputs).toEqual(workload.invocation(cell, where).outputs);
  });

  const stdout = [
    ...['SCALE: 20', 'edgefactor: 16', 'NBFS: 2', 'num_mpi_processes: 4', 'bfs  min_time: 0.01', 'bfs  max_time: 0.02'],
    ...['bfs  harmonic_mean_TEPS: !  1000', 'reference_time:                 0.104'],
  ].join('\n');
  const stderr = 'Time for BFS 0 is 0.010000\nTime for BFS 1 is 0.020000\n';
  const header = 'root,key,time_s,nedge,teps,validate_s,bytes_sent';
  const parse = (rootsCsv?: string): RunResult =>
    workloadOf({ kind: 'graph500', name: 'graph500' }).parse({
      exitCode: 0,
      stdout,
      stderr,
      files: { runs: rootsCsv },
    });

  test('times come from the roots file at full precision', () => {
    const result = parse(`${header}\n0,17,0.010000123456,100,9999.87,0.5,4096\r\n1,3,0.02,100,5000,-1,0\n`);
    expect(result).toMatchObject({
      ok: true,
      runs: [
        { index: 0, ct: 0.010000123456, nedge: 100, teps: 9999.87, validateS: 0.5 },
        { index: 1, ct: 0.02, validateS: null },
      ],
    });
  });

  test('a damaged file of phases fails the run', () => {
    const phases = 'worker,phase,start_ns,end_ns\n0,bfs,1,2\n0,bf';
    const output = { exitCode: 0, stdout, stderr, files: { phases } };
    expect(workloadOf({ kind: 'graph500', name: 'graph500' }).parse(output)).toMatchObject({
      ok: false,
      reason: "The phases file is damaged at line 3: '0,bf'.",
    });
  });

  test('its graphs are kept in a folder that is named after this program', () => {
    expect(workloadOf({ kind: 'graph500', name: 'graph500' }).cacheFolder).toMatch(/^predict-/);
  });

  test('without the roots file the printed times are used', () => {
    expect(parse()).toMatchObject({
      ok: true,
      runs: [{ ct: 0.01 }, { ct: 0.02 }],
      summary: { SCALE: 20, NBFS: 2, reference_time: 0.104 },
    });
  });

  test.each([
    ['', 'does not begin with'],
    [`${header}\n0,17,0.01,100,1e4,0.5,0\n`, 'has 1 rows, the output 2 searches'],
    [`${header}\n0,17,0.01,100,1e4,0.5,0\n1,3,0.0`, 'damaged at line 3'],
    [`${header}\n0,17,zero,100,1e4,0.5,0\n`, 'damaged at line 2'],
  ])('a damaged roots file fails the run: %j', (csv, reason) => {
    expect(parse(csv)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });

  test('a failed validation is the reason, with the end of the output', () => {
    const output = {
      exitCode: 3,
      stdout: '',
      stderr: 'Running BFS 0\n  \nValidation failed for BFS 0: rule 2: levels differ\n',
    };
    expect(workloadOf({ kind: 'graph500', name: 'graph500' }).parse(output)).toEqual({
      ok: false,
      reason: 'A validation failed: Validation failed for BFS 0: rule 2: levels differ.',
      outputTail: ['Running BFS 0', 'Validation failed for BFS 0: rule 2: levels differ'],
    });
  });
});

describe('workloads of users', () => {
  test('an external graph500 has defaults', async () => {
    const workload = await load('kind: graph500-external\nname: reference\nbinary: /opt/bfs\n');
    expect(workload.invocation(cell, where)).toEqual({ argv: ['/opt/bfs', '20', '16'], outputs: {} });
    expect(workload.ranks).toBe('power-of-two');
  });

  test('a command has its placeholders filled, and doubled braces kept', async () => {
    const { argv } = (await load(COMMAND)).invocation(cell, where);
    expect(argv).toEqual(['/opt/stencil', '--size', '20', '--x=8/4/16/7', '{scale}', '5']);
  });

  test('what it is told beside the scale, and where its files go, are placeholders too', async () => {
    const workload = await load(
      "kind: command\nname: x\ncommand: [a, '{param.algorithm}', '{param.other}', '{param.}', '{output}/f']\n" +
        "time: { pattern: '(1)' }\noutputs: { phases: '{output}/p.csv', messages: '/m-{seed}.csv' }\n",
    );
    expect(workload.invocation({ ...cell, params: { algorithm: 'pr' } }, where)).toEqual({
      argv: ['a', 'pr', '{param.other}', '{param.}', '/w/out/f'],
      outputs: { phases: '/w/out/p.csv', messages: '/m-7.csv' },
    });
  });

  test('a trace that lacks a column fails the run', async () => {
    const workload = await load(COMMAND);
    const output = {
      exitCode: 0,
      stdout: 'took 1 ms\nall done',
      stderr: '',
      files: { phases: 'worker,phase,end_ns\n' },
    };
    expect(workload.parse(output)).toMatchObject({
      ok: false,
      reason: "The phases file has no column start_ns (its header: 'worker,phase,end_ns').",
    });
  });

  test('each match of the pattern is one timed run, in seconds', async () => {
    const workload = await load(COMMAND);
    const output = { exitCode: 0, stdout: 'took 12.5 ms\r\ntook 2e1 ms\r\nall done\r\n', stderr: '' };
    expect(workload.parse(output)).toEqual({
      ok: true,
      summary: { runs: 2 },
      runs: [
        { index: 0, ct: 0.0125, teps: null, nedge: null, validateS: null },
        { index: 1, ct: 0.02, teps: null, nedge: null, validateS: null },
      ],
    });
  });

  test.each([
    [{ exitCode: 0, stdout: 'took 1 ms\nNaN here\nall done', stderr: '' }, "shows a failure: 'NaN'"],
    [{ exitCode: 0, stdout: 'took 1 ms', stderr: '' }, 'lacks the sign of success'],
    [{ exitCode: 9, stdout: 'took 1 ms\nall done', stderr: '' }, 'ended with exit status 9'],
    [{ exitCode: null, stdout: 'took 1 ms\nall done', stderr: '' }, 'ended with a signal'],
    [{ exitCode: 0, stdout: 'all done', stderr: '' }, 'No time was found'],
    [{ exitCode: 0, stdout: 'took 0 ms\nall done', stderr: '' }, "The time '0'"],
    [{ exitCode: 0, stdout: 'took .-e ms\nall done', stderr: '' }, "The time '.-e'"],
  ])('%j is a failed run', async (output, reason) => {
    expect((await load(COMMAND)).parse(output)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });

  test.each([
    ['kind: command\nname: x\ncommand: [a]\ntime: { pattern: "([" }\n', /w\.yaml:4: time\.pattern: .*(regular|class)/],
    ['kind: command\nname: x\ncommand: [a]\ntime:\n  pattern: "no group"\n', /:5: time\.pattern: .*exactly one group/],
    ['kind: command\nname: x\ncommand: [a]\ntime: { pattern: "(a)(b)" }\n', /:4: time\.pattern: .*exactly one group/],
    [
      'kind: command\nname: x\ncommand:\n  - a\n  - "{size}"\ntime: { pattern: "(1)" }\n',
      /:5: command\[1\]: unknown placeholder \{size\}/,
    ],
    [
      'kind: command\nname: x\ncommand: a {scal}\ntime: { pattern: "(1)" }\n',
      /:3: .*\{scal\}: did you mean \{scale\}\?/,
    ],
    ['kind: command\nname: x\ncommand: a\ntime: { pattern: "(\\d)" }\n', /:4: .*single quotes keep a backslash/],
    ['kind: command\nname: x\ncommand: [a]\n', /:1: time: /],
    [
      'kind: graph500-external\nname: x\nbinary: b\n\nspeed: 3\n',
      /:5: unknown key 'speed': valid keys here are kind, name, binary, args, trace, part, ranks\./,
    ],
    ['kind: graph500-external\nname: graph500\nbinary: b\n', /:2: name: .*built-in/],
    [
      'kind: graph500-external\nname: x\nbinary: b\nranks: prime\n',
      /:4: ranks is 'prime': expected one of any, power-of-two, square, cube, two-squares\./,
    ],
    ['name: x\n', /:1: kind is missing: expected one of .*command/],
    ['kind: comand\nname: x\n', /:1: kind is 'comand': expected one of .* \(did you mean 'command'\?\)\.$/],
    ['kind: command\nname: x\ncommand: 7\ntime: { patern: "(1)" }\n', /:3: command is 7: expected a list or text\.\n/],
    [
      'kind: command\nname: x\ncommand: [a]\npattern: "(1)"\n',
      /:4: unknown key 'pattern': did you mean 'time\.pattern'\?$/,
    ],
    ['kind: command\nname: x\ncommand: [a]\ncommands: [a]\n', /:4: unknown key 'commands': did you mean 'command'\?$/],
    ['kind: command\nkind: command\n', /:2: the key 'kind' is given twice/],
    ['kind: [command\n', /w\.yaml:[12]: /],
    ['', /w\.yaml/],
  ])('a mistake is named with its line: %j', async (yaml, message) => {
    await expect(load(yaml)).rejects.toThrow(message);
  });

  test.each([
    ['./heat --steps 10 {scale}', ['./heat', '--steps', '10', '{scale}']],
    ['/opt/x {param.name}.csv a=b', ['/opt/x', '{param.name}.csv', 'a=b']],
    [`"/opt/my solver"  --title 'at $5' {scale}`, ['/opt/my solver', '--title', 'at $5', '{scale}']],
  ])('a command may be a line, which is split as a shell would: %s', async (line, words) => {
    const { definition } = await load(
      `kind: command\nname: x\ncommand: ${JSON.stringify(line)}\ntime: { pattern: "(1)" }\n`,
    );
    expect(definition).toMatchObject({ command: words });
  });

  test.each([
    ...[
      'a $HOME',
      'a; b',
      'a | b',
      'a > b',
      'a `b`',
      'a *',
      'a ~',
      'A=1 b',
      'a &',
      'a (b)',
      'a ?',
      'a [b]',
      'a #b',
      'a\nb',
    ],
  ])('a line of which a shell would make more is no command: %j', async (line) => {
    const yaml = `kind: command\nname: x\ncommand: ${JSON.stringify(line)}\ntime: { pattern: "(1)" }\n`;
    await expect(load(yaml)).rejects.toThrow(/:3: command: no shell reads it, /);
  });

  test('placeholders of a line are checked as those of a list', async () => {
    await expect(load('kind: command\nname: x\ncommand: a {size}\ntime: { pattern: "(1)" }\n')).rejects.toThrow(
      /:3: command\[1\]: unknown placeholder \{size\}/,
    );
  });

  test('a name that is no file says what to write', async () => {
    const message = "did you mean 'graph500'? Else write 'graph500', 'graphalytics' or the path";
    await expect(loadWorkload('graph5000')).rejects.toThrow(message);
  });
});
