import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { attempt, PredictError } from '../../../base/errors.ts';
import { type AskedFlags, readAsked } from '../../../orchestrator/cli/sweep-asked.ts';
import { tempFolder } from '../../experiments/make.ts';
import { runPredict } from '../../run-predict.ts';

function written(text: string, folder = tempFolder()): string {
  const path = join(folder, 'campaign.yaml');
  writeFileSync(path, text);
  return path;
}

/** What the file at `path` says, without the folder. */
function faultsOf(path: string): string {
  try {
    readAsked(path, {});
  } catch (error) {
    if (error instanceof PredictError && error.kind === 'badInput') return error.message.replaceAll(path, 'c.yaml');
    throw error;
  }
  throw new Error('was accepted');
}

test('what a file and flags both can say, both say alike', () => {
  const counts = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 });
  const asked = fc.record(
    {
      nodes: counts.map(String),
      scales: fc.constantFrom('19', '19,20', '18..20'),
      bw: fc.constantFrom('10..50', '10..50/10', '0.5', '100'),
      reps: fc.integer({ min: 1, max: 9 }).map(String),
      roots: fc.integer({ min: 1, max: 9 }).map(String),
      seed: fc.integer({ min: 0, max: 2 ** 53 - 1 }).map(String),
      ranksPerNode: fc.constantFrom('1', '1,2'),
      precision: fc.constantFrom('3%', '3'),
      budget: fc.constantFrom('90', '20min'),
      cellTimeout: fc.constantFrom('10m', '1h'),
      algorithms: fc.constantFrom('bfs', 'bfs,pr'),
      profile: fc.constantFrom('cpu', 'wall'),
      target: fc.constant('nodes=9,bw=20,scale=12'),
    },
    { requiredKeys: ['nodes'] },
  );
  const folder = tempFolder();
  fc.assert(
    fc.property(asked, (flags) => {
      const unquoted = Object.entries(flags).map(([key, text]) => `${key}: ${text}\n`);
      const byFlags = readAsked(undefined, flags).asked;
      expect(readAsked(written(unquoted.join(''), folder), {}).asked).toEqual(byFlags);
      // What is read may be written into a file again.
      expect(readAsked(written(stringify(byFlags), folder), {}).asked).toEqual({
        ...byFlags,
        out: relative('', join(folder, byFlags.out)),
      });
    }),
    { numRuns: 60 },
  );
});

test('values of parameters stay as they are written', () => {
  const { asked } = readAsked(written('nodes: 4\nparam:\n  version: [1.10, 2]\n  algorithm: bfs,pr\n  on: true\n'), {});
  expect(asked.param).toEqual({ version: ['1.10', '2'], algorithm: ['bfs', 'pr'], on: ['true'] });
  expect(readAsked(undefined, { param: ['version=1.10,2', 'algorithm=bfs,pr', 'on=true'] }).asked.param).toEqual(
    asked.param,
  );
});

test('paths start at the folder of the file; names of bundled programs are none', () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'plans'));
  writeFileSync(join(folder, 'plans', 'advice.json'), '{"cells": [{"nodes": 4, "scale": 20, "bw": 50, "rep": 1}]}');
  const text = 'workload: ../heat.yaml\ninventory: /etc/c.yaml\ngraphs: a,b\nout: out/x\ncells: advice.json\n';
  const here = relative('', folder);
  expect(readAsked(written(text, join(folder, 'plans')), {}).asked).toMatchObject({
    workload: join(here, 'heat.yaml'),
    inventory: '/etc/c.yaml',
    graphs: [join(here, 'plans/a'), join(here, 'plans/b')],
    out: join(here, 'plans/out/x'),
    cells: [{ nodes: 4, scale: 20, bw: 50, rep: 1 }],
  });
  expect(readAsked(written('workload: graphalytics\n'), { out: 'here' }).asked).toMatchObject({
    workload: 'graphalytics',
    out: 'here',
  });
});

