import { badInput } from '../../../base/errors.ts';
import type { StackProfile } from '../../../experiments/records.ts';
import type { Campaign } from '../../../experiments/store/campaign.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import { ofProgram } from '../../../experiments/store/programs.ts';
import { type ProfiledRun, profiledRun } from './profiled-run.ts';

/** A campaign's profiled runs of one kind. */
interface ProfiledCampaign {
  readonly campaign: Campaign;
  readonly kind: StackProfile['kind'];
  readonly runs: readonly ProfiledRun[];
  /** Profiled runs that left no stacks. */
  readonly empty: number;
}

/**
 * The profiled runs of a program of a campaign: those of all time where there are any, else those of time on processors. Errors:
 * badInput where there are none, for runs of several programs, and for damaged files.
 */
export async function readProfiledRuns(
  open: OpenCampaign,
  { program }: { readonly program?: string | undefined } = {},
): Promise<ProfiledCampaign> {
  const { dir, campaign, profiled } = open;
  const records = profiled.filter(({ status }) => status === 'ok');
  if (records.length === 0) {
    throw badInput(`${dir} has no profiled run: record some with predict sweep --profile wall --out ${dir}.`);
  }
  const own = ofProgram(records, open, program);
  const kind = own.some(({ cell }) => cell.profile?.kind === 'wall') ? 'wall' : 'cpu';
  const runs: ProfiledRun[] = [];
  let empty = 0;
  for (const { cell } of own.filter((record) => record.cell.profile?.kind === kind)) {
    const table = await open.stacks(cell.id);
    const run = table && profiledRun(cell, table);
    if (run) runs.push(run);
    else empty += 1;
  }
  return { campaign, kind, runs, empty };
}
