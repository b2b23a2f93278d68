import { readStore } from '../../../analysis/profiles/store/read-store.ts';
import type { ProfileSelection, StoredProfile } from '../../../analysis/profiles/tree/call-profile.ts';
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';

/** The profiles of a store, of one benchmark where it is named. Errors: badInput where there is none. */
export async function openStore(
  store: string,
  benchmark: string | null = null,
): Promise<ProfileSelection<StoredProfile>> {
  const selection = await readStore(store, { benchmark });
  if (selection.profiles.length > 0) return selection;
  const what = benchmark === null ? 'no profile' : `no profile of the benchmark '${shortened(benchmark)}'`;
  throw badInput(`${store} has ${what}: 'predict profiles query ${store}' shows its profiles.`);
}
