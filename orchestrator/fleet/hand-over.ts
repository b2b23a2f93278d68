import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { badInput } from '../../base/errors.ts';
import { formatBytes } from '../../base/units.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import { type Campaign, campaignSchema } from '../../experiments/store/campaign.ts';
import { cellFolder } from '../../experiments/store/campaign-folders.ts';
import { inspectCell } from '../../experiments/store/inspect-cells.ts';
import { checkedOf, readRuns } from '../../experiments/store/verified-cells.ts';
import { writeFolderWhole } from '../../experiments/store/whole.ts';
import { type Offer, offerSchema, parsedAs, type SiteCampaign, WEEK_S } from './fleet-records.ts';
import { type CellArchive, describeArchive, MOST_BYTES, PIECE, packCell, unpackCell } from './pack-cell.ts';

/** Bytes that wait on the server for the owners of a site's cells; what is beyond that waits in the worker's folder. */
const MOST_WAITING = 1024 << 20;
/** Bytes of what a worker says of its hosts. */
const MOST_SUMMARY = 8 << 20;
const SUMMARY = 'inventory';
/** Cells that one command asks for. */
const AT_ONCE = 10_000;
/** Of the bytes that wait for the owners of a site, the sum. */
const TOTAL = 'all';

/** An offer whose pieces are not on the server any more. */
export class Expired extends Error {}

type Summary = Campaign['inventory'];

/**
 * Cells on their way from a worker to an owner: offers by cell, which say what there is, and pieces by digest. Offering twice, fetching
 * twice and acknowledging twice change nothing, and all of it expires.
 */
export class HandOver {
  readonly #redis: Redis;
  readonly #ttlS: number;
  readonly #mostWaiting: number;

  constructor(redis: Redis, { ttlS = WEEK_S, mostWaiting = MOST_WAITING } = {}) {
    this.#redis = redis;
    this.#ttlS = ttlS;
    this.#mostWaiting = mostWaiting;
  }

  /** Says which cells a worker has, and on which hosts they were measured. */
  async announce(place: SiteCampaign, offers: ReadonlyMap<string, Offer>, summary: Summary): Promise<void> {
    const key = offersKey(place);
    const fields = [...offers].flatMap(([cell, offer]) => [cell, JSON.stringify(offer), fromField(offer.worker), '']);
    await this.#redis.hset(key, SUMMARY, JSON.stringify(summary), ...fields);
    await this.#redis.expire(key, this.#ttlS);
  }

