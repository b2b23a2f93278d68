import { badInput } from '../../base/index.ts';
import type { CellRecord, StoredRecord } from '../records.ts';
import { readCampaign } from './campaign.ts';
import { damaged } from './damage.ts';
import { cellEntries, inspectCell, inspectCells } from './inspect-cells.ts';
import { cellFolder } from './layout.ts';
import { readRuns } from './runs.ts';

/**
 * Planned cells that have a record, good or failed; `only` looks at one. What a writer is still filling does not count. A
 * campaign in which anything is not as it was written is a `badInput` error that names it, here and wherever else cells are read.
 */
export async function doneCells(
  dir: string,
  { only }: { readonly only?: string } = {},
): Promise<ReadonlyMap<string, CellRecord['status']>> {
  const stored = only === undefined ? await storedRecords(dir) : await storedRecord(dir, only);
  return new Map([...stored].map(([id, { status }]) => [id, status]));
}

/** One cell's record, whatever became of the others. Errors are `badInput` naming the folder and what to do. */
export async function readRecord(dir: string, id: string): Promise<CellRecord> {
  const record = (await withRuns(dir, await storedRecord(dir, id))).get(id);
  if (record === undefined) throw badInput(`${dir} has no record of cell ${id}.`);
  return record;
}

/** All records, in the order of their cells' ids; `openCampaign` is for who asks questions. */
export async function readEveryRecord(dir: string): Promise<readonly CellRecord[]> {
  return [...(await withRuns(dir, await storedRecords(dir))).values()];
}

/** All records as they are in record.json, each of them whole, in the order of their ids. */
export async function storedRecords(dir: string): Promise<ReadonlyMap<string, StoredRecord>> {
  const entries = await cellEntries(dir);
  const campaign = await readCampaign(dir);
  const { records, problems } = await inspectCells(dir, { campaign, entries });
  const [first] = problems;
  if (first !== undefined) throw damaged(dir, first);
  return records;
}

/** The same of one cell; empty where it has no record. */
async function storedRecord(dir: string, id: string): Promise<ReadonlyMap<string, StoredRecord>> {
  const cell = (await readCampaign(dir)).cells.find((planned) => planned.id === id);
  if (cell === undefined) throw badInput(`${dir} has no cell ${id}: name a cell of this campaign.`);
  const { record, problems } = await inspectCell(cellFolder(dir, id), cell);
  const [first] = problems;
  if (first !== undefined) throw damaged(dir, first);
  return new Map(record === null ? [] : [[id, record]]);
}

async function withRuns(
  dir: string,
  stored: ReadonlyMap<string, StoredRecord>,
): Promise<ReadonlyMap<string, CellRecord>> {
  const runs = await readRuns(dir, stored);
  return new Map(
    [...stored].map(([id, record]) => {
      const {
        schema: _,
        files: __,
        roots: ___,
        digest: ____,
        ...rest
      } = {
        ...{ files: null, roots: null, digest: null },
        ...record,
      };
      return [id, { ...rest, runs: runs.get(id) ?? [] }];
    }),
  );
}
