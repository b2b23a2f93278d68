import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import type { Cell, CellRecord, StoredRecord, TimedRun } from '../records.ts';
import { readCache, writeCache } from './cache-file.ts';
import { type Campaign, readCampaign } from './campaign.ts';
import { campaignPath, cellFolder, FILES } from './campaign-folders.ts';
import { damaged } from './damage.ts';
import { canonicalJson } from './digest.ts';
import { cellIn, parquet, query, unreadable } from './duckdb.ts';
import { type Identities, isSame, readFileIdentities, settledIdentity } from './identity.ts';
import { cellEntries, inspectCells } from './inspect-cells.ts';

/** A record without its timed runs. */
export type CheckedRecord = Omit<CellRecord, 'runs'>;

/** A cell that is as it was written. */
export interface VerifiedCell {
  readonly record: CheckedRecord;
  /** Of the record and, through it, of every file of the cell; null for schema 1, which has none. */
  readonly digest: string | null;
  /** Null where nobody has asked for them yet. */
  readonly runs: readonly TimedRun[] | null;
  /** What its files were when they were verified; null where a change of them might not be seen. */
  readonly files: Identities | null;
}

export interface VerifiedCells {
  readonly campaign: Campaign;
  /** In the order of their ids. */
  readonly cells: ReadonlyMap<string, VerifiedCell>;
}

/** The name of the index in a campaign's cache. */
const INDEX = 'cells';

/**
 * All cells with a record. A cell whose files are those that were verified before is taken from the index, any other one is verified
 * by content, and the index is written again. Errors: `badInput` for what is no campaign and where anything is not as it was written,
 * the same with and without an index.
 */
export async function readVerified(dir: string, { runs }: { readonly runs: boolean }): Promise<VerifiedCells> {
  const nowMs = Date.now();
  const entries = await cellEntries(dir);
  const plan = settledIdentity(campaignPath(dir), nowMs);
  const index = await readIndex(dir, plan);
  const campaign = index.campaign ?? (await readCampaign(dir));
  const known = knownCells(dir, { campaign, entries, index });
  const fresh = await verify(dir, { campaign, entries: entries.filter((id) => !known.has(id)) });
  const merged = [...known, ...fresh].sort(([a], [b]) => (a < b ? -1 : 1));
  const missing = runs ? merged.filter(([, cell]) => cell.runs === null) : [];
  const read = await readRuns(
    dir,
    missing.map(([, { record }]) => record),
  );
  const withRuns = new Map(missing.map(([id, cell]) => [id, { ...cell, runs: read.get(id) ?? [] }]));
  const cells = new Map(merged.map(([id, cell]) => [id, withRuns.get(id) ?? cell]));
  const changed = [...fresh.keys(), ...withRuns.keys()].some((id) => cells.get(id)?.files);
  if (changed || known.size < index.lines.size || (index.campaign === null && plan !== null)) {
    await writeIndex(dir, {
      plan,
      campaign,
      cells,
      lines: index.lines,
      isNew: (id) => fresh.has(id) || withRuns.has(id),
    });
  }
  return { campaign, cells };
}

interface Index {
  /** As it was read; null where campaign.json is not what it was. */
  readonly campaign: Campaign | null;
  readonly lines: ReadonlyMap<string, Buffer>;
}

interface Head {
  /** Identity of campaign.json. */
  readonly plan: string;
  readonly campaign: Campaign;
}

async function readIndex(dir: string, plan: string | null): Promise<Index> {
  const found = await readCache(dir, INDEX);
  if (found === null) return { campaign: null, lines: new Map() };
  // Only this program writes what `readCache` lets through.
  const head: Head | null = JSON.parse(found.head);
  return { campaign: plan !== null && head?.plan === plan ? head.campaign : null, lines: found.lines };
}

/** Cells of the index that are planned and whose files are those of before. */
function knownCells(
  dir: string,
  {
    campaign,
    entries,
    index,
  }: { readonly campaign: Campaign; readonly entries: readonly string[]; readonly index: Index },
): ReadonlyMap<string, VerifiedCell> {
  const planned = new Map<string, Cell>(campaign.cells.map((cell) => [cell.id, cell]));
  const known = new Map<string, VerifiedCell>();
  for (const id of index.lines.size === 0 ? [] : entries) {
    const [cell, line] = [planned.get(id), index.lines.get(id)];
    if (cell === undefined || line === undefined) continue;
    const before: VerifiedCell = JSON.parse(line.toString('utf8'));
    if (before.files === null || !isSame(cellFolder(dir, id), before.files)) continue;
    // In the same campaign.json the same is planned.
    if (index.campaign === null && canonicalJson(cell) !== canonicalJson(before.record.cell)) continue;
    known.set(id, before);
  }
  return known;
}

