import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { badInput, PredictError } from '../../base/errors.ts';
import { compareText } from '../../base/text.ts';
import { working } from '../../base/working.ts';
import { isCampaign } from './campaign-folders.ts';
import { type OpenCampaign, openCampaign } from './open-campaign.ts';
import { readProblem } from './regular.ts';

/** A campaign below a folder, by its path from there. */
interface FoundCampaign {
  readonly name: string;
  readonly open: OpenCampaign;
}

/** What is passed over, and why. */
export interface SkippedCampaign {
  readonly name: string;
  readonly reason: string;
}

interface Found {
  readonly campaigns: readonly FoundCampaign[];
  readonly skipped: readonly SkippedCampaign[];
}

/**
 * Every campaign anywhere below a folder, verified, in the order of their paths. Damaged ones and folders that cannot be read are skipped; links are not
 * followed, and hidden folders not looked into. Errors: `badInput` where the folder itself cannot be read, or is a campaign.
 */
export async function openCampaignsBelow(folder: string): Promise<Found> {
  if (isCampaign(folder)) throw badInput(`${folder} is itself a campaign: give the folder that has several of them.`);
  const skipped: SkippedCampaign[] = [];
  const dirs = await foldersBelow(folder, (dir, error) => {
    if (dir === folder) throw badInput(`${folder} ${readProblem(error)}: give a folder that has campaigns.`, error);
    skipped.push({ name: relative(folder, dir), reason: `${dir} ${readProblem(error)}.` });
  });
  const campaigns: FoundCampaign[] = [];
  for (const [index, dir] of dirs.entries()) {
    working('opening campaigns', index, dirs.length);
    const name = relative(folder, dir);
    try {
      campaigns.push({ name, open: await openCampaign(dir) });
    } catch (error) {
      if (!(error instanceof PredictError)) throw error;
      skipped.push({ name, reason: error.message });
    }
  }
  return { campaigns, skipped };
}

/** Those of campaigns; what is inside one is its own. */
async function foldersBelow(folder: string, lost: (dir: string, error: unknown) => void): Promise<readonly string[]> {
  if (isCampaign(folder)) return [folder];
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    lost(folder, error);
    return [];
  });
  const below = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort(compareText);
  const found: string[] = [];
  for (const name of below) found.push(...(await foldersBelow(join(folder, name), lost)));
  return found;
}
