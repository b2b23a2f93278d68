import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { PERIODS_FILE, RUN_FILE } from '../dag/write-run.ts';

// Where things are in a campaign folder; docs/campaign.md describes it for users.

export const cellsFolder = (dir: string): string => join(dir, 'cells');
export const cellFolder = (dir: string, id: string): string => join(cellsFolder(dir), id);
export const attemptsFolder = (dir: string): string => join(dir, 'attempts');
export const setAsideFolder = (dir: string): string => join(dir, 'set-aside');
export const campaignPath = (dir: string): string => join(dir, 'campaign.json');
export const eventsPath = (dir: string): string => join(dir, 'events.jsonl');
export const campaignCacheFolder = (dir: string): string => join(dir, 'cache');
export const cachePath = (dir: string, name: string): string => join(campaignCacheFolder(dir), name);
export const lockPath = (dir: string): string => join(dir, '.lock');

/** Whether there is a campaign in a folder, in whatever state. */
export function isCampaign(dir: string): boolean {
  return existsSync(campaignPath(dir));
}

/** The files of a cell. */
export const FILES = {
  record: 'record.json',
  runs: 'roots.parquet',
  phases: 'phases.parquet',
  messages: 'messages.parquet',
  samples: 'samples.parquet',
  stacks: 'stacks.parquet',
  dagRun: RUN_FILE,
  dagPeriods: PERIODS_FILE,
  stdout: 'stdout.txt',
  stderr: 'stderr.txt',
} as const;
