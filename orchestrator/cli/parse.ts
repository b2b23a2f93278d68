import { readFileSync } from 'node:fs';
import { median } from 'simple-statistics';
import { badInput, messageOf, PredictError } from '../../base/errors.ts';
import { formatSeconds, trimNumber } from '../../base/units.ts';
import { parseGraph500 } from '../../experiments/parse-graph500.ts';
import type { Switches } from './flags.ts';
import { print, printJson } from './print.ts';

export async function parse(files: readonly string[], { json }: Switches): Promise<void> {
  const texts = files.map((file) => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw badInput(`${file} cannot be read: ${messageOf(error)}.`);
    }
  });
  const result = parseGraph500(texts);
  const { searches, ...rest } = result;
  if (json) printJson({ ...rest, roots: searches.map(({ index, ...one }) => ({ root: index, ...one })) });
  else if (result.valid) {
    const times = result.searches.map(({ ct }) => ct);
    print(`valid: scale ${result.summary?.scale}, ${result.searches.length} searches, ${result.summary?.ranks} ranks`);
    print(`median time ${formatSeconds(times.length === 0 ? Number.NaN : median(times))}`);
    const teps = result.summary?.bfs.harmonicMeanTeps;
    if (teps) print(`harmonic mean ${trimNumber(teps / 1e6)} million TEPS`);
  }
  if (!result.valid) throw new PredictError(`Invalid run: ${result.reason}`, { kind: 'workload' });
}
