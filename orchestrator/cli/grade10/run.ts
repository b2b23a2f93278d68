import { badInput, parseSeconds, shortened } from '../../../base/index.ts';
import type { Grade10Flags } from './flags.ts';

/** A campaign, one of its cells, a job's folder or a case: whichever was named. Each loads what it needs. */
export async function grade10(dir: string | undefined, flags: Grade10Flags): Promise<void> {
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
  if (flags.case !== undefined) {
    const { explainCase } = await import('./case.ts');
    return await explainCase(flags.case, flags.json);
  }
  const { loadPlatform } = await import('../../../analysis/index.ts');
  const platform = flags.model === undefined ? undefined : await loadPlatform(flags.model);
  const timesliceNs = flags.slice === undefined ? undefined : Math.round(parseSeconds(flags.slice, '--slice') * 1e9);
  if (flags.job !== undefined) {
    const { explainJob } = await import('./job.ts');
    return await explainJob(flags.job, { platform, timesliceNs, flags });
  }
  if (flags.cell === undefined) {
    const { explainAll } = await import('./all-cells.ts');
    return await explainAll(dir ?? '', { platform, timesliceNs, program: flags.program, json: flags.json });
  }
  const { explainOne } = await import('./one-cell.ts');
  await explainOne(dir ?? '', { platform, timesliceNs, program: flags.program, flags: { ...flags, cell: flags.cell } });
}
