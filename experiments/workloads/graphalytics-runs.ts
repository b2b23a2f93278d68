import { badInput } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';
import { type TimedRun, timedRunSchema } from '../records.ts';

const HEADER = 'run,time_s,load_s,makespan_s,edges,vertices,iterations,bytes_sent,digest';

/**
 * The runs file of agents/graphalytics: one line for each processing of the algorithm, seconds at full precision. `teps` are
 * the benchmark's edges per second. Errors: `badInput` with the line.
 */
export function parseRepetitions(text: string): {
  readonly runs: TimedRun[];
  readonly summary: Record<string, number | string>;
} {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (header?.trim() !== HEADER) throw badInput(`The file of runs does not begin with '${HEADER}'.`);
  let summary: Record<string, number | string> = {};
  const runs = lines.map((line, index) => {
    const fields = line.split(',');
    const [place, ct, loadS, makespanS, edges, vertices, iterations, bytes] = fields.slice(0, 8).map(Number);
    const digest = fields[8];
    const others = [loadS, makespanS, edges, vertices, iterations, bytes];
    const teps = edges !== undefined && ct !== undefined && edges > 0 ? edges / ct : null;
    const parsed = timedRunSchema.safeParse({ index: place, ct, teps, nedge: edges, validateS: null });
    if (!parsed.success || digest === undefined || !others.every((value) => Number.isFinite(value))) {
      throw badInput(`The file of runs is damaged at line ${index + 2}: '${shortened(line)}'.`);
    }
    const whole = { vertices, edges, iterations, load_time: loadS, makespan: makespanS, digest };
    summary = Object.fromEntries(
      Object.entries(whole).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    return parsed.data;
  });
  if (runs.length === 0) throw badInput('The file of runs has no run.');
  return { runs, summary };
}
