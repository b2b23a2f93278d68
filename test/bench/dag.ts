// Bottlenecks of dataflow jobs: how long judging takes and what it keeps, the paper's use case, and whether advice holds in simulated jobs.

import { explainJobs } from '../../analysis/dag/explain/explain-jobs.ts';
import { DagJudge, DEFAULT_THRESHOLDS } from '../../analysis/dag/judge/judge.ts';
import { summaryOfHistory } from '../../analysis/dag/judge/summarise-job.ts';
import { mulberry32 } from '../../base/lists.ts';
import { judgeAdvice } from '../analysis/dag/judge-advice.ts';
import { paperJob } from '../analysis/dag/paper-job.ts';
import { simulateAndWatch } from '../analysis/dag/watched.ts';

judgeMany(5_000);
judgeMany(10_000);
judgeMany(20_000);
useCase();
advice(40);

/** 100 tasks in a chain, 100 instances and channels each; seconds of a processor. */
function judgeMany(periods: number): void {
  const [tasks, instances, variants] = [100, 100, 20];
  const random = mulberry32(1);
  const vertices = Array.from({ length: tasks }, (_, index) => ({ id: `t${index}` }));
  const edges = vertices.slice(1).map(({ id }, index) => ({ id: `e${index}`, from: `t${index}`, to: id }));
  const drawn = (ids: readonly { readonly id: string }[]) =>
    Object.fromEntries(ids.map(({ id }) => [id, Array.from({ length: instances }, () => 0.85 + 0.15 * random())]));
  const inputs = Array.from({ length: variants }, () => ({ processing: drawn(vertices), saturated: drawn(edges) }));
  const start = process.cpuUsage();
  const judge = new DagJudge({ vertices, edges }, DEFAULT_THRESHOLDS);
  for (let period = 0; period < periods; period += 1) {
    const { processing, saturated } = inputs[period % variants] as (typeof inputs)[number];
    judge.add({ startNs: period * 1e9, endNs: (period + 1) * 1e9, processing, saturated });
  }
  const { shares } = summaryOfHistory(judge);
  const { user, system } = process.cpuUsage(start);
  const took = (user + system) / 1e6;
  const kept = judge.periods.reduce(
    (sum, { pt, st, imbalance }) => sum + pt.byteLength + st.byteLength + imbalance.byteLength,
    0,
  );
  console.log(
    `${tasks} tasks x ${instances} instances x ${periods} periods, ${edges.length} edges: ${took.toFixed(2)} s, ${(kept / periods / 1024).toFixed(2)} KiB kept of each period, ${shares.length} bottlenecks`,
  );
}

/** Section VI of Battre et al.: runs a, b, c and d, each in full. */
function useCase(): void {
  const setUps = [
    [1, 1],
    [4, 1],
    [16, 4],
    [16, 5],
  ] as const;
  for (const [ocr, pdf] of setUps) {
    const read = simulateAndWatch(paperJob(ocr, pdf), { periodS: 60 });
    const { runs, steps } = explainJobs([read], { level: 0.9, target: null, size: 4000, price: 0.1 });
    const [run, { price } = { price: null }] = [runs[0], steps[0]];
    console.log(
      `OCR ${ocr}, PDF ${pdf}: ${(read.seconds / 60).toFixed(1)} min on ${run?.machines} machines, ${price?.toFixed(2)} USD, bottleneck ${run?.summary.dominant?.id}; advice ${JSON.stringify(run?.advice.action === 'scale-out' ? run.advice.instances : run?.advice.action)}`,
    );
  }
}

/** Random jobs: the named bottleneck against every single doubling, and advised set-ups simulated. */
function advice(jobs: number): void {
  const outcomes = Array.from({ length: jobs }, (_, index) => judgeAdvice(index + 1));
  const named = outcomes.filter(({ named }) => named !== null);
  const right = named.filter((one) => one.named === one.best);
  const lost = named.filter((one) => one.named !== one.best).map((one) => one.bestGain / (one.namedGain ?? 1));
  const errors = (values: readonly (number | null)[]): string => {
    const known = values.filter((value): value is number => value !== null);
    const sorted = known.map((value) => Math.abs(value - 1)).sort((a, b) => a - b);
    const text = (value: number | undefined): string => `${(100 * (value ?? 0)).toFixed(1)} %`;
    return `${known.length} jobs, median ${text(sorted[sorted.length >> 1])}, worst ${text(sorted.at(-1))}`;
  };
  console.log(
    `advice on ${jobs} random jobs: ${named.length} with a dominant bottleneck, ${right.length} of them the one whose doubling helps most`,
  );
  console.log(
    `the others would have gained ${lost.map((gain) => `${(100 * (gain - 1)).toFixed(0)} %`).join(', ') || 'nothing'} more by another doubling`,
  );
  console.log(
    `rate of the next level, predicted against simulated: ${errors(outcomes.map(({ levelRatio }) => levelRatio))}`,
  );
  const targets = outcomes.flatMap(({ targetRatio }) => (targetRatio === null ? [] : [targetRatio]));
  console.log(
    `target of 1.5 times the rate: reached within 5 % in ${targets.filter((ratio) => ratio <= 1.05).length} of ${targets.length} jobs that no edge ends`,
  );
}
