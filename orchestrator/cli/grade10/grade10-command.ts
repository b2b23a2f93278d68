import { parseSeconds } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import type { Grade10Flags } from './one-run.ts';

/** A campaign, one of its cells or a job's folder: whichever was named. Each loads what it needs. */
export async function grade10(dir: string | undefined, flags: Grade10Flags): Promise<void> {
  if ((dir === undefined) === (flags.job === undefined)) {
    throw badInput('Name one source: a campaign folder, or --job FOLDER.');
  }
  if (!['parquet', 'tsv'].includes(flags.format)) {
    throw badInput(`--format: '${shortened(flags.format)}' is unknown: write parquet or tsv.`);
  }
  const detailed = ['against', 'sampling', ...(flags.job === undefined ? (['trace', 'export'] as const) : [])] as const;
  const one = detailed.find((flag) => flags[flag] !== undefined);
  if (one !== undefined && flags.cell === undefined) {
    throw badInput(`--${one} is for one run: name it with --cell NODES:SCALE:BW.`);
  }
  const { loadPlatform } = await import('../../../analysis/platform/load-platform.ts');
  const platform = flags.model === undefined ? undefined : await loadPlatform(flags.model);
  const timesliceNs = flags.slice === undefined ? undefined : Math.round(parseSeconds(flags.slice, '--slice') * 1e9);
  if (flags.whole && dir === undefined) throw badInput('--whole is for a campaign: leave it out with --job.');
  if (flags.nodes !== undefined && (dir === undefined || flags.cell !== undefined)) {
    throw badInput('--nodes is for the forecasts of a campaign: leave it out with --job and --cell.');
  }
  const choice = { platform, timesliceNs, program: flags.program, whole: flags.whole };
  if (dir !== undefined && flags.cell === undefined)
    return await (await import('./all-cells.ts')).explainAll(dir, { ...choice, nodes: flags.nodes, json: flags.json });
  const { explainJob, explainOne } = await import('./one-run.ts');
  if (flags.job !== undefined) await explainJob(flags.job, { platform, timesliceNs, flags });
  else await explainOne(dir ?? '', { ...choice, flags: { ...flags, cell: flags.cell ?? '' } });
}