test.each<[AskedFlags, string | null, object]>([
  [{}, null, { nodes: [4, 9], reps: 2 }],
  [{ roots: '3' }, null, { nodes: [4, 9], roots: 3 }],
  [{ reps: '5', roots: '3' }, 'Flags take the place of reps in FILE.', { nodes: [4, 9], reps: 5 }],
  [{ cells: '4:20:10' }, 'Flags take the place of nodes and reps in FILE.', { out: 'x' }],
  [{ nodes: '1', out: 'y' }, 'Flags take the place of nodes and out in FILE.', { nodes: [1], out: 'y' }],
])('the flags %j win over a file, which is said', (flags, says, asked) => {
  const path = written('nodes: [4, 9]\nreps: 2\nout: x\n');
  const read = readAsked(path, flags);
  expect(read.says).toBe(says?.replace('FILE', path) ?? null);
  expect({ ...read.asked, out: read.asked.out.replace(/.*\//, '') }).toMatchObject(asked);
  if (flags.cells !== undefined) expect(read.asked.nodes).toBe(undefined);
});

test('everything that is wrong with a file is one line with its place, the value and what to write', () => {
  const path = written(
    'nodse: [1, 2]\nnodes: 0\nranks-per-node: 2\nbw: [10, fast]\nbudget: 3 weeks\nslurm: N 4\nparam: { 1a: 3 }\nroots: many\npreset: strong\nlease: [1]\n',
  );
  expect(faultsOf(path).split('\n')).toEqual([
    "c.yaml:1: unknown key 'nodse': did you mean 'nodes'?",
    'c.yaml:2: nodes: 0 is outside its range: values go from 1 to 100000.',
    "c.yaml:3: unknown key 'ranks-per-node': did you mean 'ranksPerNode'?",
    "c.yaml:4: bw: 'fast' is not a number or range: write for example 4,9,16 or 10..50 or 10..50/10.",
    "c.yaml:5: budget: '3 weeks' is not a time: write for example 90, 90s, 10m, 2h or 20ms.",
    "c.yaml:6: slurm is 'N 4': a request begins with a dash, such as '-N 16 -t 2:00:00'.",
    'c.yaml:7: param.1a: write a letter, then letters, digits and underscores.',
    "c.yaml:8: roots: 'many' is not a whole number.",
    expect.stringMatching(/^c\.yaml:9: preset: 'strong' is not one of graphalytics-selftest, /),
    'c.yaml:10: lease is [1]: expected a number or text.',
  ]);
  expect(faultsOf(written(''))).toBe(
    'c.yaml:1: The file is empty: expected for example { inventory: cluster.yaml, nodes: [4, 9, 16], bw: 10..50 }.',
  );
});

test('wrong flags are named, all of them', () => {
  expect(() => readAsked(undefined, { roots: '0', cellTimeout: 'soon' })).toThrow(
    "--roots: '0' is outside its range, 1 to 1048576.\n--cell-timeout: 'soon' is not a time: write for example 90, 90s, 10m, 2h or 20ms.",
  );
});

test.each([
  [tempFolderOf, /is a folder|illegal operation on a directory/],
  [() => 'no/such.yaml', /no such file/],
])('what is no file is refused in a sentence', (path, message) => {
  expect(attempt(() => readAsked(path(), {}))).toBe(null);
  expect(() => readAsked(path(), {})).toThrow(message);
});

function tempFolderOf(): string {
  return tempFolder();
}

test('sweep FILE plans what the same flags plan, and says what flags replace', { timeout: 120_000 }, async () => {
  const folder = tempFolder();
  writeFileSync(
    join(folder, 'cluster.yaml'),
    'cluster: c\nhosts: ["n[1-9]"]\nnetwork: {interface: eth0}\nlineRate: 1gbit\n',
  );
  writeFileSync(
    join(folder, 'heat.yaml'),
    'kind: command\nname: heat\ncommand: ./heat {param.solver}\ntime: { pattern: "t=(.*)" }\n',
  );
  mkdirSync(join(folder, 'plans'));
  const file = 'workload: ../heat.yaml\ninventory: ../cluster.yaml\nnodes: [1, 2]\nreps: 2\nparam: { solver: cg }\n';
  written(file, join(folder, 'plans'));
  const run = (...words: string[]) => runPredict(['sweep', ...words, '--dry-run', '--json'], { cwd: folder });
  const byFile = await run('plans/campaign.yaml', '--bw', '20', '--nodes', '1');
  const flags = ['--workload', 'heat.yaml', '--inventory', 'cluster.yaml', '--reps', '2', '--param', 'solver=cg'];
  const byFlags = await run(...flags, '--bw', '20', '--nodes', '1');
  expect(JSON.parse(byFile.stdout)).toEqual(JSON.parse(byFlags.stdout));
  expect(JSON.parse(byFile.stdout).cells).toHaveLength(5);
  expect(byFile.stderr).toBe('predict: Flags take the place of nodes in plans/campaign.yaml.');
  expect((await run('plans/campaign.yaml')).stderr).toBe(
    'predict: By default: 10..50/10,100 % of the link (--bw). Campaign folder: campaigns/sweep.',
  );
  expect(existsSync(join(folder, 'campaigns'))).toBe(false);
});

test('slurmWait is the older name of jobWait, and a flag wins over both', () => {
  const path = written('slurmWait: 1h\npbs: -l select=4\n');
  expect(readAsked(path, {}).asked).toMatchObject({ jobWait: 3600, pbs: '-l select=4' });
  expect(readAsked(path, { jobWait: '2h' }).asked.jobWait).toBe(7200);
});
