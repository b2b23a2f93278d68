import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writePrometheus } from '../../modeling/exchange/prometheus.ts';

const parameters = ['scale', 'nodes', 'bw'];
const point = (values: readonly number[]) => ({ coordinate: [20, 4, 50], values });

it('has one gauge of the median for each point, with what it is and no time', () => {
  const series = [{ callpath: 'Bfs', metric: 'ct', points: [point([0.3, 0.1, 0.2])] }];
  expect(writePrometheus({ parameters, series }, { campaign: 'first' })).toBe(
    '# HELP predict_completion_time_seconds Median completion time of a timed run.\n' +
      '# TYPE predict_completion_time_seconds gauge\n' +
      'predict_completion_time_seconds{campaign="first",call_path="Bfs",scale="20",nodes="4",bandwidth_percent="50"} 0.2\n',
  );
});

it('gives any name a line that the format admits', () => {
  const line =
    /^[a-zA-Z_][a-zA-Z0-9_]*\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*\} -?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/;
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (callpath, metric, campaign) => {
      const text = writePrometheus({ parameters, series: [{ callpath, metric, points: [point([1])] }] }, { campaign });
      const lines = text.split('\n');
      expect(lines).toHaveLength(4);
      expect(lines[2]).toMatch(line);
    }),
  );
});