  /** Puts the pieces of a cell on the server; false where too much waits there already. Errors: `badInput` for one that is too large. */
  async put(site: string, folder: string, archive: CellArchive, { isAsked = false } = {}): Promise<boolean> {
    const { sha256, bytes } = archive;
    if (bytes > MOST_BYTES) {
      throw badInput(
        `${folder} has ${formatBytes(bytes)}, more than the ${formatBytes(MOST_BYTES)} that a queue passes on: copy it by hand.`,
      );
    }
    const waiting = waitingKey(site);
    const isNew = (await this.#redis.hsetnx(waiting, sha256, bytes)) === 1;
    const all = isNew ? await this.#redis.hincrby(waiting, TOTAL, bytes) : 0;
    await this.#redis.expire(waiting, this.#ttlS);
    if (!isAsked && all > this.#mostWaiting && (await this.#withoutExpired(site, archive)) > this.#mostWaiting) {
      await this.#letGo(site, archive);
      return false;
    }
    let index = 0;
    for await (const piece of packCell(folder, archive)) {
      await this.#redis.set(pieceKey(sha256, index), piece, 'EX', this.#ttlS);
      index += 1;
    }
    return true;
  }

  /** Bytes that wait at a site, once those do not count that nobody fetched in time; `added` is not there yet. */
  async #withoutExpired(site: string, added: CellArchive): Promise<number> {
    for (const [sha256, bytes] of Object.entries(await this.#redis.hgetall(waitingKey(site)))) {
      if (sha256 === TOTAL || sha256 === added.sha256) continue;
      const isThere = (await this.#redis.exists(pieceKey(sha256, 0))) === 1;
      if (!isThere) await this.#letGo(site, { sha256, bytes: Number(bytes) });
    }
    return Number(await this.#redis.hget(waitingKey(site), TOTAL));
  }

  /** What workers have of some cells of a campaign, by cell; what is not an offer is passed over. */
  async offers(place: SiteCampaign, cells: readonly string[]): Promise<ReadonlyMap<string, Offer>> {
    const offers = new Map<string, Offer>();
    for (let from = 0; from < cells.length; from += AT_ONCE) {
      const part = cells.slice(from, from + AT_ONCE);
      const found = await this.#redis.hmget(offersKey(place), ...part);
      for (const [index, cell] of part.entries()) {
        const offer = parsedAs(offerSchema, found[index]);
        if (offer !== null) offers.set(cell, offer);
      }
    }
    return offers;
  }

  /** Whether a worker has said what it has of a campaign. */
  async hasOffersOf(place: SiteCampaign, worker: string): Promise<boolean> {
    return (await this.#redis.hexists(offersKey(place), fromField(worker))) === 1;
  }

  /** The hosts of a site's worker, as a campaign keeps them; null where none said so. */
  async summary(place: SiteCampaign): Promise<Summary | null> {
    if ((await this.#redis.hstrlen(offersKey(place), SUMMARY)) > MOST_SUMMARY) return null;
    return parsedAs(campaignSchema.shape.inventory, await this.#redis.hget(offersKey(place), SUMMARY));
  }

  /** Takes back that a worker has a cell. */
  async withdraw(place: SiteCampaign, cell: string): Promise<void> {
    await this.#redis.hdel(offersKey(place), cell);
  }

  /** Errors: `Expired`; `badInput` for a piece that is too large. */
  async *pieces({ sha256, bytes }: Offer): AsyncGenerator<Buffer> {
    if (bytes > MOST_BYTES) {
      throw badInput(`The archive of a cell has ${formatBytes(bytes)}, more than ${formatBytes(MOST_BYTES)}.`);
    }
    for (let index = 0; index < Math.ceil(bytes / PIECE); index += 1) {
      const key = pieceKey(sha256, index);
      if ((await this.#redis.strlen(key)) > PIECE) {
        throw badInput(`The archive of a cell has a piece of more than ${formatBytes(PIECE)}.`);
      }
      const piece = await this.#redis.getBuffer(key);
      if (piece === null) throw new Expired();
      yield piece;
    }
  }

  /** The pieces of a cell that is stored, or damaged, need not wait any longer. */
  async acknowledge(site: string, offer: Offer): Promise<void> {
    const count = Math.ceil(Math.min(offer.bytes, MOST_BYTES) / PIECE);
    await this.#redis.del(...Array.from({ length: count }, (_, index) => pieceKey(offer.sha256, index)));
    await this.#letGo(site, offer);
  }

  async #letGo(site: string, { sha256, bytes }: Pick<Offer, 'sha256' | 'bytes'>): Promise<void> {
    const waiting = waitingKey(site);
    if ((await this.#redis.hdel(waiting, sha256)) === 1) await this.#redis.hincrby(waiting, TOTAL, -bytes);
  }
}

/** The offer of a cell in a worker's folder. */
export async function offerOf(
  folder: string,
  worker: string,
): Promise<{ readonly offer: Offer; readonly archive: CellArchive }> {
  const archive = await describeArchive(folder);
  return { archive, offer: { worker, sha256: archive.sha256, bytes: archive.bytes } };
}

/**
 * Stores a cell that a worker offers, whole or not at all, once it is what its digest, the plan and the readers of the store say. The
 * campaign must have no record of it. Errors: `badInput`, a sentence, with nothing stored; `unwritable`; those of `pieces`.
 */
export async function receiveCell(
  dir: string,
  cell: Cell,
  { offer, pieces }: { readonly offer: Offer; readonly pieces: AsyncIterable<Buffer> },
): Promise<CellRecord> {
  // Shaped as a campaign, so that the readers of a store read it; hidden from those of this one.
  const scratch = await mkdtemp(join(dir, '.incoming-'));
  try {
    const folder = cellFolder(scratch, cell.id);
    await mkdir(folder, { recursive: true });
    await unpackCell(pieces, offer.sha256, folder);
    const { record, problems } = await inspectCell(folder, cell);
    const [first] = problems;
    if (record === null || first !== undefined) {
      throw badInput(`A cell of worker ${offer.worker} is not valid: its record ${first?.problem ?? 'is missing'}.`);
    }
    const runs = (await readRuns(scratch, [record])).get(cell.id) ?? [];
    await writeFolderWhole(cellFolder(dir, cell.id), async (place) => {
      for (const name of await readdir(folder)) await rename(join(folder, name), join(place, name));
    });
    return { ...checkedOf(record).record, runs };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const offersKey = ({ key, site }: SiteCampaign): string => `predict:offers:${key}:${site}`;
const waitingKey = (site: string): string => `predict:waiting:${site}`;
const pieceKey = (sha256: string, index: number): string => `predict:piece:${sha256}:${index}`;
const fromField = (worker: string): string => `from:${worker}`;
