import { badInput } from '../../../base/index.ts';
import type { DagFlags } from './flags.ts';

/** What only watched runs can be asked. */
const OF_RUNS = ['target', 'size', 'price', 'out', 'trace'] as const;

/** Watched runs of a job, or a case: whichever was named. */
export async function dagCommand(runs: readonly string[], flags: DagFlags): Promise<void> {
  if (runs.length > 0 === (flags.case !== undefined)) {
    throw badInput("Name one source: folders of runs that 'predict watch' wrote, or --case FILE.json.");
  }
  if (flags.case !== undefined) {
    const flag = OF_RUNS.find((one) => flags[one] !== undefined);
    if (flag !== undefined) throw badInput(`--${flag} is for watched runs: name their folders instead of a case.`);
    const { dagOfCase } = await import('./case.ts');
    return await dagOfCase(flags.case, flags);
  }
  const { dagOfRuns } = await import('./runs.ts');
  await dagOfRuns(runs, flags);
}
