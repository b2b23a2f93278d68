import type { Activities, ActivityPath, PathProfile, Slice, TimelyWait } from '../../../analysis/path/index.ts';
import { profilePath } from '../../../analysis/path/index.ts';
import { formatSeconds } from '../../../base/index.ts';
import { left, print, printTable, right } from '../print.ts';
import { widthOf } from '../terminal.ts';
import { counted, percent } from './print-activities.ts';

const MOST_ENTRIES = 20;
/** Of a terminal that says nothing of its width. */
const WIDTH = 80;
const [SHORTEST_BAR, LONGEST_BAR, LONGEST_NAME] = [8, 40, 32];
/** Columns beside names and bars: share and time. */
const NUMBERS_WIDTH = 20;

/** What the time of a path went into, largest first, with bars that fit the terminal. */
export function printProfile({ byName, byWorker, byPair }: PathProfile, lengthNs: number): void {
  printShares('on the path', byName, lengthNs);
  print('');
  printShares('worker', { ...byWorker }, lengthNs);
  const pairs = Object.fromEntries(Object.entries(byPair).filter(([, ns]) => ns > 0));
  if (Object.keys(pairs).length === 0) return;
  print('');
  printShares('on its way', pairs, lengthNs);
}

/** How long each worker waited, and for whom most. */
export function printWaits({ workers, bornNs, goneNs }: Activities, waits: readonly TimelyWait[]): void {
  const rows = workers.map((worker, index) => {
    const own = waits.filter((wait) => `w${wait.worker}` === worker);
    const ns = (of: readonly TimelyWait[]): number => of.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
    const ran = (goneNs[index] ?? 0) - (bornNs[index] ?? 0);
    const messages = own.filter(({ cause }) => cause !== null);
    return {
      worker,
      count: own.length,
      share: percent(ns(messages), ran),
      input: percent(ns(own) - ns(messages), ran),
    };
  });
  printTable(rows, [
    left('worker', ({ worker }) => worker),
    right('waits', ({ count }) => count),
    right('for messages', ({ share }) => share),
    right('for input', ({ input }) => input),
  ]);
}

interface SliceOfPath {
  readonly slice: Slice;
  readonly path: ActivityPath;
  readonly activities: Activities;
}

/** A line for each slice: what most of its path went into. */
export function printSlices(
  slices: readonly SliceOfPath[],
  { isHeaded = true }: { readonly isHeaded?: boolean } = {},
): void {
  const rows = slices.map(({ slice, path, activities }) => ({
    slice,
    path,
    most: mostOf(profilePath(activities, path), path),
  }));
  if (!isHeaded) {
    for (const { slice, path, most } of rows) {
      print(
        `${seconds(slice.startNs)} to ${seconds(slice.endNs)}, ${counted(path.hops, 'message')} on the path: ${most}`,
      );
    }
    return;
  }
  printTable(rows, [
    right('from', ({ slice }) => seconds(slice.startNs)),
    right('to', ({ slice }) => seconds(slice.endNs)),
    right('messages', ({ path }) => path.hops),
    left('most of the path', ({ most }) => most),
  ]);
}

/** The largest three of a profile. */
function mostOf({ byName }: PathProfile, { lengthNs }: ActivityPath): string {
  const largest = Object.entries(byName).slice(0, 3);
  return largest.map(([name, ns]) => `${name} ${percent(ns, lengthNs)}`).join(', ');
}

function printShares(title: string, shares: Readonly<Record<string, number>>, lengthNs: number): void {
  const entries = Object.entries(shares).sort((one, other) => other[1] - one[1]);
  const shown = entries.slice(0, MOST_ENTRIES);
  const names = shown.map(([name]) => (name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 3)}...`));
  const nameWidth = Math.max(title.length, ...names.map(({ length }) => length));
  const width = widthOf(process.stdout);
  const free = (Number.isFinite(width) ? width : WIDTH) - NUMBERS_WIDTH - nameWidth;
  const barWidth = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, free));
  const most = Math.max(1, ...shown.map(([, ns]) => ns));
  printTable(
    shown.map(([, ns], index) => ({ ns, name: names[index] ?? '' })),
    [
      right('share', ({ ns }) => percent(ns, lengthNs)),
      right('time', ({ ns }) => formatSeconds(ns / 1e9)),
      left(title, ({ name }) => name),
      left('', ({ ns }) => '█'.repeat(Math.round((ns / most) * barWidth))),
    ],
  );
  const rest = entries.slice(MOST_ENTRIES);
  if (rest.length === 0) return;
  const restNs = rest.reduce((sum, [, ns]) => sum + ns, 0);
  print(`and ${rest.length} more with ${percent(restNs, lengthNs)} together`);
}

function seconds(ns: number): string {
  return `${(ns / 1e9).toFixed(6)} s`;
}
