import { formatRate } from '../base/index.ts';
import type { ClassUse } from './proof.ts';

/**
 * What the balance of a run may be off by: a tenth of what its hosts sent and received covers losses and headers that are
 * counted at one end only; a fiftieth of a link's rate is what a time cannot tell from noise; and on free links each host's
 * readings and what its ranks print go to the controller, far less than half a Mbit/s.
 */
const TOLERANCE = { share: 0.1, ofRate: 0.02, perHostBps: 0.5e6 } as const;

/** Traffic with machines outside a run, as its counters tell it. */
export interface Imbalance {
  /** The host whose own counters are the furthest apart. */
  readonly host: string;
  /** One sentence. */
  readonly text: string;
}

/**
 * Traffic of a run's hosts with others; null where there is none to speak of; `rateBps` is that of each link. Hosts of a run send to each other, so that what
 * leaves all of them reaches all of them: a difference came from outside or went there. Traffic among them is not seen.
 */
export function imbalanceOf(uses: readonly ClassUse[], rateBps: number): Imbalance | null {
  const total = (wanted: ClassUse['direction']): number =>
    uses.reduce((sum, { direction, averageBps }) => sum + (direction === wanted ? averageBps : 0), 0);
  const [sent, received] = [total('out'), total('in')];
  const hosts = new Set(uses.map(({ host }) => host)).size;
  const excess = Math.abs(sent - received);
  if (excess <= TOLERANCE.ofRate * rateBps + hosts * TOLERANCE.perHostBps) return null;
  if (excess <= TOLERANCE.share * Math.min(sent, received)) return null;
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
    text: `the hosts of the run ${verb} ${formatRate(excess)} on average that none of them ${other}, ${host} ${formatRate(most)} more than it ${other}`,
  };
}
