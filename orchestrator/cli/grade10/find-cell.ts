import { type GoodRuns, goodRuns, measurements, type RunChoice } from '../../../analysis/explain-campaign.ts';
import { badInput } from '../../../base/errors.ts';
import { parseCells } from '../../../experiments/parse-cells.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';

/** A finished cell by its id or its setting. Errors: badInput that lists what there is, or says that there is nothing. */
export function findCell({ dir, records }: Pick<GoodRuns, 'dir' | 'records'>, wanted: string): CellRecord {
  const byId = records.find(({ cell }) => cell.id === wanted);
  if (byId) return byId;
  if (wanted.includes(':')) {
    const [setting] = parseCells(wanted);
    const found = records.filter(
      ({ cell }) =>
        cell.nodes === setting?.nodes &&
        cell.scale === setting.scale &&
        cell.bw === setting.bw &&
        cell.rep === setting.rep,
    );
    const [only, another] = found;
    if (another) {
      const ids = found.map(({ cell }) => cell.id).join(', ');
      throw badInput(
        `${dir} has ${found.length} cells ${wanted}, of several programs: add --program, or give an id: ${ids}.`,
      );
    }
    if (only) return only;
  }
  const some = measurements({ records })
    .slice(0, 4)
    .map(({ cell }) => `${cell.nodes}:${cell.scale}:${cell.bw}`);
  if (some.length === 0) {
    throw badInput(
      `${dir} has no finished cell, so ${wanted} does not exist: 'predict status ${dir}' shows the cells, and 'predict sweep' measures the missing ones.`,
    );
  }
  throw badInput(`${dir} has no finished cell ${wanted}: name its id or NODES:SCALE:BW, such as ${some.join(', ')}.`);
}

/** A run as people name it, `DIR:CELL` or a cell of `dir`, with the good runs beside it. */
export async function namedRun(
  text: string,
  dir: string,
  choice: RunChoice,
): Promise<{ readonly good: GoodRuns; readonly record: CellRecord }> {
  const [from, wanted] = placeOf(text, dir);
  const good = await goodRuns(await openCampaign(from), choice);
  return { good, record: findCell(good, wanted) };
}

/** Settings have colons of their own. */
function placeOf(text: string, dir: string): [dir: string, cell: string] {
  const [end = '', cell = ''] = /:((?:\d+:\d+:[\d.]+(?::\d+)?)|[0-9a-f]{16})$/.exec(text) ?? [];
  const other = text.slice(0, text.length - end.length);
  return cell !== '' && /\D/.test(other) ? [other, cell] : [dir, text];
}
