import { badInput } from '../../../base/index.ts';
import type { PathFlags } from './flags.ts';

/** A campaign, one of its cells, or a case: whichever was named. Each loads what it needs. */
export async function criticalPath(dir: string | undefined, flags: PathFlags): Promise<void> {
  const sources = [dir, flags.case].filter((source) => source !== undefined);
  if (sources.length !== 1) throw badInput('Name one source: a campaign folder, or --case FILE.json.');
  if (flags.case !== undefined) {
    const { pathOfCase } = await import('./case.ts');
    return await pathOfCase(flags.case, flags);
  }
}
