import type { Finding } from '../../finding.ts';
import type { Holder } from '../advice/held-up-by.ts';
import type { ExplainedJobs, RunRow } from './explained.ts';
import { adviceWords, bottleneckName, holderWords, type LabelOf, wholePercent } from './job-words.ts';

/** What bottlenecks of the last run cost, in the shape of all findings: their share of the run's time, and what may be gained. */
export function dagFindings({ runs, steps }: ExplainedJobs, labelOf: LabelOf): Finding[] {
  const run = runs.at(-1);
  if (run === undefined) return [];
  const { holder } = run;
  const dominant = holder === null ? run.summary.dominant : null;
  const turns: Finding[] = holder === null ? [] : [turnsFinding(holder, run, labelOf)];
  const found = run.summary.shares.map((one): Finding => {
    const isMain = dominant !== null && dominant.kind === one.kind && dominant.id === one.id;
    const [now, next] = steps;
    const gain =
      isMain && now !== undefined && next !== undefined && now.by.id === one.id
        ? ` That is ${(next.rate.value / now.rate.value).toFixed(2)} times the rate.`
        : '';
    const words = isMain ? ` ${adviceWords(run.advice, labelOf)}${gain}` : '';
    return {
      kind: `dag/${one.kind}-bottleneck`,
      where: labelOf(one.id, one.kind),
      seconds: one.share * run.seconds,
      percent: one.share * 100,
      interval: null,
      sentence: `${bottleneckName(one, labelOf)} is the bottleneck in ${wholePercent(one.share)} of the time.${words}`,
    };
  });
  return [...turns, ...found];
}

/** Of a task that takes turns with those before it. */
function turnsFinding(holder: Holder, { seconds, advice }: RunRow, labelOf: LabelOf): Finding {
  return {
    kind: 'dag/cpu-bottleneck',
    where: labelOf(holder.id, 'cpu'),
    seconds: holder.busy * seconds,
    percent: holder.busy * 100,
    interval: null,
    sentence: `${holderWords(holder, labelOf)} ${adviceWords(advice, labelOf)}`,
  };
}