async function verify(
  dir: string,
  { campaign, entries }: { readonly campaign: Campaign; readonly entries: readonly string[] },
): Promise<ReadonlyMap<string, VerifiedCell>> {
  const nowMs = Date.now();
  const files = new Map(entries.map((id) => [id, readFileIdentities(cellFolder(dir, id), nowMs)]));
  const { records, problems } = await inspectCells(dir, { campaign, entries });
  const [first] = problems;
  if (first !== undefined) throw damaged(dir, first);
  return new Map(
    [...records].map(([id, stored]) => [id, { ...checkedOf(stored), runs: null, files: files.get(id) ?? null }]),
  );
}

/** Without what the store keeps beside a record; null for a digest of schema 1. */
export function checkedOf(stored: StoredRecord): Pick<VerifiedCell, 'record' | 'digest'> {
  if (stored.schema === 1) {
    const { schema: _, roots: __, ...record } = stored;
    return { record, digest: null };
  }
  const { schema: _, files: __, digest, ...record } = stored;
  return { record, digest };
}

async function writeIndex(
  dir: string,
  {
    plan,
    campaign,
    cells,
    lines,
    isNew,
  }: VerifiedCells & { plan: string | null; lines: Index['lines']; isNew: (id: string) => boolean },
): Promise<void> {
  const kept = new Map<string, Buffer>();
  for (const [id, cell] of cells) {
    const line = isNew(id) ? lineOf(cell) : lines.get(id);
    if (line) kept.set(id, line);
  }
  const head: Head | null = plan === null ? null : { plan, campaign };
  await writeCache(dir, INDEX, { head: JSON.stringify(head), lines: kept });
}

/** Null for a cell that the index cannot tell of. */
function lineOf(cell: VerifiedCell): Buffer | null {
  if (cell.files === null) return null;
  const isExact = cell.runs?.every((run) => Object.values(run).every((value) => value === null || isPlain(value)));
  return Buffer.from(JSON.stringify(isExact === false ? { ...cell, runs: null } : cell));
}

/** Whether JSON gives a number back. */
function isPlain(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}

type Stored = Pick<CellRecord, 'cell' | 'status'>;

/** The timed runs of the good ones among some records, by cell. Errors: `badInput` naming the cell. */
export async function readRuns(dir: string, records: readonly Stored[]): Promise<ReadonlyMap<string, TimedRun[]>> {
  const runs = new Map<string, TimedRun[]>();
  const good = records.filter(({ status }) => status === 'ok');
  for (let from = 0; from < good.length; from += AT_ONCE)
    addRuns(runs, await columnsOfRuns(dir, good.slice(from, from + AT_ONCE)));
  const without = good.find(({ cell }) => !runs.has(cell.id));
  if (without) throw await unreadable(cellFolder(dir, without.cell.id), new Error('no run'));
  return runs;
}

/** Files that DuckDB has open together: each takes tens of KB of memory. */
const AT_ONCE = 500;

function addRuns(runs: Map<string, TimedRun[]>, columns: Awaited<ReturnType<typeof query>>): void {
  const [cells = [], index = [], ct = [], teps = [], nedge = [], validateS = []] = columns;
  for (let row = 0; row < cells.length; row += 1) {
    const cell = String(cells[row]);
    const own = runs.get(cell) ?? [];
    runs.set(cell, own);
    own.push({
      index: Number(index[row]),
      ct: Number(ct[row]),
      teps: numberOrNull(teps[row]),
      nedge: numberOrNull(nedge[row]),
      validateS: numberOrNull(validateS[row]),
    });
  }
}

async function columnsOfRuns(dir: string, good: readonly Stored[]): ReturnType<typeof query> {
  const source = parquet(...good.map(({ cell }) => join(cellFolder(dir, cell.id), FILES.runs)));
  try {
    // A run counts for the cell in whose folder it is.
    return await query(
      `SELECT cell, root, ct, teps, nedge, validate_s FROM ${source} WHERE cell = ${cellIn('filename')} ORDER BY cell, root`,
    );
  } catch (error) {
    const [, named] = /[/\\]([0-9a-f]{16})[/\\]roots\.parquet/.exec(messageOf(error).split('\n')[0] ?? '') ?? [];
    throw await unreadable(cellFolder(dir, named ?? good[0]?.cell.id ?? ''), error);
  }
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
