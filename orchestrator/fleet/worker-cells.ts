import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readCampaign } from '../../experiments/store/campaign.ts';
import { cellFolder, isCampaign } from '../../experiments/store/campaign-folders.ts';
import { readDoneCells } from '../../experiments/store/cells.ts';
import { askSchema, type Offer, type SiteCampaign } from './fleet-records.ts';
import { type HandOver, offerOf } from './hand-over.ts';

/** The cells that a worker has measured, a campaign folder for each campaign, and how their owners get them. */
export class WorkerCells {
  readonly #home: string;
  readonly #worker: string;
  readonly #server: HandOver;

  constructor(home: string, worker: string, server: HandOver) {
    this.#home = home;
    this.#worker = worker;
    this.#server = server;
  }

  folderOf(key: string): string {
    return join(this.#home, key);
  }

  /** Puts a stored cell on the server. Errors: `badInput` for one that is too large. */
  async handOver(place: SiteCampaign, id: string): Promise<void> {
    const folder = cellFolder(this.folderOf(place.key), id);
    const { offer, archive } = await offerOf(folder, this.#worker);
    await this.#server.put(place.site, folder, archive);
    await this.#announce(place, new Map([[id, offer]]));
  }

  /** Says what is here of a campaign where the server does not know it from this worker: it was started anew, or emptied. */
  async announceAgain(place: SiteCampaign): Promise<void> {
    const out = this.folderOf(place.key);
    if (!isCampaign(out) || (await this.#server.hasOffersOf(place, this.#worker))) return;
    const offers = new Map<string, Offer>();
    for (const id of (await readDoneCells(out)).keys()) {
      offers.set(id, (await offerOf(cellFolder(out, id), this.#worker)).offer);
    }
    if (offers.size > 0) await this.#announce(place, offers);
  }

  /** Puts a cell on the server that its owner asks for; says so where it is not there any more. */
  async give(asked: unknown, site: string): Promise<void> {
    const ask = askSchema.safeParse(asked).data;
    if (ask === undefined) return;
    const place = { key: ask.key, site };
    const folder = cellFolder(this.folderOf(ask.key), ask.cell);
    if (!existsSync(folder)) return await this.#server.withdraw(place, ask.cell);
    const { offer, archive } = await offerOf(folder, this.#worker);
    await this.#server.put(site, folder, archive, { isAsked: true });
    await this.#announce(place, new Map([[ask.cell, offer]]));
  }

  async #announce(place: SiteCampaign, offers: ReadonlyMap<string, Offer>): Promise<void> {
    const { inventory } = await readCampaign(this.folderOf(place.key));
    await this.#server.announce(place, offers, inventory);
  }
}
