import { own } from '../../../base/lists.ts';
import { fitsGlob } from '../../../base/text.ts';
import { NETWORK, PROCESSORS } from '../../across/takeover.ts';
import type { Platform } from '../../platform/platform.ts';
import { UNEXPLAINED } from '../../sources/runs/summarise.ts';
import { IDLE, TRANSFER, WORK } from '../run-graph.ts';

/** The component of Grade10 that waits for other ranks are. */
const WAITING = 'waiting';

/**
 * The component of Grade10 that a key of the path is closest to: transfers the network, those of a phase that only waits the other
 * ranks, work and a missing
 * processor the processors, the rest nothing known.
 */
export function meaningOf(key: string, { measured }: Pick<Platform, 'measured'>): string {
  const trace = measured?.trace ?? {};
  const name = [TRANSFER, WORK, IDLE].reduce(
    (text, end) => (text.endsWith(end) ? text.slice(0, -end.length) : text),
    key,
  );
  const type = own(trace, name) ?? Object.entries(trace).find(([pattern]) => fitsGlob(pattern, name))?.[1];
  if (type === undefined || type === null) return UNEXPLAINED;
  const waits = Object.values(measured?.metrics ?? {}).some((metric) => 'waits' in metric && metric.waits === type);
  const isTravelling = key.endsWith(TRANSFER) || (key === name && measured?.exchanges?.[type] !== undefined);
  if (!isTravelling) return PROCESSORS;
  return waits ? WAITING : NETWORK;
}
