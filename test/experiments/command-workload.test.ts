import { describe, expect, test } from 'vitest';
import type { Cell } from '../../experiments/records.ts';
import { parseWorkload } from '../../experiments/workloads/load-workload.ts';
import { admits, describeRankRule } from '../../experiments/workloads/rank-rule.ts';

const cell: Cell = {
  ...{
    id: '0123456789abcdef',
    workload: 'x',
    nodes: 2,
    ranks: 8,
    scale: 20,
    bw: 50,
    rep: 1,
    role: 'measure',
    roots: 1,
  },
  params: { grid: 64 },
};
const where = {
  ...{ hosts: ['n1', 'n2'], outputFolder: '/w/out', program: () => '', seed: 7, datasetFolder: () => '' },
};
const workload = (more: string) => parseWorkload(`kind: command\nname: hpcg\ncommand: [/opt/xhpcg]\n${more}`, 'w.yaml');
const ran = (stdout: string, more = {}) => ({ exitCode: 0, stdout, stderr: '', ranks: 8, ...more });

describe('a program that says its rate', () => {
  const hpcg = workload(
    "rate: { pattern: 'GFLOP/s rating of=([0-9.]+)', work: 100 }\noutputs: { log: '{output}/hpcg.txt' }\n",
  );

  test('has the time of so much work as its time, also where a file says it', () => {
    const result = hpcg.parse(ran('', { files: { log: 'GFLOP/s rating of=2.5\nGFLOP/s rating of=5\n' } }));
    expect(result).toMatchObject({ ok: true, runs: [{ ct: 40 }, { ct: 20 }], summary: { rate: 3.75 } });
    expect(hpcg.invocation(cell, where).outputs).toEqual({ log: '/w/out/hpcg.txt' });
  });

  test.each([
    ['none', '', /^No rate was found/],
    ['one of zero', 'GFLOP/s rating of=0\n', /^The rate '0' in .* is not a positive number/],
  ])('has failed with %s', (_, stdout, reason) => {
    expect(hpcg.parse(ran(stdout))).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  });
});

describe('a printed time that is the mean of iterations', () => {
  const time = (of: string, more = '') => workload(`time: { pattern: 'mean ([0-9.]+)', unit: ms, of: ${of} }\n${more}`);

  test('stays what it is; the record has how many iterations there were', () => {
    const result = time('20').parse(ran('mean 4\nmean 6\n'));
    expect(result).toMatchObject({ ok: true, runs: [{ ct: 0.004 }, { ct: 0.006 }], summary: { timed_iterations: 40 } });
  });

  test('may count recorded calls, where they are recorded', () => {
    expect(time('{ call: MPI_Barrier }', 'trace: mpi\n').iterationCall).toBe('MPI_Barrier');
    expect(() => time('{ call: MPI_Barrier }')).toThrow(/time.of.*add trace: mpi/);
    expect(() => time('0')).toThrow(/time.of/);
  });
});

describe('the part that is explained', () => {
  const time = "time: { pattern: '([0-9.]+)' }\n";

  test('lies between two recorded calls', () => {
    const named = workload(`${time}trace: mpi\npart: { from: MPI_Barrier 1, to: MPI_Reduce last }\n`);
    expect(named.part).toEqual({ from: 'MPI_Barrier 1', to: 'MPI_Reduce last' });
  });

  test.each([
    ['without a recorder', 'part: { from: MPI_Barrier }\n', /part.*add trace: mpi/],
    ['without an end', 'trace: mpi\npart: {}\n', /name from, to, or both/],
    ['of a name that is none', 'trace: mpi\npart: { to: barrier 1 }\n', /part.to.*MPI_Barrier 1, MPI_Reduce last/],
    ['of no number', 'trace: mpi\npart: { to: MPI_Barrier 0 }\n', /part.to.*MPI_Barrier 1, MPI_Reduce last/],
  ])('is refused %s', (_, more, message) => {
    expect(() => workload(`${time}${more}`)).toThrow(message);
  });
});

describe('a time that every rank prints', () => {
  const solver = workload("time: { pattern: 'took ([0-9.]+)' }\n");
  const printed = (times: readonly number[]) => solver.parse(ran(times.map((time) => `took ${time}\n`).join('')));
  const timesOf = (result: ReturnType<typeof printed>) => (result.ok ? result.runs.map(({ ct }) => ct) : null);
  const each = (time: number, count: number) => Array.from({ length: count }, () => time);

  test('is one time, wherever ranks print it', () => {
    const result = printed([1, 2, ...each(1, 7), ...each(2, 7)]);
    expect(timesOf(result)).toEqual([1, 2]);
    expect(result).toMatchObject({ summary: { runs: 2, printed_by_ranks: 8 } });
    expect(timesOf(printed(each(3, 16)))).toEqual([3, 3]);
  });

  test('is as many as are printed where not all ranks print the same', () => {
    expect(timesOf(printed(each(3, 7)))).toEqual(each(3, 7));
    expect(timesOf(printed([...each(3, 8), 4]))).toEqual([...each(3, 8), 4]);
    expect(timesOf(solver.parse(ran('took 3\ntook 3\n', { ranks: 1 })))).toEqual([3, 3]);
  });
});

test('time and rate are alternatives', () => {
  const both = "time: { pattern: '([0-9]+) s' }\nrate: { pattern: '([0-9]+) Hz' }\n";
  for (const text of ['', both]) expect(() => workload(text)).toThrow(/give time or rate, one of them/);
});

test('the number of ranks that a program says it had is the one that was asked for', () => {
  const melt = workload("time: { pattern: 'Loop time of ([0-9.]+)' }\nprocesses: 'on ([0-9]+) procs'\n");
  const alone = melt.parse(ran('Loop time of 3.4 on 1 procs\nLoop time of 3.4 on 1 procs\n'));
  expect(alone).toMatchObject({
    ok: false,
    isSetup: true,
    reason: expect.stringMatching(/ran on 1 rank, not on the 8/),
  });
  expect(melt.parse(ran('Loop time of 3.4 on 8 procs\n'))).toMatchObject({ ok: true, runs: [{ ct: 3.4 }] });
});

test('environment and working folder are filled in for each cell', () => {
  const solver = workload(
    "time: { pattern: 't=([0-9.]+)' }\nenv: { GRID: '{param.grid}', OMP_NUM_THREADS: 1 }\nfolder: '{output}/run'\n",
  );
  expect(solver.parameters).toEqual(['grid']);
  expect(solver.invocation(cell, where)).toMatchObject({
    env: { GRID: '64', OMP_NUM_THREADS: '1' },
    folder: '/w/out/run',
  });
  expect(() => workload("time: { pattern: 't=([0-9.]+)' }\nfolder: run\n")).toThrow(
    /give an absolute path, or \{output\}/,
  );
});

test('ranks may be cubes, or a list of numbers', () => {
  const counts = [1, 2, 8, 9, 27, 64, 100, 125];
  expect(counts.filter((ranks) => admits('cube', ranks))).toEqual([1, 8, 27, 64, 125]);
  const { ranks, admissible } = workload("time: { pattern: 't=([0-9.]+)' }\nranks: [2, 9, 100]\n");
  expect(counts.filter(admissible)).toEqual([2, 9, 100]);
  expect(describeRankRule(ranks)).toBe('one of 2, 9, 100 as its number of ranks');
});
