import {
  acrossRuns,
  componentLabel,
  componentNames,
  costWords,
  type Explained,
  explainCell,
  runOf,
  type Summary,
} from '../../../analysis/index.ts';
import { badInput, formatSeconds } from '../../../base/index.ts';
import { note, print, printJson, table } from '../print.ts';
import { type ModelChoice, readMeasured } from './find-cell.ts';

type Row = Pick<Explained, 'platform' | 'summary' | 'warnings'> & { readonly cell: Explained['record']['cell'] };

/** Node counts that forecasts are made for. */
const FORECAST_NODES = [100];

/** Every cell of a campaign in one line, and what they say together. */
export async function explainAll(
  dir: string,
  { json, ...choice }: ModelChoice & { readonly json: boolean | undefined },
): Promise<void> {
  const { campaign, records, options } = await readMeasured(dir, choice);
  const rows: Row[] = [];
  for (const record of records.filter(({ cell }) => cell.role === 'measure')) {
    const { analysis: _, ...explained } = await explainCell(dir, record, options);
    rows.push({ ...explained, cell: record.cell });
  }
  const [first] = rows;
  if (first === undefined) throw badInput(`${dir} has no measured cell yet: run predict sweep first.`);
  const runs = rows.map(({ cell, summary }) => runOf(cell, summary));
  const { ranksPerNode } = campaign.inventory;
  const across = acrossRuns(runs, first.platform, { ranksPerNode, nodes: FORECAST_NODES });
  if (json) {
    const { fits, ...rest } = across;
    const components = fits.kind === 'fitted' ? fits.components.map(({ name, fit }) => ({ name, fit })) : [];
    return printJson({
      model: first.platform.name,
      cells: rows.map(({ cell, summary, warnings }) => ({ ...cell, ...summary, warnings })),
      components,
      ...rest,
    });
  }
  const names = componentNames(runs);
  const label = (name: string): string => componentLabel(name, first.platform);
  print(`Per ${first.platform.noun}, and held up by:`);
  print(
    table(rows, [
      { title: 'scale', value: ({ cell }) => String(cell.scale), align: 'right' },
      { title: 'nodes', value: ({ cell }) => String(cell.nodes), align: 'right' },
      { title: 'bw %', value: ({ cell }) => String(cell.bw), align: 'right' },
      {
        title: 'time',
        value: ({ summary }) => formatSeconds(summary.seconds / Math.max(1, summary.count)),
        align: 'right',
      },
      ...names.map((name) => ({
        title: label(name),
        value: ({ summary }: Row) =>
          share(summary.components.find((part) => part.name === name)?.seconds ?? 0, summary),
        align: 'right' as const,
      })),
      { title: 'would help most', value: firstCost },
    ]),
  );
  print('');
  for (const sentence of across.sentences) print(sentence);
  if (across.fits.kind === 'refused') note(`predict: no forecast: ${across.fits.reason}`);
}

function share(seconds: number, summary: Summary): string {
  return `${((seconds / Math.max(1e-12, summary.seconds)) * 100).toFixed(0)} %`;
}

function firstCost({ summary, platform }: Row): string {
  const [cost] = summary.costs;
  return cost === undefined ? '-' : costWords(cost, platform);
}
