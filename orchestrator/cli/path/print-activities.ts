import { formatSeconds } from '../../../base/index.ts';
import { left, print, printTable, right } from '../print.ts';
import type { ActivitiesResult } from './activities.ts';

/** Lines of each list. */
export const LISTED = 12;

/** A trace's critical path in words: what its time went to, each slice in a line, waits. */
export function printActivities({ properties, slices, waits }: ActivitiesResult): void {
  const [whole, ...parts] = slices;
  if (whole === undefined) return;
  print(
    `The critical path: ${time(whole.lengthNs)} of ${time(whole.endNs - whole.startNs)}, ${counted(whole.hops, 'transfer')}.`,
  );
  if (whole.broken !== null) {
    print(`It ends at ${whole.broken.atNs} ns, where property ${whole.broken.property} does not hold.`);
  }
  const keys = largestFirst(whole.byOperator);
  printTable(keys.slice(0, LISTED), [
    right('share', ([, ns]) => percent(ns, whole.lengthNs)),
    right('time', ([, ns]) => time(ns)),
    right('imbalance', ([key]) => time(whole.imbalanceNs[key] ?? 0)),
    left('of the path', ([key]) => key),
  ]);
  if (keys.length > LISTED) print(`(and ${keys.length - LISTED} more)`);
  print('');
  printTable(largestFirst(whole.byWorker).slice(0, LISTED), [
    right('share', ([, ns]) => percent(ns, whole.lengthNs)),
    right('time', ([, ns]) => time(ns)),
    left('on', ([worker]) => worker),
  ]);
  for (const [property, { violations, at }] of Object.entries(properties)) {
    if (violations > 0)
      print(`\nProperty ${property} does not hold ${counted(violations, 'time')}, first at ${JSON.stringify(at[0])}.`);
  }
  if (parts.length > 0) {
    print('');
    printTable(parts, [
      right('from', ({ startNs }) => time(startNs - whole.startNs)),
      right('length', ({ lengthNs }) => time(lengthNs)),
      right('transfers', ({ hops }) => hops),
      left('mostly in', ({ byOperator, lengthNs }) => leading(byOperator, lengthNs)),
      left('mostly on', ({ byWorker, lengthNs }) => leading(byWorker, lengthNs)),
    ]);
  }
  printWaitsFor(waits);
}

/** The longest waits, and what each was for. */
export function printWaitsFor(waits: ActivitiesResult['waits']): void {
  if (waits.length === 0) return;
  print('\nThe longest waits:');
  printTable(waits.slice(0, LISTED), [
    right('wait', ({ startNs, endNs }) => time(endNs - startNs)),
    left('worker', ({ worker }) => worker),
    left('for', ({ before }) => {
      const step = before.findLast(({ to }) => to !== null);
      return step === undefined ? 'no known cause' : `${step.key} from ${step.worker}`;
    }),
  ]);
}

/** Names that are numbers stand first in a record, whatever their time. */
function largestFirst(profile: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(profile).sort((a, b) => b[1] - a[1]);
}

function leading(profile: Readonly<Record<string, number>>, lengthNs: number): string {
  const [first] = largestFirst(profile);
  return first === undefined ? '' : `${first[0]} (${percent(first[1], lengthNs)})`;
}

/** `1 hop`, `2 hops`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

export function time(ns: number): string {
  return `${ns < 0 ? '-' : ''}${formatSeconds(Math.abs(ns) / 1e9)}`;
}

export function percent(part: number, whole: number): string {
  return `${((part / Math.max(1, whole)) * 100).toFixed(1)} %`;
}
