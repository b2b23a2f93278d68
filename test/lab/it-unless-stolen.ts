import { readFileSync } from 'node:fs';
import { it } from 'vitest';

/** Of the machine's processors a hypervisor takes this share at most where rates and times are as the lab says. */
const MOST_STOLEN = 0.15;

/** Ticks of /proc/stat (proc(5)) of all processors: all of them, and those that a hypervisor took. */
function ticks(): { readonly all: number; readonly stolen: number } {
  const [, ...columns] = readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/) ?? [];
  // Times of guests are in those of users already.
  const times = columns.slice(0, 8).map(Number);
  return { all: times.reduce((sum, one) => sum + one, 0), stolen: times[7] ?? 0 };
}

/** A test whose failure counts unless the hypervisor took processors from this machine meanwhile: then it is skipped, with the share. */
export function itUnlessStolen(title: string, body: () => Promise<void>): void {
  it(title, async (context) => {
    const before = ticks();
    try {
      await body();
    } catch (error) {
      const after = ticks();
      const share = (after.stolen - before.stolen) / Math.max(1, after.all - before.all);
      if (share > MOST_STOLEN) context.skip(`the hypervisor took ${(100 * share).toFixed(0)} % of the processors`);
      throw error;
    }
  });
}
