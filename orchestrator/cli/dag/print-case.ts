import {
  adviceWords,
  cautionsOf,
  type DagCase,
  DagJudge,
  edgeLabel,
  type LabelOf,
  meanByTime,
  nextStep,
  shareOf,
  summaryOfHistory,
  verdictOf,
  wholePercent,
} from '../../../analysis/dag/index.ts';
import { left, print, printTable, right } from '../print.ts';
import { printTimeline } from './print-parts.ts';

/** A case in words. */
export function printCase({ shape, thresholds, periods }: DagCase): void {
  const judge = new DagJudge(shape, thresholds);
  for (const period of periods) judge.add(period);
  const tasks = new Map(shape.vertices.map(({ id, label }) => [id, label]));
  const taskLabel = (id: string): string => tasks.get(id) ?? id;
  const edges = new Map(shape.edges.map((edge) => [edge.id, edgeLabel(edge, shape.edges, taskLabel)]));
  const labelOf: LabelOf = (id, kind) => (kind === 'cpu' ? tasks : edges).get(id) ?? id;
  const summary = summaryOfHistory(judge);
  print(verdictOf(judge, { summary, labelOf }));
  const instances = new Map(shape.vertices.map((one) => [one.id, one.instances]));
  print(adviceWords(nextStep(judge, { summary, instances }), labelOf));
  const busy = meanByTime(shape.vertices.length, judge.periods, ({ pt }) => pt);
  const full = meanByTime(shape.edges.length, judge.periods, ({ st }) => st);
  const share = (kind: 'cpu' | 'io', id: string) =>
    summary.shares.find((one) => one.kind === kind && one.id === id)?.share ?? 0;
  print('');
  printTable(
    shape.vertices.map((vertex, place) => ({ ...vertex, busy: busy[place] })),
    [
      left('task', ({ label }) => label),
      right('instances', (row) => row.instances),
      right('busy', (row) => shareOf(row.busy)),
      right('bottleneck', ({ id }) => wholePercent(share('cpu', id))),
    ],
  );
  print('');
  printTable(
    shape.edges.map((edge, place) => ({ ...edge, full: full[place] })),
    [
      left('edge', ({ id }) => labelOf(id, 'io')),
      right('full', (row) => shareOf(row.full)),
      right('bottleneck', ({ id }) => wholePercent(share('io', id))),
    ],
  );
  printTimeline(summary.timeline, labelOf);
  for (const caution of cautionsOf(judge, labelOf)) print(`- ${caution}`);
}
