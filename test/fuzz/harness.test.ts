import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { projectRoot } from '../../base/paths.ts';
import { computeMeans, computeScore } from '../../experiments/harness/harness-run.ts';
import { joinReport } from '../../experiments/harness/join-report.ts';
import { readLog } from '../../experiments/harness/read-log.ts';
import { parseRepetitions } from '../../experiments/workloads/graphalytics.ts';
import { parseHarnessRun } from '../../experiments/workloads/graphalytics-harness.ts';
import { damagedTexts } from './mutations.ts';
import { fuzz } from './reader.ts';

const SAMPLES = join(projectRoot(), 'test/fixtures/graphalytics-harness/samples');
const sample = (name: string): string => {
  const whole = JSON.parse(gunzipSync(readFileSync(join(SAMPLES, name, 'results.json.gz'))).toString('utf8'));
  // Properties of graphs that no run has are most of a report.
  const entries = Object.entries(whole.benchmark.configurations).filter(([key]) => !/^graph\.(?!example)/.test(key));
  whole.benchmark.configurations = Object.fromEntries(entries);
  return JSON.stringify(whole, null, 1);
};
const log = (name: string): string => readFileSync(join(SAMPLES, name, 'benchmark-summary.log'), 'utf8');
const LOGS = ['wrong', 'hang', 'exit3', 'loadfails', 'reps2'].map(log);

fuzz({
  name: "the Graphalytics harness's results",
  inputs: damagedTexts([sample('reps2'), sample('wrong'), `var data = ${sample('ok')}`]),
  read: (text) => {
    const { runs, absent, nodes } = joinReport({ results: text, path: 'results.json', logs: LOGS });
    const pairs = computeMeans(runs);
    return [runs, absent, nodes, pairs, computeScore(pairs, 'makespanS')];
  },
});

fuzz({
  name: "the Graphalytics harness's logs",
  inputs: damagedTexts(LOGS),
  read: (text) => {
    const { runs, planned, refused, exception } = readLog([text]);
    return [[...runs], planned, refused, exception];
  },
  refusesNothing: true,
});

const RESULTS = sample('ok');
const [RUN = ''] = /\br\d{6}\b/.exec(RESULTS) ?? [];
fuzz({
  name: "a cell of the Graphalytics harness's",
  inputs: fc.tuple(
    damagedTexts([log('ok')]),
    damagedTexts([
      `==> /srv/w/${RUN}-bfs/platform/runner.logs <==\nprocessing_time: 0.0004 s\n\n==> /srv/w/r2-x/platform/runner.logs <==\nx\n`,
    ]),
    fc.constantFrom(RESULTS, undefined),
  ),
  read: ([log, programs, results]) => {
    const files = { log, programs, ...(results === undefined ? {} : { results }) };
    const result = parseHarnessRun({ exitCode: 0, stdout: '', stderr: log, files });
    if (!result.ok && result.reason.length > 2000) throw new Error(`a reason of ${result.reason.length} characters`);
    return result.ok ? result : null;
  },
});

fuzz({
  name: 'repetitions of the bundled Graphalytics',
  inputs: damagedTexts([
    'run,time_s,load_s,makespan_s,edges,vertices,iterations,bytes_sent,digest\n0,0.0012,0.1,0.2,17,10,3,1234,a1\n1,1e-3,0.1,0.2,17,10,3,0,a1\n',
  ]),
  read: parseRepetitions,
});
