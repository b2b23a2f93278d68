import type { Holder } from '../advice/held-up-by.ts';
import { nextStep } from '../advice/next-step.ts';
import type { DagHistory } from '../judge/judge.ts';
import { byId } from '../judge/judge-period.ts';
import { bottlenecksOf, summaryOfHistory } from '../judge/summarise-job.ts';

/** A judged run as plain data. `instances` by id of the task; `holder` as of `nextStep`. */
export function dagResult(history: DagHistory, instances: ReadonlyMap<string, number>, holder: Holder | null = null) {
  const summary = summaryOfHistory(history);
  const { graph } = history;
  const shareOf = (kind: 'cpu' | 'io') =>
    byId(summary.shares.filter((one) => one.kind === kind).map(({ id, share }) => [id, share]));
  return {
    periods: history.periods.map((period) => {
      const found = bottlenecksOf(graph, period);
      const idsOf = (kind: 'cpu' | 'io') => found.filter((one) => one.kind === kind).map(({ id }) => id);
      return {
        ...{ startNs: period.startNs, endNs: period.endNs },
        pt: valuesById(graph.vertexIds, period.pt),
        st: valuesById(graph.edgeIds, period.st),
        ...{ cpu: idsOf('cpu'), ioChecked: period.ioChecked, io: idsOf('io') },
      };
    }),
    shares: { cpu: shareOf('cpu'), io: shareOf('io'), none: summary.none },
    timeline: summary.timeline.map(({ kind, id, startNs, endNs }) => ({ kind, id, startNs, endNs })),
    dominant: summary.dominant,
    advice: nextStep(history, { summary, instances, holder }),
  };
}

/** NaN, where nobody lived, is null. */
function valuesById(ids: readonly string[], values: Float64Array): Record<string, number | null> {
  return byId(ids.map((id, place) => [id, finiteOrNull(values[place])]));
}

function finiteOrNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
