import { componentNames } from '../../../analysis/across/run-of-cell.ts';
import { type ExplainedRun, explainCampaign, goodRuns, type RunChoice } from '../../../analysis/explain-campaign.ts';
import { componentLabel, costWords, isBelowSlice } from '../../../analysis/sources/runs/summarise.ts';
import { badInput } from '../../../base/errors.ts';
import { formatSeconds } from '../../../base/units.ts';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';
import { given } from '../flags.ts';
import { parseForecastNodes } from '../parse-question.ts';
import { cellColumns, left, note, noteAlike, print, printJson, printTable, right } from '../print.ts';
import type { Grade10Flags } from './one-run.ts';

/** Every cell of a campaign in one line, and what they say together. */
export async function explainAll(
  dir: string,
  { json, nodes, ...choice }: Omit<RunChoice, 'nodes'> & Pick<Grade10Flags, 'json' | 'nodes'>,
): Promise<void> {
  const open = await openCampaign(dir);
  const asked = given(nodes, (text) => parseForecastNodes(text, open.campaign));
  const good = await goodRuns(open, { ...choice, nodes: asked });
  if (good.records.length === 0) throw badInput(`${dir} has no measured cell yet: run predict sweep first.`);
  const explained = await explainCampaign(good);
  if (explained === null) throw badInput(`No run in ${dir} has phases or samples, so nothing can be explained.`);
  const { platform, runs, skipped, findings } = explained;
  if (json) {
    const { fits, takeovers, imbalance, forecasts, answer } = explained;
    return printJson({
      model: platform.name,
      cells: runs.map(({ cell, part, summary, warnings }) => ({ ...cell, part, ...summary, warnings })),
      skipped: skipped.map(({ cell, reason }) => ({ id: cell.id, reason })),
      components: fits.kind === 'fitted' ? fits.components.map(({ name, fit }) => ({ name, fit })) : [],
      takeovers,
      imbalance,
      forecasts,
      answer,
      findings,
      sentences: findings.map(({ sentence }) => sentence),
    });
  }
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
  for (const { sentence } of findings) print(sentence);
  if (explained.fits.kind === 'refused') note(`predict: no forecast: ${explained.fits.reason}`);
  noteAlike([...runs.flatMap(({ warnings }) => warnings), ...skipped.map(({ reason }) => reason)]);
}
