// npm run test:faults -- --fleet [--seed 1] [--count 300] [--jobs 2]: strikes workers, owners and the Redis of fleets on labs with that
// many faults, five in each campaign, and judges from outside what is left. Needs root.
import { writeFileSync } from 'node:fs';
import { groupBy } from '../../../base/lists.ts';
import { prepareGround } from '../ground.ts';
import { Site } from '../site.ts';
import { type Bout, fleetBout } from './bout.ts';

const FAULTS = 5;
const HOSTS = 2;

interface FleetSuite {
  readonly seed: number;
  readonly count: number;
  /** Labs in parallel. */
  readonly jobs: number;
  readonly name: string;
  readonly first?: number;
  readonly signal: AbortSignal;
  readonly onBout?: (bout: Bout) => void;
}

/** Campaigns, one after the other on each lab, until so many faults have struck. */
export async function runFleetFaults({
  seed,
  count,
  jobs,
  name,
  first = 0,
  signal,
  onBout,
}: FleetSuite): Promise<Bout[]> {
  const sites = Array.from({ length: jobs }, (_, index) => new Site(`${name}-${index + 1}`, HOSTS));
  const bouts: Bout[] = [];
  let next = first;
  const struck = (): number => bouts.reduce((sum, { blows }) => sum + blows.length, 0);
  try {
    await Promise.all(sites.map((site) => site.up()));
    const { ground, remove } = await prepareGround(sites[0] as Site);
    const work = async (site: Site): Promise<void> => {
      while (struck() < count && !signal.aborted) {
        next += 1;
        const bout = await fleetBout({ seed, index: next - 1, faults: Math.min(FAULTS, count) }, site, ground);
        bouts.push(bout);
        onBout?.(bout);
        if (bout.problems.length > 0 || !site.isWhole()) await site.up();
        else await site.tidy();
      }
    };
    try {
      await Promise.all(sites.map(work));
    } finally {
      remove();
    }
  } finally {
    await Promise.all(sites.map((site) => site.down()));
  }
  return bouts;
}

/** Prints each campaign as it ends, and a table; whether nothing was wrong. */
export async function reportFleetFaults(options: Omit<FleetSuite, 'onBout'>): Promise<boolean> {
  const began = performance.now();
  const bouts = await runFleetFaults({
    ...options,
    onBout: ({ index, blows, problems, seconds, log }) => {
      const texts = blows.map(({ text }) => text).join(', ');
      const judged = problems.map(({ kind, text }) => `\n  ${kind.toUpperCase()}: ${text}`).join('');
      process.stderr.write(
        `${index} ${problems.length === 0 ? 'good' : 'BAD'} ${seconds.toFixed(0)} s: ${texts}${judged}\n`,
      );
      if (log !== '') writeFileSync(`${options.name}-${index}.log`, log);
    },
  });
  const rows = groupBy(
    bouts.flatMap(({ blows }) => blows),
    ({ kind }) => kind,
  ).map((all) => `| ${all[0]?.kind} | ${all.length} |`);
  console.log(['| fault | times |', '| --- | --- |', ...rows.sort()].join('\n'));
  const problems = bouts.flatMap((bout) => bout.problems);
  const times = (kind: string): number => problems.filter((problem) => problem.kind === kind).length;
  const struck = bouts.reduce((sum, { blows }) => sum + blows.length, 0);
  const again = bouts.reduce((sum, bout) => sum + bout.again, 0);
  console.log(
    `${struck} faults in ${bouts.length} campaigns: ${times('cell lost')} cells lost, ${times('store')} wrong in stores, ` +
      `${times('link left')} links left, ${times('hang')} hangs, ${times('left behind')} left behind, ` +
      `${times('unexpected')} unexpected; ${again} cells measured again; ${((performance.now() - began) / 60_000).toFixed(1)} min`,
  );
  return problems.length === 0;
}
