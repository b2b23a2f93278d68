import { formatRate } from '../base/units.ts';
import type { ClassUse } from './proof.ts';

/**
 * What no counter can tell from a run's own traffic, bits per second over all of its hosts: a fiftieth of a link's rate, and
 * on free links what each host sends the controller (readings, what ranks print), far less than half a Mbit/s.
 */
export function unnoticedBps(rateBps: number, hosts: number): number {
  return 0.02 * rateBps + hosts * 0.5e6;
}

/** Of what the hosts of a run sent or received: losses and headers that are counted at one end only stay below it. */
const LOSSES = 0.1;

/** Traffic with machines outside a run, as its counters tell it. */
export interface Imbalance {
  /** The host whose own counters are the furthest apart. */
  readonly host: string;
  /** One sentence. */
  readonly text: string;
}

/**
 * Traffic of a run's hosts with others; null where there is none to speak of. `rateBps` is that of each link. Hosts of a run
 * send to each other, so that what leaves all of them reaches all of them: a difference came from outside or went there.
 * Traffic among them is not seen.
 */
export function imbalanceOf(uses: readonly ClassUse[], rateBps: number): Imbalance | null {
  const total = (wanted: ClassUse['direction']): number =>
    uses.reduce((sum, { direction, averageBps }) => sum + (direction === wanted ? averageBps : 0), 0);
  const [sent, received] = [total('out'), total('in')];
  const hosts = new Set(uses.map(({ host }) => host)).size;
  const excess = Math.abs(sent - received);
  if (excess <= unnoticedBps(rateBps, hosts) || excess <= LOSSES * Math.min(sent, received)) return null;
  const sign = sent > received ? 1 : -1;
  const own = new Map<string, number>();
  for (const { host, direction, averageBps } of uses) {
    own.set(host, (own.get(host) ?? 0) + averageBps * (direction === 'out' ? sign : -sign));
  }
  const [[host, most] = ['', 0]] = [...own].sort(([, a], [, b]) => b - a);
  const verb = sign > 0 ? 'sent' : 'received';
  const other = sign > 0 ? 'received' : 'sent';
  return {
    host,
    text: `the hosts of the run ${verb} ${formatRate(excess)} on average that none of them ${other} (${host}: ${formatRate(most)} more than it ${other})`,
  };
}
