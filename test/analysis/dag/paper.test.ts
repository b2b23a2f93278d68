import { describe, expect, it } from 'vitest';
import { explainJobs } from '../../../analysis/dag/explain/explain-jobs.ts';
import { machinesPrice } from '../../../analysis/dag/explain/job-model.ts';
import { paperJob } from './paper-job.ts';
import { simulateAndWatch } from './watched.ts';

const run = (ocr: number, pdf: number) => simulateAndWatch(paperJob(ocr, pdf), { periodS: 60 });
const OPTIONS = { level: 0.9, target: null, size: 4000, price: 0.1 };

describe('the use case of Battre et al., section VI', () => {
  const [a, b, d] = [run(1, 1), run(4, 1), run(16, 5)];

  it('the simulated runs last as long as the paper says', () => {
    expect(a.seconds / 60).toBeCloseTo(293, -0.5);
    expect(b.seconds / 60).toBeCloseTo(74.7, 0);
    expect(d.seconds / 60).toBeCloseTo(24.3, 0);
  });

  it('bottlenecks come in the order of the paper: OCR, PDF Creator, the edge behind the reader', () => {
    const found = [a, b, d].map((one) => explainJobs([one], OPTIONS).runs[0]?.summary.dominant?.id);
    expect(found).toEqual(['ocr', 'pdf-creator', 'reader-ocr']);
  });

  it('run a alone says 4 OCR instances, which the paper found by four runs, and what b takes', () => {
    const { runs, steps } = explainJobs([a], OPTIONS);
    expect(runs[0]?.advice).toMatchObject({
      action: 'scale-out',
      task: 'ocr',
      instances: { now: 1, next: 2, level: 4 },
    });
    expect(steps[1]?.instances.slice(0, 3)).toEqual([1, 4, 1]);
    expect((steps[1]?.seconds ?? 0) / b.seconds).toBeCloseTo(1, 1);
  });

  it('with the run that the edge ends, the steps end at 16 or fewer OCR and 5 or fewer PDF instances', () => {
    const { steps, runs } = explainJobs([a, b, d], OPTIONS);
    expect(runs.map(({ predicted, rate }) => (predicted === null ? 1 : predicted.value / (rate ?? 0)))[1]).toBeCloseTo(
      1,
      1,
    );
    expect(steps.at(-1)?.by).toEqual({ kind: 'io', id: 'reader-ocr' });
    const [whole] = explainJobs([d, a], OPTIONS).steps.slice(-1);
    expect(whole?.instances.slice(1, 3)).toEqual([13, 4]);
  });

  it('where a task is busy, full edges are not seen: it is told in how many periods', () => {
    for (const one of [a, b, d]) {
      const { thresholds, periods } = one.job.judge;
      const hidden = periods.filter(({ pt }) => pt.some((share) => share > thresholds.alpha)).length;
      const told = explainJobs([one], OPTIONS).runs[0]?.cautions.filter((text) => text.includes('hides full edges'));
      expect(told).toEqual(
        hidden === 0
          ? []
          : [expect.stringMatching(new RegExp(`^In ${hidden} of ${periods.length} periods a busy task`))],
      );
    }
    const hidden = [a, b].map((one) => one.job.judge.periods.filter(({ ioChecked }) => !ioChecked).length);
    expect(Math.min(...hidden)).toBeGreaterThan(0);
  });

  it('machines are OCR + PDF + 2, and pay for every hour that has begun', () => {
    expect([a, b, d].map((one) => explainJobs([one], OPTIONS).runs[0]?.machines)).toEqual([4, 7, 23]);
    // The paper's own times, figure 5 a and d.
    expect(machinesPrice(4, { seconds: 310 * 60, perHour: 0.1 })).toBeCloseTo(2.4, 9);
    expect(machinesPrice(23, { seconds: 24 * 60, perHour: 0.1 })).toBeCloseTo(2.3, 9);
  });
});
