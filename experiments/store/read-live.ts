import { median } from 'simple-statistics';
import { provedNews, type SweepEvent } from './campaign-events.ts';
import { LiveFold, type StoredCell } from './live-fold.ts';
import { isHolderGone } from './lock.ts';
import { type CheckedRecord, readRuns, type VerifiedCells } from './verified-cells.ts';

/**
 * A campaign as its plan, its records and `events` have it, which must have been read before the records. Timed runs are read only of
 * records that no event tells of.
 */
export async function foldCampaign(
  dir: string,
  { campaign, cells }: VerifiedCells,
  events: readonly SweepEvent[],
): Promise<LiveFold> {
  const fold = new LiveFold(campaign.name, campaign.cells);
  for (const event of events) fold.take(event);
  const known = new Set(events.flatMap((event) => (event.kind === 'cell-finished' ? [event.id] : [])));
  const records = [...cells.values()].map(({ record }) => record);
  const runs = await readRuns(
    dir,
    records.filter(({ cell }) => !known.has(cell.id)),
  );
  const timesOf = (id: string): readonly number[] => (runs.get(id) ?? []).map(({ ct }) => ct);
  fold.reconcile(new Map(records.map((record) => [record.cell.id, storedCell(record, timesOf(record.cell.id))])));
  if (isHolderGone(dir)) fold.lose();
  return fold;
}

function storedCell(
  { cell, status, startedAt, timing, marks, proof }: CheckedRecord,
  times: readonly number[],
): StoredCell {
  return {
    state: status === 'failed' ? 'failed' : marks.length > 0 ? 'flagged' : 'done',
    medianS: times.length === 0 ? null : median([...times]),
    level: proof === null ? null : provedNews(cell, proof, true),
    at: new Date(Date.parse(startedAt) + timing.totalMs).toISOString(),
  };
}
