import { lstatSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { unwritable } from '../../base/errors.ts';
import { type Campaign, inspectCampaign, isMissing, readCampaign } from './campaign.ts';
import { inspectEvents } from './campaign-events.ts';
import { attemptsFolder, campaignPath, cellFolder, setAsideFolder } from './campaign-folders.ts';
import type { Damage } from './damage.ts';
import { findTableProblems } from './duckdb.ts';
import { cellEntries, folderProblem, inspectCells } from './inspect-cells.ts';
import { lockCampaign } from './lock.ts';
import { findPartials, syncPath } from './whole.ts';

interface CampaignCheck {
  /** All that is wrong, not the first of it; none in a campaign that is whole. */
  readonly problems: readonly Damage[];
  /** Hidden files and folders that a sweep is writing, or that a killed one left; the next sweep removes them. */
  readonly partials: readonly string[];
}

/** Everything in a campaign folder that readers rely on, against the plan and by content. Errors: `badInput` for no campaign. */
export async function checkCampaign(dir: string): Promise<CampaignCheck> {
  const entries = await cellEntries(dir);
  const inspected = await inspectCampaign(dir);
  const { campaign } = inspected;
  const noCampaign = isMissing(inspected);
  if (noCampaign && entries.length === 0) await readCampaign(dir);
  const missing: Damage = { path: campaignPath(dir), cell: null, problem: 'is missing', part: null };
  return {
    problems: [
      ...(noCampaign ? [missing] : inspected.problems),
      ...(campaign === null ? [] : await cellProblems(dir, campaign, entries)),
      ...inspectEvents(dir).problems,
      ...(await attemptProblems(dir)),
    ],
    partials: await findPartials(dir),
  };
}

/**
 * Checks a campaign, sets aside what is wrong and checks again: the cells that went are measured by the next sweep. Without a
 * sound campaign.json nothing is moved, for nothing tells what belongs. Errors: `busy` while a sweep writes there.
 */
export async function repairCampaign(
  dir: string,
  holder: string,
): Promise<CampaignCheck & { readonly moved: readonly SetAside[] }> {
  const before = await checkCampaign(dir);
  if (before.problems.every(({ part }) => part === null)) return { ...before, moved: [] };
  const lock = await lockCampaign(dir, holder);
  try {
    const { problems } = await checkCampaign(dir);
    const moved = problems.some(({ part }) => part === null) ? [] : await setAside(dir, problems);
    return { ...(await checkCampaign(dir)), moved };
  } finally {
    lock.release();
  }
}

async function cellProblems(dir: string, campaign: Campaign, entries: readonly string[]): Promise<readonly Damage[]> {
  const { records, problems } = await inspectCells(dir, { campaign, entries });
  const found = [...problems];
  for (const [id, { schema }] of records)
    if (schema === 1) found.push(...(await findTableProblems(cellFolder(dir, id))));
  return found;
}

async function attemptProblems(dir: string): Promise<readonly Damage[]> {
  const path = attemptsFolder(dir);
  const problem = await folderProblem(path);
  return problem === null ? [] : [{ path, cell: null, problem, part: path }];
}

interface SetAside {
  readonly from: string;
  readonly to: string;
}

/**
 * Moves what is wrong into set-aside/<name>-<n>, where n is the first that is free: nothing is deleted or overwritten. Only for the
 * one process that writes in the campaign. Errors: `unwritable`.
 */
async function setAside(dir: string, problems: readonly Damage[]): Promise<readonly SetAside[]> {
  const parts = new Set(problems.flatMap(({ part }) => (part === null ? [] : [part])));
  const moved: SetAside[] = [];
  for (const from of parts) {
    // What lies in a folder that goes goes with it.
    if (parts.has(dirname(from))) continue;
    const to = freePlace(dir, from);
    try {
      await mkdir(setAsideFolder(dir), { recursive: true });
      const problem = await folderProblem(setAsideFolder(dir));
      if (problem !== null) throw new Error(`${setAsideFolder(dir)} ${problem}`);
      await rename(from, to);
      await syncPath(dirname(to));
      await syncPath(dirname(from));
    } catch (error) {
      throw unwritable(to, error);
    }
    moved.push({ from, to });
  }
  return moved;
}

/** cells/ID -> ID-1, cells/ID/notes.txt -> ID-notes.txt-1, events.jsonl -> events.jsonl-1. */
function freePlace(dir: string, from: string): string {
  const [first = '', ...rest] = relative(dir, from).split(sep);
  const name = (first === 'cells' && rest.length > 0 ? rest : [first, ...rest]).join('-');
  const place = (n: number): string => join(setAsideFolder(dir), `${name}-${n}`);
  let n = 1;
  while (lstatSync(place(n), { throwIfNoEntry: false }) !== undefined) n += 1;
  return place(n);
}
