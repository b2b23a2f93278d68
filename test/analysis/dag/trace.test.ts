import { expect, it } from 'vitest';
import { renderDagTrace } from '../../../analysis/export/dag-trace.ts';
import { paperJob } from './paper-job.ts';
import { simulateAndWatch } from './watched.ts';

it('a trace has the verdict as stretches and every task and edge as a counter in percent', () => {
  const { job } = simulateAndWatch(paperJob(16, 5), { periodS: 60 });
  const { traceEvents } = JSON.parse(renderDagTrace(job)) as {
    traceEvents: {
      ph: string;
      name: string;
      pid: number;
      ts: number;
      dur: number;
      args: { percent?: number; name?: string };
    }[];
  };
  const stretches = traceEvents.filter(({ ph }) => ph === 'X');
  expect(new Set(stretches.map(({ name }) => name))).toEqual(new Set(['Edge file-reader → ocr']));
  expect(stretches.every(({ dur }) => dur === 60e6)).toBe(true);
  const counters = new Set(traceEvents.filter(({ ph }) => ph === 'C').map(({ pid, name }) => `${pid} ${name}`));
  expect(counters.size).toBe(6 + 5);
  const reader = traceEvents.filter(({ ph, name }) => ph === 'C' && name === 'file-reader');
  expect(reader).toHaveLength(24);
  expect(reader[5]?.args.percent).toBeCloseTo(27.8, 0);
});
