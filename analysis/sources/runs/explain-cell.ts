import { formatSeconds } from '../../../base/index.ts';
import { type CellRecord, cellTrace } from '../../../experiments/index.ts';
import { type Analysis, analyse } from '../../grade10/index.ts';
import type { Platform } from '../../platform/index.ts';
import { type CellModelOptions, cellModel, countersOf } from './cell-model.ts';
import { nothingToExplain } from './nothing-to-explain.ts';
import { isBelowSlice, type Summary, summarise } from './summarise.ts';

export interface Explained {
  readonly record: CellRecord;
  readonly platform: Platform;
  readonly analysis: Analysis;
  readonly summary: Summary;
  readonly warnings: readonly string[];
}

/**
 * The whole analysis of one measured run; `dir` is its campaign's folder. Errors: badInput for files that are damaged, and
 * `nothingToExplain` for runs without phases or samples.
 */
export async function explainCell(
  dir: string,
  record: CellRecord,
  { platform, ...options }: CellModelOptions & { readonly platform: Platform },
): Promise<Explained> {
  const trace = await cellTrace(dir, record.cell.id, countersOf(platform));
  if (trace === null) throw nothingToExplain(`The cell ${record.cell.id} was not sampled.`);
  const { model, warnings } = cellModel(record, trace, { ...options, platform });
  const analysis = analyse(model, platform.analyseOptions(model));
  const summary = summarise(analysis, platform);
  const { nodes, scale, bw } = record.cell;
  const shorter = `A ${platform.noun} of ${nodes}:${scale}:${bw} is shorter than a slice of ${formatSeconds(summary.sliceSeconds)} on average: what it spends its time on takes a smaller --slice.`;
  return {
    record,
    platform,
    analysis,
    summary,
    warnings: [...record.marks.map(({ text }) => text), ...warnings, ...(isBelowSlice(summary) ? [shorter] : [])],
  };
}
