import { badInput } from '../../base/errors.ts';
import type { CellRecord } from '../records.ts';
import { readCampaign } from './campaign.ts';
import { cellFolder } from './campaign-folders.ts';
import { damaged } from './damage.ts';
import { inspectCell } from './inspect-cells.ts';
import { type CheckedRecord, checkedOf, readRuns, readVerified } from './verified-cells.ts';

/**
 * Planned cells that have a record, good or failed; `only` looks at one. What a writer is still filling does not count. A
 * campaign in which anything is not as it was written is a `badInput` error that names it, here and wherever else cells are read.
 */
export async function readDoneCells(
  dir: string,
  { only }: { readonly only?: string } = {},
): Promise<ReadonlyMap<string, CellRecord['status']>> {
  if (only !== undefined) {
    const record = await checkedRecord(dir, only);
    return new Map(record === null ? [] : [[only, record.status]]);
  }
  return new Map([...(await readStoredRecords(dir))].map(([id, { status }]) => [id, status]));
}

/** One cell's record, whatever became of the others. Errors are `badInput` naming the folder and what to do. */
export async function readRecord(dir: string, id: string): Promise<CellRecord> {
  const record = await checkedRecord(dir, id);
  if (record === null) throw badInput(`${dir} has no record of cell ${id}.`);
  return { ...record, runs: (await readRuns(dir, [record])).get(id) ?? [] };
}

/** All records without their runs, each of them whole, in the order of their ids; `openCampaign` is for who asks questions. */
export async function readStoredRecords(dir: string): Promise<ReadonlyMap<string, CheckedRecord>> {
  const { cells } = await readVerified(dir, { runs: false });
  return new Map([...cells].map(([id, { record }]) => [id, record]));
}

/** Null where the cell has no record. */
async function checkedRecord(dir: string, id: string): Promise<CheckedRecord | null> {
  const cell = (await readCampaign(dir)).cells.find((planned) => planned.id === id);
  if (cell === undefined) throw badInput(`${dir} has no cell ${id}: name a cell of this campaign.`);
  const { record, problems } = await inspectCell(cellFolder(dir, id), cell);
  const [first] = problems;
  if (first !== undefined) throw damaged(dir, first);
  return record === null ? null : checkedOf(record).record;
}
