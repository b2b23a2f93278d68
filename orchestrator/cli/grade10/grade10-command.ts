import { componentNames } from '../../../analysis/across/run-of-cell.ts';
import { type ExplainedRun, explainCampaign, goodRuns, type RunChoice } from '../../../analysis/explain-campaign.ts';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import type { Platform } from '../../../analysis/platform/platform.ts';
import { componentLabel, costWords, isBelowSlice } from '../../../analysis/sources/runs/summarise.ts';
import { parseSeconds } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';
import { given, refuseFlags } from '../flags.ts';
import { parseForecastNodes } from '../parse-question.ts';
import { type Answer, cellColumns, left, note, noteAlike, print, printTable, right } from '../print.ts';
import { explainJob, explainOne, type Grade10Flags } from './one-run.ts';

/** A campaign, one of its cells or a job's folder: whichever was named. */
export async function grade10(dir: string | undefined, flags: Grade10Flags): Promise<Answer> {
  refuseMixed(dir, flags);
  const platform = flags.model === undefined ? undefined : await loadPlatform(flags.model);
  const timesliceNs = given(flags.slice, (text) => Math.round(parseSeconds(text, '--slice') * 1e9));
  if (dir === undefined) refuseFlags(flags, ['whole'], 'is for a campaign: leave it out with --job.');
  if (dir === undefined || flags.cell !== undefined)
    refuseFlags(flags, ['nodes'], 'is for the forecasts of a campaign: leave it out with --job and --cell.');
  const choice = { platform, timesliceNs, program: flags.program, whole: flags.whole };
  if (flags.job !== undefined) return await explainJob(flags.job, { platform, timesliceNs, flags });
  if (flags.cell === undefined) return await explainAll(dir ?? '', flags.nodes, choice);
  return await explainOne(dir ?? '', { ...choice, flags: { ...flags, cell: flags.cell } });
}

function refuseMixed(dir: string | undefined, flags: Grade10Flags): void {
  if ((dir === undefined) === (flags.job === undefined)) {
    throw badInput('Name one source: a campaign folder, or --job FOLDER.');
  }
  if (!['parquet', 'tsv'].includes(flags.format)) {
    throw badInput(`--format: '${shortened(flags.format)}' is unknown: write parquet or tsv.`);
  }
  const detailed = ['against', 'sampling', ...(flags.job === undefined ? (['trace', 'export'] as const) : [])] as const;
  if (flags.cell === undefined) refuseFlags(flags, detailed, 'is for one run: name it with --cell NODES:SCALE:BW.');
}

/** Every cell of a campaign in one line, and what they say together. */
async function explainAll(dir: string, nodes: string | undefined, choice: Omit<RunChoice, 'nodes'>): Promise<Answer> {
  const open = await openCampaign(dir);
  const asked = given(nodes, (text) => parseForecastNodes(text, open.campaign));
  const good = await goodRuns(open, { ...choice, nodes: asked });
  if (good.records.length === 0) throw badInput(`${dir} has no measured cell yet: run predict sweep first.`);
  const explained = await explainCampaign(good);
  if (explained === null) throw badInput(`No run in ${dir} has phases or samples, so nothing can be explained.`);
  const { platform, runs, skipped, findings, fits, takeovers, imbalance, forecasts, answer } = explained;
  const say = (): void => {
    printRuns(runs, platform);
    for (const { sentence } of findings) print(sentence);
    if (fits.kind === 'refused') note(`predict: no forecast: ${fits.reason}`);
    noteAlike([...runs.flatMap(({ warnings }) => warnings), ...skipped.map(({ reason }) => reason)]);
  };
  const json = {
    model: platform.name,
    cells: runs.map(({ cell, part, summary, warnings }) => ({ ...cell, part, ...summary, warnings })),
    skipped: skipped.map(({ cell, reason }) => ({ id: cell.id, reason })),
    components: fits.kind === 'fitted' ? fits.components.map(({ name, fit }) => ({ name, fit })) : [],
    ...{ takeovers, imbalance, forecasts, answer, findings },
    sentences: findings.map(({ sentence }) => sentence),
  };
  return { json, say };
}

function printRuns(runs: readonly ExplainedRun[], platform: Platform): void {
  const names = componentNames(runs.map(({ run }) => run));
  print(`Per ${platform.noun}, and its bottlenecks:`);
  printTable(runs, [
    ...cellColumns(runs, ({ cell }) => cell),
    right('time', ({ summary, run }) =>
      isBelowSlice(summary) ? `< ${formatSeconds(summary.sliceSeconds)}` : formatSeconds(run.seconds),
    ),
    ...names.map((name) =>
      right<ExplainedRun>(componentLabel(name, platform), ({ summary, run }) => {
        if (isBelowSlice(summary)) return '-';
        const share = (run.components[name] ?? 0) / Math.max(1e-12, run.seconds);
        return `${(share * 100).toFixed(0)} %`;
      }),
    ),
    left('largest saving', ({ summary }) => {
      const [cost] = isBelowSlice(summary) ? [] : summary.costs;
      return cost === undefined ? '-' : costWords(cost, platform);
    }),
  ]);
  print('');
}
