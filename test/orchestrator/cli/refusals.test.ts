// What commands reject, each with one whole sentence, which names the flag, and exit code 2.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../../base/paths.ts';
import { newCampaign, tempFolder } from '../../experiments/make.ts';
import { runPredict } from '../../run-predict.ts';

const fixture = (name: string): string => join(projectRoot(), 'test/fixtures', name);
const ROWS = fixture('modeling/eq2_s28.csv');
const ALLTOALL = fixture('campaigns/alltoall');
const GRAPHS = fixture('campaigns/schema-1');

async function said(words: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  return await runPredict(words, { env: { COLUMNS: undefined, PREDICT_INVENTORY: undefined }, cwd: projectRoot() });
}

describe.each<[string, readonly (readonly [string, string])[]]>([
  [
    'model',
    [
      ['x --target nodes=4', '--target and --budget say together what to measure next: give both.'],
      ['x --budget 1', '--target and --budget say together what to measure next: give both.'],
      ['x --roots 4', '--roots is about what to measure next: add --target and --budget.'],
      ['x --overhead 4s', '--overhead is about what to measure next: add --target and --budget.'],
      ['x --coefficients C1=1', '--coefficients needs --nodes: say which clusters to project to.'],
      ['', 'Name one source: a campaign folder, or --data FILE.csv.'],
      [`x --data ${ROWS}`, 'Name one source: a campaign folder, or --data FILE.csv.'],
      [
        `--data ${ROWS} --program bfs`,
        '--program names one program of a campaign: leave it out with --data, which has rows of one program.',
      ],
      [`--data ${ROWS} --errors big`, "--errors: 'big' is unknown: write absolute or relative."],
      [`--data ${ROWS} --at-nodes 4,9`, "--at-nodes: '4,9' has 2 values, but selects the rows of one value: give one."],
      [`--data ${ROWS} --rank --bw 20,50`, "--bw: '20,50' has 2 values, but selects the rows of one value: give one."],
      [
        `--data ${ROWS} --rank --scale 28,29`,
        "--scale: '28,29' has 2 values, but selects the rows of one value: give one.",
      ],
      [`--data ${ROWS} --ranks-rule odd`, "--ranks-rule: 'odd' is not one of any, square, two-squares, power-of-two."],
      [
        `--data ${ROWS} --model eq2 --ranks-per-node 18 --bootstrap 20 --ranks-rule square --nodes 5..7`,
        '--nodes: no node count in 5..7 is admissible for this program.',
      ],
      ['x --coefficients C1=1 --nodes 4', '--coefficients replaces a campaign or --data: give one of them.'],
      [
        `--data ${ROWS} --coefficients C1=1 --nodes 4`,
        '--coefficients replaces a campaign or --data: give one of them.',
      ],
      [
        '--coefficients C1=1 --nodes 4',
        '--coefficients needs --model, one of eq2, eq3, eq5, eq6, eq7, volume, overlap.',
      ],
      ['--coefficients C1=1 --nodes 4 --model eq2', '--coefficients needs --scale, because GTEPS depend on it.'],
    ],
  ],
  [
    'compare',
    [
      ['x y --data z', 'Two campaigns are compared by what they measured: leave out --data.'],
      [
        'x y --errors relative --scale 4 --bw 20',
        'Two campaigns are compared by what they measured: leave out --errors, --scale and --bw.',
      ],
    ],
  ],
  [
    'why',
    [
      ['--method grade10', 'Name one source: a campaign folder, or --job FOLDER.'],
      ['x --method grade10 --job y', 'Name one source: a campaign folder, or --job FOLDER.'],
      ['x --method grade10 --format csv', "--format: 'csv' is unknown: write parquet or tsv."],
      ['x --method grade10 --against 4:12:20', '--against is for one run: name it with --cell NODES:SCALE:BW.'],
      ['x --method grade10 --sampling', '--sampling is for one run: name it with --cell NODES:SCALE:BW.'],
      ['x --method grade10 --trace t.json', '--trace is for one run: name it with --cell NODES:SCALE:BW.'],
      ['x --method grade10 --export t', '--export is for one run: name it with --cell NODES:SCALE:BW.'],
      ['--method grade10 --job x --sampling', '--sampling is for one run: name it with --cell NODES:SCALE:BW.'],
      ['--method grade10 --job x --whole', '--whole is for a campaign: leave it out with --job.'],
      [
        '--method grade10 --job x --nodes 4',
        '--nodes is for the forecasts of a campaign: leave it out with --job and --cell.',
      ],
      [
        'x --method grade10 --cell 4:12:20 --nodes 4',
        '--nodes is for the forecasts of a campaign: leave it out with --job and --cell.',
      ],
      ['--method grade10 --job x', '--job needs --model: the name of a shipped model, or a YAML file.'],
      [`${ALLTOALL} --method grade10 --nodes 12`, '--nodes: the program cannot run on 12 nodes; the next is 16.'],
      [`${GRAPHS} --method grade10 --nodes 5..5`, '--nodes: no node count in 5..5 is admissible for this program.'],
      ['--method path', 'Name one source: a campaign folder, or --activities FILE.'],
      ['x --method path --activities y', 'Name one source: a campaign folder, or --activities FILE.'],
      ['--method path --activities y --cell 4', '--cell is for a campaign: name its folder instead of a file.'],
      ['x --method path --slice 1s', '--slice is for a trace: name it with --activities FILE.'],
      ['x --method path --root 1', '--root is for one run: name it with --cell NODES:SCALE:BW.'],
      ['x --method path --by weight', "--by: 'weight' is unknown: write phase, rank, host, link."],
      [`${GRAPHS} --method path --cell 4:12:20 --nodes 4`, '--nodes is for forecasts: leave it out with --cell.'],
      [`${GRAPHS} --method path --cell 4:12:20 --root 99`, 'The run has no search 99: --root takes 0 to 3.'],
      [
        `${GRAPHS} --method path --cell 4:12:20 --what-if transfer`,
        "--what-if: 'transfer' is not a change: write KEY=FACTOR, such as transfer=0.5.",
      ],
      [
        `${GRAPHS} --method path --cell 4:12:20 --what-if node09=mended`,
        '--what-if: this run does not name node09 as a host that is slower than others: write node09=0.5.',
      ],
      [
        `${ALLTOALL} --method path`,
        `No run in ${ALLTOALL} has phases for a critical path. Write 'trace: mpi' into the workload of an MPI program, and measure again.`,
      ],
      ['--method path --activities - - ', 'Standard input is one trace: name it alone, or save it to a file.'],
      [`--method path --activities ${ROWS} --format x`, "--format: 'x' is unknown: write otf2, timely, activities."],
      [
        `--method path --activities ${ROWS}`,
        `${ROWS} is in none of the known formats (otf2, timely, activities): name its format with --format.`,
      ],
      [
        `--method path --activities ${ROWS} --format otf2`,
        `${ROWS} is not a trace of the format otf2: none of its first lines match.`,
      ],
      [
        `--method path --activities ${ROWS} ${ROWS} --trace t.json`,
        '--trace is for one trace, but 2 are named: leave it out.',
      ],
    ],
  ],
  [
    'watch',
    [
      ['', 'Name one job to watch: --command or --pids, --flink, or --redis with --queues.'],
      ['--flink http://x --redis y', 'Name one job to watch: --command or --pids, --flink, or --redis with --queues.'],
      ['--redis x', '--redis needs --queues: give their names, such as parse,load.'],
      ['--redis x --queues a,>b', "--queues: '>b' is not a queue: write a,b for a chain, or a>b,a>c for a graph."],
      ['--pids 1 --hosts n1', '--hosts needs --inventory: name the file that lists them.'],
      ['--command=', '--command is empty: give a pipeline.'],
      ['--command=true --command=false', '--command: this machine has two commands: join them into one with &.'],
      ['--pids 1,x', "--pids: 'x' is not a process id."],
      ['--pids 0', "--pids: '0' is not a process id."],
      ['--pids n1:1', '--pids: n1 is not a host of the given inventory.'],
      ['--pids 999999999', '--pids: there is no process 999999999 on this machine.'],
    ],
  ],
  [
    'export',
    [
      ['x --format graphalytics-driver', '--format graphalytics-driver needs --out: name the folder of the driver.'],
      ['x --format csv --inventory y', '--inventory is for --format graphalytics-driver: leave it out.'],
      [
        'x',
        'Name a format: --format csv|parquet|extrap-text|extrap-json|extrap-jsonl|graphalytics-driver, or --prometheus.',
      ],
      ['x --format parquet', 'Parquet is binary and cannot be shown in a terminal: add --out FILE.parquet.'],
    ],
  ],
  [
    'sweep',
    [
      [
        '--nodes 4 --dry-run --target nodes=4',
        '--target says where the rest of a budget goes: give one with --budget, such as --budget 20min.',
      ],
      [
        '--nodes 4 --dry-run --most-roots 9',
        '--most-roots bounds what a precision takes: give one with --precision, such as --precision 3%.',
      ],
      ['--nodes 4 --dry-run --sla 1h', '--sla is the longest makespan of a preset: name one with --preset.'],
    ],
  ],
  [
    'graph check',
    [
      ['x --reference y', '--reference and --algorithm say together what an output is compared with: give both.'],
      ['x --algorithm bfs', '--reference and --algorithm say together what an output is compared with: give both.'],
      ['x --replace', '--algorithms and --replace are about reference outputs: add --outputs.'],
      ['x --algorithms bfs', '--algorithms and --replace are about reference outputs: add --outputs.'],
      ['x --outputs --reference y --algorithm bfs', '--outputs computes reference outputs: leave out --reference.'],
      ['x --reference y --algorithm dfs', "'dfs' is not an algorithm: choose from bfs, pr, wcc, cdlp, lcc, sssp."],
    ],
  ],
])('predict %s', (command, cases) => {
  test.each(cases)('%s', async (words, sentence) => {
    const split = words.split(' ').filter((word) => word !== '');
    expect(await said([...command.split(' '), ...split])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `predict: ${sentence}`,
    });
  });
});

test('an analysis of a campaign without a measured cell says what to do first', async () => {
  const { dir } = await newCampaign();
  for (const method of ['grade10', 'path']) {
    const { exitCode, stderr } = await said(['why', dir, '--method', method]);
    expect({ exitCode, stderr }).toEqual({
      ...{ exitCode: 2, stderr: `predict: ${dir} has no measured cell yet: run predict sweep first.` },
    });
  }
  const { stderr } = await said(['why', dir, '--method', 'path', '--cell', '4:10:50']);
  expect(stderr).toBe(
    `predict: ${dir} has no finished cell, so 4:10:50 does not exist: 'predict status ${dir}' shows the cells, and 'predict sweep' measures the missing ones.`,
  );
});

test('an empty file is no trace', async () => {
  const file = join(tempFolder(), 'empty');
  writeFileSync(file, '');
  const { exitCode, stderr } = await said(['why', file, '--method', 'path']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `predict: ${file} is empty: it contains no trace.` });
});
