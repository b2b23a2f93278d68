import {
  componentLabel,
  componentNames,
  costWords,
  type ExplainedRun,
  explainCampaign,
  type ModelChoice,
  readGoodRuns,
} from '../../../analysis/index.ts';
import { badInput, formatSeconds } from '../../../base/index.ts';
import { note, noteAlike, print, printJson, table } from '../print.ts';

/** Every cell of a campaign in one line, and what they say together. */
export async function explainAll(
  dir: string,
  { json, ...choice }: ModelChoice & { readonly json: boolean | undefined },
): Promise<void> {
  const good = await readGoodRuns(dir, choice);
  if (good.records.length === 0) throw badInput(`${dir} has no measured cell yet: run predict sweep first.`);
  const explained = await explainCampaign(good);
  if (explained === null) throw badInput(`No run in ${dir} left phases or samples: there is nothing to explain.`);
  const { platform, runs, skipped, findings } = explained;
  if (json) {
    const { fits, takeovers, imbalance, forecasts, answer } = explained;
    return printJson({
      model: platform.name,
      cells: runs.map(({ cell, summary, warnings }) => ({ ...cell, ...summary, warnings })),
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
  print(`Per ${platform.noun}, and held up by:`);
  print(
    table(runs, [
      { title: 'scale', value: ({ cell }) => String(cell.scale), align: 'right' },
      { title: 'nodes', value: ({ cell }) => String(cell.nodes), align: 'right' },
      { title: 'bw %', value: ({ cell }) => String(cell.bw), align: 'right' },
      { title: 'time', value: ({ run }) => formatSeconds(run.seconds), align: 'right' },
      ...names.map((name) => ({
        title: componentLabel(name, platform),
        value: ({ run }: ExplainedRun) =>
          `${(((run.components[name] ?? 0) / Math.max(1e-12, run.seconds)) * 100).toFixed(0)} %`,
        align: 'right' as const,
      })),
      {
        title: 'would help most',
        value: ({ summary: { costs } }) => (costs[0] === undefined ? '-' : costWords(costs[0], platform)),
      },
    ]),
  );
  print('');
  for (const { sentence } of findings) print(sentence);
  if (explained.fits.kind === 'refused') note(`predict: no forecast: ${explained.fits.reason}`);
  noteAlike([...runs.flatMap(({ warnings }) => warnings), ...skipped.map(({ reason }) => reason)]);
}
