import { ahead, working } from '../../../base/working.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { Traces } from '../../../experiments/store/cell-trace.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import { isNothingToExplain } from '../../problems.ts';

/**
 * What is made of each of some runs, in their order, or why one left nothing; kept in the campaign for the next time under `kind`.
 * Null for `settings`: it is made anew. Errors are those of `make`.
 */
export async function madeOfRuns<Made>(
  good: Pick<OpenCampaign, 'derived' | 'together'> & { readonly settings: string | null },
  records: readonly CellRecord[],
  {
    kind,
    what,
    make,
  }: {
    readonly kind: string;
    /** As people are told while it takes long. */
    readonly what: string;
    readonly make: (record: CellRecord, from: Traces) => Promise<Made>;
  },
): Promise<readonly { readonly record: CellRecord; readonly found: Made | Skipped }[]> {
  const byId = new Map(records.map((record) => [record.cell.id, record]));
  const ids = [...byId.keys()];
  const makeEach = async (missing: readonly string[]): Promise<Map<string, Made | Skipped>> => {
    const wanted = missing.flatMap((id) => byId.get(id) ?? []);
    const made = new Map<string, Made | Skipped>();
    const from = good.together(missing);
    const each = ahead(wanted, async (record) => [record.cell.id, await orSkipped(() => make(record, from))] as const);
    for await (const [id, found] of each) {
      made.set(id, found);
      working(what, made.size, wanted.length);
    }
    return made;
  };
  const { settings } = good;
  const found = settings === null ? await makeEach(ids) : await good.derived({ kind, settings, ids, make: makeEach });
  return records.flatMap((record) => {
    const own = found.get(record.cell.id);
    return own === undefined ? [] : [{ record, found: own }];
  });
}

/** Why a run left nothing. */
interface Skipped {
  readonly skipped: string;
}

async function orSkipped<Made>(make: () => Promise<Made>): Promise<Made | Skipped> {
  try {
    return await make();
  } catch (error) {
    if (!isNothingToExplain(error)) throw error;
    return { skipped: error.message };
  }
}
