import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { explainJobs } from '../../analysis/dag/explain/explain-jobs.ts';
import { readWatchedJob } from '../../analysis/dag/job/watched-job.ts';
import { badInput } from '../../base/errors.ts';
import { projectRoot } from '../../base/paths.ts';
import { createDagRun } from '../../experiments/dag/write-run.ts';
import { paperJob } from '../analysis/dag/paper-job.ts';
import { simulateJob } from '../analysis/dag/simulate-job.ts';
import { dagCaseResult } from '../cases/dag/print-dag-case.ts';
import { readDagCase } from '../cases/dag/read-dag-case.ts';
import { damagedTexts } from './mutations.ts';
import { fuzz } from './reader.ts';

const fixture = (name: string): string =>
  readFileSync(join(projectRoot(), `test/fixtures/dag/${name}/input.json`), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'fuzz-dag-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badInput('no JSON', error);
  }
}

/** A recording with few samples, so that damage hits what is around them. */
function shortRecording(): string {
  const read = JSON.parse(fixture('pipes-second-slow'));
  return JSON.stringify({
    ...read,
    periodS: 0.1,
    recording: { ...read.recording, samples: read.recording.samples.slice(0, 8) },
  });
}

fuzz({
  name: 'cases of dataflow jobs',
  inputs: damagedTexts([...['lives', 'threshold', 'nobody-lives', 'flink-made'].map(fixture), shortRecording()]),
  read: (text) => dagCaseResult(readDagCase(json(text), {})),
});

const run = join(folder, 'run');
const simulated = simulateJob(paperJob(1, 1), { periodS: 60, mostS: 240 });
const writer = createDagRun(run, simulated.run);
for (const line of simulated.lines) writer.append(line);
writer.append({ kind: 'vertex-gone', atNs: 3, id: 'ocr', why: 'signal 9' });
writer.close();

for (const name of ['run.json', 'periods.jsonl']) {
  const path = join(run, name);
  const whole = readFileSync(path, 'utf8');
  fuzz({
    name: `${name} of a watched job`,
    inputs: damagedTexts([whole]),
    read: async (text) => {
      writeFileSync(path, text);
      const thresholds = { alpha: 0.9, beta: 0.9 };
      try {
        return explainJobs([await readWatchedJob(run, { thresholds })], { level: 0.9, target: 2, size: 100, price: 1 });
      } finally {
        writeFileSync(path, whole);
      }
    },
  });
}
