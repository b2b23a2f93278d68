import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { projectRoot } from '../../base/index.ts';
import { joinReport, meansOf, readLog, scoreOf } from '../../experiments/harness/index.ts';
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
    const pairs = meansOf(runs);
    return [runs, absent, nodes, pairs, scoreOf(pairs, 'makespanS')];
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
