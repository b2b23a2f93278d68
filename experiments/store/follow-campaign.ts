import { closeSync, fstatSync, openSync, readSync, watch } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { basename } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { LineReader } from '../../base/line-reader.ts';
import { readCampaign } from './campaign.ts';
import { parseEvent, type SweepEvent } from './campaign-events.ts';
import { eventsPath } from './campaign-folders.ts';
import type { LiveFold } from './live-fold.ts';
import { isHolderGone } from './lock.ts';
import { foldCampaign } from './read-live.ts';
import { readVerified } from './verified-cells.ts';

/** Nothing tells that a process was killed: so often it is looked at while a sweep runs. */
const LOOK_MS = 5000;

/** A campaign that a sweep of another process may be adding to. Errors: `badInput` for what is no campaign, or damaged. */
export class FollowedCampaign {
  readonly #dir: string;
  readonly #tail: EventTail;
  #fold: LiveFold;
  #turn: Promise<void> = Promise.resolve();

  static async open(dir: string): Promise<FollowedCampaign> {
    const tail = new EventTail(eventsPath(dir));
    return new FollowedCampaign(dir, tail, await readFold(dir, tail));
  }

  private constructor(dir: string, tail: EventTail, fold: LiveFold) {
    this.#dir = dir;
    this.#tail = tail;
    this.#fold = fold;
  }

  get fold(): LiveFold {
    return this.#fold;
  }

  /** Calls `onChange` after each event, and with null where all may have changed, until the signal. */
  async follow(onChange: (event: SweepEvent | null) => void, signal: AbortSignal): Promise<void> {
    let fail: (error: unknown) => void = () => undefined;
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    failed.catch(() => undefined);
    const look = (): void => {
      this.#turn = this.#turn.then(() => this.#advance(onChange)).catch(fail);
    };
    const stop = await onWrites(this.#dir, look);
    const timer = setInterval(() => {
      if (this.#fold.isRunning) look();
    }, LOOK_MS);
    // What was written since it was opened.
    look();
    try {
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      if (!signal.aborted) await Promise.race([aborted, failed]);
    } finally {
      stop();
      clearInterval(timer);
    }
  }

  async #advance(onChange: (event: SweepEvent | null) => void): Promise<void> {
    const events = this.#tail.read();
    if (events === null) {
      this.#fold = await readFold(this.#dir, this.#tail);
      onChange(null);
      return;
    }
    for (const event of events) {
      if (event.kind === 'sweep-begun' && event.planned.some((id) => !this.#fold.isKnown(id))) {
        this.#fold.plan((await readCampaign(this.#dir)).cells);
      }
      this.#fold.take(event);
      onChange(event);
    }
    // A sweep says that it ends before it gives up its lock.
    if (!this.#fold.isRunning || events.length > 0 || !isHolderGone(this.#dir)) return;
    this.#fold.lose();
    onChange(null);
  }
}

async function readFold(dir: string, tail: EventTail): Promise<LiveFold> {
  const events = tail.restart();
  return await foldCampaign(dir, await readVerified(dir, { runs: false }), events);
}

/** The longest line, which plans a whole sweep. */
const LONGEST_LINE = 2 ** 26;
const PIECE_BYTES = 2 ** 20;

/** A file of events that grows: gives each whole line once. Of a line that is not whole yet the rest is waited for. */
class EventTail {
  readonly #path: string;
  #offset = 0;
  #inode = 0;
  #decoder = new StringDecoder('utf8');
  #found: SweepEvent[] = [];
  #lines = this.#reader();

  constructor(path: string) {
    this.#path = path;
  }

  /** All of it from the beginning. */
  restart(): readonly SweepEvent[] {
    this.#offset = 0;
    this.#inode = 0;
    this.#decoder = new StringDecoder('utf8');
    this.#lines = this.#reader();
    return this.read() ?? [];
  }

  /** What came since the last time; null where the file is another one or was cut. One that is not there has nothing. */
  read(): readonly SweepEvent[] | null {
    this.#found = [];
    const file = openOrNull(this.#path);
    if (file === null) return [];
    try {
      const { size, ino } = fstatSync(file);
      if (size < this.#offset || (this.#inode !== 0 && ino !== this.#inode)) return null;
      this.#inode = ino;
      const piece = Buffer.alloc(Math.min(PIECE_BYTES, size - this.#offset));
      while (this.#offset < size) {
        const length = readSync(file, piece, 0, Math.min(piece.length, size - this.#offset), this.#offset);
        if (length === 0) break;
        this.#offset += length;
        this.#lines.add(this.#decoder.write(piece.subarray(0, length)));
      }
      return this.#found;
    } finally {
      closeSync(file);
    }
  }

  /** A line that a killed sweep cut off is none. */
  #reader(): LineReader {
    const onLine = (line: string): void => {
      const event = line.trim() === '' ? null : parseEvent(line);
      if (event !== null) this.#found.push(event);
    };
    return new LineReader({ onLine, mostLineBytes: LONGEST_LINE });
  }
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** File systems that tell nothing of what other machines write (statfs(2)): NFS, SMB, CIFS, FUSE, Lustre, Ceph, GPFS, BeeGFS, 9p. */
const REMOTE = [0x6969, 0xfe534d42, 0xff534d42, 0x65735546, 0x0bd00bd0, 0x00c36400, 0x47504653, 0x19830326, 0x01021997];
/** Where nobody tells: between two looks. */
const POLL_MS = 500;

/** Calls `act` whenever the events of a campaign may have grown; returns what ends that. */
async function onWrites(dir: string, act: () => void): Promise<() => void> {
  const poll = (): (() => void) => {
    const timer = setInterval(act, POLL_MS);
    return () => clearInterval(timer);
  };
  const { type } = await statfs(dir);
  if (REMOTE.includes(type)) return poll();
  const name = basename(eventsPath(dir));
  try {
    const watcher = watch(dir, (_, file) => {
      if (file === null || file === name) act();
    });
    let stop = (): void => watcher.close();
    watcher.on('error', () => {
      watcher.close();
      stop = poll();
    });
    return () => stop();
  } catch {
    // Such as a kernel without a watch left.
    return poll();
  }
}
