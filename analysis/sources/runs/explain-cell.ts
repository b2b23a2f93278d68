import { formatSeconds } from '../../../base/units.ts';
import { partNoun, type TimedPart } from '../../../experiments/mpi-trace/timed-part.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import { type Analysis, analyse } from '../../grade10/analyse-phases.ts';
import { overCapacity } from '../../grade10/model/create-model.ts';
import type { Platform } from '../../platform/platform.ts';
import { nothingToExplain } from '../../problems.ts';
import { type CellModelOptions, cellModel, countersOf } from './cell-model.ts';
import { isBelowSlice, type Summary, summarise, UNEXPLAINED } from './summarise.ts';

export interface Explained {
  readonly record: CellRecord;
  readonly platform: Platform;
  readonly analysis: Analysis;
  readonly summary: Summary;
  readonly warnings: readonly string[];
  /** Whether readings lie above what a host can do: the excess is dropped. */
  readonly isClipped: boolean;
  /** What of the run is explained; null for all of it. */
  readonly part: TimedPart | null;
}

/**
 * The whole analysis of one measured run. Errors: badInput for files that are damaged, and
 * `nothingToExplain` for runs without phases or samples.
 */
export async function explainCell(
  open: Pick<OpenCampaign, 'trace'>,
  record: CellRecord,
  { platform: given, ...options }: CellModelOptions & { readonly platform: Platform },
): Promise<Explained> {
  const trace = await open.trace(record.cell.id, countersOf(given));
  if (trace === null) throw nothingToExplain(`The cell ${record.cell.id} was not sampled.`);
  const { model, part, warnings } = cellModel(record, trace, { ...options, platform: given });
  const platform = part === null ? given : { ...given, noun: partNoun(given.noun, [part]) };
  const analysis = analyse(model, platform.analyseOptions(model));
  const summary = summarise(analysis, platform);
  return {
    record,
    platform,
    analysis,
    summary,
    part,
    isClipped: model.metrics.some((metric) => overCapacity(metric).length > 0),
    warnings: [...record.marks.map(({ text }) => text), ...warnings, ...cautions(summary, record, platform)],
  };
}

/** Share of a run without a known resource from which on bounds are no bounds: percent. */
const MUCH_UNEXPLAINED = 10;

/** What keeps a summary from saying all. */
function cautions(summary: Summary, { cell }: CellRecord, { noun }: Platform): readonly string[] {
  const { components, seconds, sliceSeconds } = summary;
  if (isBelowSlice(summary)) {
    return [
      `A ${noun} of ${cell.nodes}:${cell.scale}:${cell.bw} is shorter than a slice of ${formatSeconds(sliceSeconds)} on average: use a smaller --slice to see where its time goes.`,
    ];
  }
  const unexplained = components.find(({ name }) => name === UNEXPLAINED)?.seconds ?? 0;
  const percent = (unexplained / seconds) * 100;
  if (percent < MUCH_UNEXPLAINED) return [];
  return [
    `${percent.toFixed(0)} % of a ${noun} of ${cell.nodes}:${cell.scale}:${cell.bw} had no known bottleneck, such as ranks that wait for each other. A faster link or CPU may save more than the stated maximum.`,
  ];
}
