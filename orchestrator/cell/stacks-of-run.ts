import { messageOf } from '../../base/errors.ts';
import type { Mark, StackProfile } from '../../experiments/records.ts';
import { readPerfEvents } from '../../experiments/stacks/perf-script.ts';
import { computeSegments } from '../../experiments/stacks/segments.ts';
import type { StackTable } from '../../experiments/stacks/stack-columns.ts';
import { StackFold } from '../../experiments/stacks/stack-fold.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import { type RecordedStacks, textOf } from '../hosts/stack-recorder.ts';

/** A part of the samples that is worth a mark. */
const MUCH = 0.05;

/**
 * What recorders left of a run's ranks as a table, cut at the timed runs of its trace where it has one, and marks that say what
 * is missing.
 */
export async function stacksOfRun(
  recorded: readonly RecordedStacks[],
  {
    profile,
    phases,
    timed,
    ranks,
    startedAt,
  }: {
    readonly profile: StackProfile;
    readonly phases: string | undefined;
    readonly timed: Workload['timed'];
    readonly ranks: number;
    readonly startedAt: Date;
  },
): Promise<{ readonly table: StackTable; readonly marks: readonly Mark[] }> {
  // Times are told apart to the nanosecond only near a whole second of the run.
  const baseS = Math.floor(startedAt.getTime() / 1000);
  const segments = phases === undefined || phases.trim() === '' ? new Map() : computeSegments(phases, { timed, baseS });
  const fold = new StackFold(profile, segments);
  const marks: Mark[] = [];
  const mark = (host: string | null, text: string): void => {
    marks.push({ kind: 'stacks', host, text: host === null ? text : `${host}: ${text}` });
  };
  for (const { host, ranks: known, script, problem } of recorded) {
    if (problem !== null) mark(host, `call stacks: ${problem}.`);
    if (script === null) continue;
    let [strange, first] = [0, ''];
    const note = (line: string): void => {
      if (strange === 0) first = line.slice(0, 80);
      strange += 1;
    };
    try {
      await fold.take(host, known, readPerfEvents(textOf(script), { baseS, strange: note }));
    } catch (error) {
      mark(host, `call stacks: the recording cannot be read completely (${messageOf(error)}).`);
    }
    if (strange > 0) mark(host, `call stacks: ${strange} lines of perf could not be parsed (the first: '${first}').`);
  }
  const table = fold.table();
  const { lost, cut, samples } = fold.losses;
  if (lost > MUCH * samples) mark(null, `Call stacks: perf lost ${lost} of ${samples + lost} samples.`);
  if (cut > MUCH * samples) mark(null, `Call stacks: ${cut} of ${samples} do not reach the program's start.`);
  const seen = new Set(table.rows.map(({ rank }) => rank)).size;
  if (seen < ranks) mark(null, `Call stacks: ${seen} of ${ranks} ranks were recorded.`);
  return { table, marks };
}
