import { type CellRecord, cellTrace } from '../../experiments/index.ts';
import { analyse } from '../grade10/index.ts';
import { type CellModelOptions, COUNTERS, cellModel } from './cell-model.ts';
import { type Summary, summarise } from './summarise.ts';

/** Where the time of one measured run went; `dir` is its campaign's folder. */
export async function explainCell(
  dir: string,
  record: CellRecord,
  options: CellModelOptions,
): Promise<{ readonly summary: Summary; readonly warnings: readonly string[] }> {
  const { model, warnings } = cellModel(record, await cellTrace(dir, record.cell.id, COUNTERS), options);
  return { summary: summarise(analyse(model)), warnings };
}
