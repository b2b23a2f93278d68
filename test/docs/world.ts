import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../../base/paths.ts';
import { createDagRun } from '../../experiments/dag/write-run.ts';
import { copyTo } from '../../experiments/store/duckdb.ts';
import { paperJob } from '../analysis/dag/paper-job.ts';
import { simulateJob } from '../analysis/dag/simulate-job.ts';
import { writeAlgorithms, writeFirst, writeSolver } from './campaigns.ts';

const TRACE = [
  '{"worker":0,"start":0,"end":50000,"type":"op","name":"read"}',
  '{"worker":1,"start":0,"end":60000,"type":"op","name":"read"}',
  '{"worker":1,"start":60000,"end":100000,"type":"wait"}',
  '{"worker":1,"start":100000,"end":135000,"type":"op","name":"join"}',
  '{"from":0,"to":1,"start":50000,"end":100000,"type":"comm","name":"row","bytes":8}',
];

/** A trace of so many workers, each of which works and is done. */
const traceOn = (workers: number): string =>
  Array.from({ length: workers }, (_, worker) => `{"worker":${worker},"start":0,"end":8000,"type":"op"}\n`).join('');

const FILES: Readonly<Record<string, string>> = {
  'cluster.yaml':
    'cluster: rack-a\nhosts: ["node[01-25]"]\nnetwork: { interface: eth0 }\nlineRate: 1gbit\nmemoryPerNode: 64GiB\n',
  'solver.yaml': 'kind: command\nname: solver\ncommand: solve --size {scale}\ntime: { pattern: "took (.*) s" }\n',
  'edges.txt': '1 2\n2 3\n3 1\n3 4\n4 1\n',
  'trace.jsonl': `${TRACE.join('\n')}\n`,
  'on-2.jsonl': traceOn(2),
  'on-4.jsonl': traceOn(4),
  'on-8.jsonl': traceOn(8),
  'rules.mjs': 'export const predicates = [];\nexport const issues = [];\n',
  known_hosts: '',
  ssh_config: '',
  'giraph-here.yaml': 'name: giraph-here\nextends: giraph\nplaces: { worker: { 0: a } }\n',
  'FOLDER/phases.csv': [
    'path,start_ns,end_ns',
    '/,0,1000000000',
    '/Execute,0,1000000000',
    '/Execute/Superstep[superstep=0],0,1000000000',
    '/Execute/Superstep[superstep=0]/WorkerSuperstep[worker=0],0,1000000000',
    '',
  ].join('\n'),
  'FOLDER/rates.csv': 'metric,capacity,period_start_ns,period_end_ns,value\n/host[host=a]/cpu,2,0,1000000000,1.5\n',
};

/** Everything that the pages' commands name, in a folder that is to be the working folder; `~` is the same folder. */
export async function makeWorld(folder: string): Promise<void> {
  const fixture = (name: string): string => join(projectRoot(), 'test/fixtures', name);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  mkdirSync(join(folder, '.ssh'));
  writeFileSync(join(folder, '.ssh/id_ed25519'), '', { mode: 0o600 });
  symlinkSync(join(projectRoot(), 'test'), join(folder, 'test'));
  writeFileSync(join(folder, 'trace.jsonl.gz'), gzipSync(readFileSync(fixture('critical-path/timely/tiny2net.jsonl'))));
  await copyTo(
    join(folder, 'trace.parquet'),
    `(SELECT 'a' AS worker, NULL AS "from", NULL AS "to", 0 AS start, 5 AS "end", 'op' AS type, 'read' AS name, NULL AS bytes)`,
  );
  for (const [name, ocr, pdf] of [
    ['one', 1, 1],
    ['four', 4, 1],
    ['sixteen', 16, 5],
  ] as const)
    writeRun(join(folder, 'runs', name), ocr, pdf);
  await writeFirst(join(folder, 'campaigns/first'));
  await writeFirst(join(folder, 'predict-demo'));
  await writeSolver(join(folder, 'campaigns/solver'));
}

/** A watched run of the job of docs/dataflow.md's paper, with so many instances of two of its tasks. */
function writeRun(folder: string, ocr: number, pdf: number): void {
  const { run, lines } = simulateJob(paperJob(ocr, pdf), { periodS: 60, mostS: 600 });
  const writer = createDagRun(folder, { ...run, command: 'paper' });
  for (const line of lines) writer.append(line);
  writer.close();
}

/** The campaign on a dataset that a page makes. */
export async function addAlgorithms(folder: string): Promise<void> {
  await writeAlgorithms(join(folder, 'campaigns/ga'), join(folder, 'graphs/web'));
}
