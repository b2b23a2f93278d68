import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { projectRoot } from '../../../base/paths.ts';
import { MARK, signal } from '../processes.ts';

/** How long after its end a party is started anew, ms. */
const AGAIN_MS = 800;

interface PartyPlan {
  readonly name: string;
  readonly command: readonly string[];
  readonly folder: string;
  /** Where it keeps what can be made again, which must be its user's alone. */
  readonly cache: string;
  readonly mark: string;
  readonly clockLibrary: string;
  /** Whether it has to be started anew once it has ended with this code; null stands for a signal. */
  readonly again: (code: number | null) => boolean;
}

/** A process that is started again, as a service is, until nobody wants it any more. Its wall clock can be moved. */
export class Party {
  readonly name: string;
  /** Exit codes so far, null for a signal. */
  readonly codes: (number | null)[] = [];
  /** The last process; resolves once it is not started again. */
  readonly over: Promise<void>;
  readonly #plan: PartyPlan;
  #child: ChildProcess | null = null;
  #isWanted = true;

  constructor(plan: PartyPlan) {
    this.name = plan.name;
    this.#plan = plan;
    mkdirSync(join(plan.folder, 'tmp'), { recursive: true });
    this.over = this.#run();
  }

  get id(): number {
    return this.#child?.pid ?? 0;
  }

  /** Where its clock is moved to, in seconds from the true time. */
  get clockFile(): string {
    return join(this.#plan.folder, 'clock');
  }

  get isOver(): boolean {
    return this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** What it said, over all its starts. */
  text(): string {
    return this.codes
      .map((_, index) => readFileSync(this.#log(index), 'utf8'))
      .concat(this.isOver ? [] : readFileSync(this.#log(this.codes.length), 'utf8'))
      .join('');
  }

  /** Ends it by a signal, and it is not started again. */
  async end(name: NodeJS.Signals): Promise<void> {
    this.#isWanted = false;
    if (!this.isOver) signal(this.id, 'SIGCONT');
    if (!this.isOver) signal(this.id, name);
    await this.over;
  }

  async #run(): Promise<void> {
    const { command, mark, folder, cache, clockLibrary, again } = this.#plan;
    for (;;) {
      const file = openSync(this.#log(this.codes.length), 'w');
      const [program = '', ...words] = command;
      const clock = { LD_PRELOAD: clockLibrary, PREDICT_CLOCK: this.clockFile };
      const env = { ...process.env, ...clock, TMPDIR: join(folder, 'tmp'), XDG_CACHE_HOME: cache, [MARK]: mark };
      this.#child = spawn(program, words, { env, stdio: ['ignore', file, file], detached: true, cwd: projectRoot() });
      closeSync(file);
      await once(this.#child, 'exit');
      this.codes.push(this.#child.exitCode);
      if (!this.#isWanted || !again(this.#child.exitCode)) return;
      await delay(AGAIN_MS);
      if (!this.#isWanted) return;
    }
  }

  #log(index: number): string {
    return join(this.#plan.folder, `log-${index}`);
  }
}

/** What a party's connections to the server pass through: `open`, `silent` as behind a firewall that drops all, or `cut`. */
export class Wire {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #state: 'open' | 'silent' | 'cut' = 'open';

  static async to(port: number): Promise<Wire> {
    const wire = new Wire(port);
    wire.#server.listen(0, '127.0.0.1');
    await once(wire.#server, 'listening');
    return wire;
  }

  private constructor(port: number) {
    this.#server = createServer((near) => {
      near.on('error', () => undefined);
      if (this.#state === 'cut') return void near.destroy();
      const far = createConnection(port, '127.0.0.1');
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      for (const [from, to] of [pair, [far, near] as const]) {
        from.on('error', () => undefined);
        from.on('data', (bytes) => void to.write(bytes));
        from.once('close', () => {
          to.destroy();
          this.#pairs.delete(pair);
        });
      }
      if (this.#state === 'silent') this.#apply('pause');
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  set(state: 'open' | 'silent' | 'cut'): void {
    this.#state = state;
    if (state === 'cut') for (const [near, far] of this.#pairs) for (const one of [near, far]) one.destroy();
    else this.#apply(state === 'silent' ? 'pause' : 'resume');
  }

  close(): void {
    this.set('cut');
    this.#server.close();
  }

  #apply(what: 'pause' | 'resume'): void {
    for (const [near, far] of this.#pairs) for (const one of [near, far]) one[what]();
  }
}

/** A Redis server whose file keeps what it was told, up to a second before its end. */
export function redisParty(
  plan: Pick<PartyPlan, 'folder' | 'cache' | 'mark' | 'clockLibrary'> & { readonly port: number },
): Party {
  const { port, folder } = plan;
  const keeps = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--dir', folder];
  const command = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', ...keeps];
  return new Party({ ...plan, name: 'redis', command, again: () => true });
}

/** Removes what a Redis server keeps in its folder. */
export function forget(folder: string): void {
  rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true });
}
