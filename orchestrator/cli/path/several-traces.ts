import { overWorkers, type TracePath } from '../../../analysis/path/across/over-workers.ts';
import type { ReadActivities } from '../../../analysis/path/formats/activity-builder.ts';
import { explainSlice } from '../../../analysis/path/graph/explain-slices.ts';
import { wholeSlice } from '../../../analysis/path/graph/segment.ts';
import { at } from '../../../base/lists.ts';
import { type Column, left, note, print, printJson, printTable, right } from '../print.ts';
import { counted, percent, problemNotes, time } from './print-path.ts';

/** Figure 7.7 has so many largest parts of each path. */
const LARGEST = 5;

interface Row {
  readonly key: string;
  /** By worker count. */
  readonly ns: readonly number[];
}

/** The critical paths of several traces of a program in one table, by worker count. */
export async function pathOverWorkers(
  files: readonly string[],
  {
    read,
    json,
  }: {
    readonly read: (file: string) => Promise<ReadActivities>;
    readonly json: boolean | undefined;
  },
): Promise<void> {
  const traces: (TracePath & { readonly file: string })[] = [];
  for (const file of files) {
    // One after another, so that of each only its profile is kept.
    const { activities, problems } = await read(file);
    const { path: _, ...found } = explainSlice(activities, wholeSlice(activities));
    traces.push({ file, workers: activities.workers.length, ...found, ...(json ? { problems } : {}) });
    if (json) continue;
    problemNotes(problems);
    if (found.broken !== null)
      note(
        `predict: ${file}: the path ends at ${found.broken.atNs} ns, where property ${found.broken.property} does not hold.`,
      );
  }
  const { findings, ...found } = overWorkers(traces);
  if (json) return printJson({ traces, ...found, findings, sentences: findings.map(({ sentence }) => sentence) });
  const { counts, keys } = found;
  print('The critical path by worker count:');
  const shown = keys.filter(({ ns }) => ns.some((one, index) => one > 0 && rankOf(keys, index, one) < LARGEST));
  const rest = counts.map((_, index) => sumOf(keys, index) - sumOf(shown, index));
  const rows: Row[] = [...shown, ...(shown.length < keys.length ? [{ key: 'other activities', ns: rest }] : [])];
  printTable(
    [...rows, { key: 'all', ns: counts.map(({ lengthNs }) => lengthNs) }],
    [
      left('of the path', ({ key }) => key),
      ...counts.flatMap(({ workers, traces: same, lengthNs }, index): Column<Row>[] => [
        right(`${counted(workers, 'worker')}${same > 1 ? ` (${same} traces)` : ''}`, ({ ns }) => time(at(ns, index))),
        right('share', ({ ns }) => percent(at(ns, index), lengthNs)),
      ]),
    ],
  );
  for (const { sentence } of findings) print(`\n${sentence}`);
}

/** How many keys take longer at a worker count. */
function rankOf(keys: readonly Row[], index: number, ns: number): number {
  return keys.filter((other) => at(other.ns, index) > ns).length;
}

function sumOf(rows: readonly Row[], index: number): number {
  return rows.reduce((sum, { ns }) => sum + at(ns, index), 0);
}
