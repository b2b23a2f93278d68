import { badInput, parseSeconds, shortened } from '../../../base/index.ts';
import { type Flags, withFile } from '../flags.ts';

type Named = 'case' | 'job' | 'cell' | 'against' | 'program' | 'model' | 'slice' | 'trace' | 'export';

/** The options of `predict why --method grade10`, as given. */
export type Grade10Flags = Flags<'format', Named, 'sampling'>;

/** A campaign, one of its cells, a job's folder or a case: whichever was named. Each loads what it needs. */
export async function grade10(named: string | undefined, given: Grade10Flags): Promise<void> {
  const { dir, flags } = withFile(named, given);
  const sources = [dir, flags.job, flags.case].filter((source) => source !== undefined);
  if (sources.length !== 1) {
    throw badInput('Name one source: a campaign folder, --job FOLDER, or --case FILE.json.');
  }
  if (!['parquet', 'tsv'].includes(flags.format)) {
    throw badInput(`--format: '${shortened(flags.format)}' is unknown: write parquet or tsv.`);
  }
  const detailed = ['against', 'sampling', ...(flags.job === undefined ? (['trace', 'export'] as const) : [])] as const;
  const one = detailed.find((flag) => flags[flag] !== undefined);
  if (one !== undefined && flags.cell === undefined) {
    throw badInput(`--${one} is for one run: name it with --cell NODES:SCALE:BW.`);
  }
  if (flags.case !== undefined) return await (await import('./case.ts')).explainCase(flags.case, flags.json);
  const { loadPlatform } = await import('../../../analysis/index.ts');
  const platform = flags.model === undefined ? undefined : await loadPlatform(flags.model);
  const timesliceNs = flags.slice === undefined ? undefined : Math.round(parseSeconds(flags.slice, '--slice') * 1e9);
  const choice = { platform, timesliceNs, program: flags.program };
  if (dir !== undefined && flags.cell === undefined)
    return await (await import('./all-cells.ts')).explainAll(dir, { ...choice, json: flags.json });
  const { explainJob, explainOne } = await import('./one-run.ts');
  if (flags.job !== undefined) await explainJob(flags.job, { platform, timesliceNs, flags });
  else await explainOne(dir ?? '', { ...choice, flags: { ...flags, cell: flags.cell ?? '' } });
}
