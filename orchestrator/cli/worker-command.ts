import { parseCount } from '../../base/bounds.ts';
import { badInput, PredictError } from '../../base/errors.ts';
import { outcomeText, retriedText } from '../../experiments/store/event-text.ts';
import { loadInventory } from '../../inventory/load-inventory.ts';
import { siteSchema } from '../fleet/fleet-records.ts';
import { workForFleet } from '../fleet/work-for-fleet.ts';
import { type Flags, given } from './flags.ts';
import { interruptible } from './interrupt.ts';
import { requireInventory } from './pick-hosts.ts';
import { note } from './print.ts';

/** Measures what a queue has for this site, until a signal stops it. */
export async function workerCommand({
  redis,
  inventory: file,
  name,
  slots,
  graphs,
}: Flags<'redis', 'inventory' | 'name' | 'slots' | 'graphs'>): Promise<void> {
  const inventory = loadInventory(requireInventory(file));
  const site = siteSchema.safeParse(name ?? inventory.cluster).data;
  if (site === undefined)
    throw badInput(`--name: '${name}' is not a name of a site: use letters, digits, '.', '_' and '-'.`);
  const most = given(slots, (text) => parseCount(text, '--slots')) ?? null;
  const say = (text: string): void => note(`predict: ${text}`);
  say(`${site} waits for cells; Ctrl-C ends it.`);
  try {
    await interruptible((signal) =>
      workForFleet({
        ...{ redis, inventory, site, slots: most, graphs: graphs?.split(',') ?? [], signal, onNote: say },
        onEvent: ({ name: campaign }, event, cell) => {
          if (event.kind === 'cell-finished') say(`${campaign}: ${cell}: ${outcomeText(event)}`);
          if (event.kind === 'cell-retried') say(`${campaign}: ${retriedText(event, cell)}`);
          if (event.kind === 'note') say(`${campaign}: ${event.text}`);
          if (event.kind === 'cell-given-up') say(`${campaign}: ${cell} was given up: ${event.reason}`);
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof PredictError && error.kind === 'interrupted')) throw error;
    throw new PredictError('Interrupted: cells that were not measured are in the queue again.', {
      kind: 'interrupted',
    });
  }
}
