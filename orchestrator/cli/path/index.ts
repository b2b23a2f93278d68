import { badInput, parseNumber, shortened } from '../../../base/index.ts';
import { given, spelled } from '../flags.ts';
import type { PathFlags } from './flags.ts';

/** What only a trace of activities can be asked. */
const OF_TRACES = ['format', 'slice', 'near', 'before', 'out', 'follow', 'skew', 'waitFrom', 'saveColumns'] as const;

/** What only runs of ours can be asked. */
const OF_RUNS = ['cell', 'root', 'against', 'program'] as const;

/** A campaign, one of its cells, a case, or a trace: whichever was named. Each loads what it needs. */
export async function criticalPathCommand(dir: string | undefined, flags: PathFlags): Promise<void> {
  const sources = [dir, flags.case, flags.activities].filter((source) => source !== undefined);
  if (sources.length !== 1)
    throw badInput('Name one source: a campaign folder, --case FILE.json, or --activities FILE.');
  const ofRuns = OF_RUNS.find((flag) => flags[flag] !== undefined);
  if (ofRuns !== undefined && dir === undefined) {
    throw badInput(`${spelled(ofRuns)} is for a campaign: name its folder instead of a file.`);
  }
  if (flags.activities !== undefined) {
    if (flags.model !== undefined) throw badInput('--model is for campaigns: leave it out with --activities.');
    const { pathOfFile } = await import('./activities-file.ts');
    return await pathOfFile(flags.activities, flags);
  }
  const ofTrace = OF_TRACES.find((flag) => flags[flag] !== undefined);
  if (ofTrace !== undefined) throw badInput(`${spelled(ofTrace)} is for a trace: name it with --activities FILE.`);
  const alone = (['root', 'against', 'whatIf', 'trace'] as const).find((flag) => flags[flag] !== undefined);
  if (alone !== undefined && flags.cell === undefined) {
    throw badInput(`${spelled(alone)} is for one run: name it with --cell NODES:SCALE:BW.`);
  }
  if (flags.case !== undefined) {
    const { pathOfCase } = await import('./case.ts');
    return await pathOfCase(flags.case, flags);
  }
  const { loadPlatform, WAYS } = await import('../../../analysis/index.ts');
  const by = WAYS.find((way) => way === flags.by);
  if (by === undefined) throw badInput(`--by: '${shortened(flags.by ?? '')}' is unknown: write ${WAYS.join(', ')}.`);
  const platform = flags.model === undefined ? undefined : await loadPlatform(flags.model);
  const choice = {
    platform,
    program: flags.program,
    by,
    level: given(flags.interval, (text) => parseNumber(text, '--interval')) ?? 0.9,
  };
  const { pathsOfRecorded } = await import('./recorded.ts');
  if (await pathsOfRecorded(dir ?? '', { ...choice, flags })) return;
  if (flags.cell !== undefined) {
    const { pathsOfCell } = await import('./cell.ts');
    return await pathsOfCell(dir ?? '', { ...choice, flags: { ...flags, cell: flags.cell } });
  }
  const { pathsOfCampaign } = await import('./campaign.ts');
  await pathsOfCampaign(dir ?? '', { ...choice, json: flags.json });
}
