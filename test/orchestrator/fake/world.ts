import type { Inventory } from '../../../inventory/inventory-schema.ts';
import { parseInventory } from '../../../inventory/load-inventory.ts';
import type { OpenExecutor } from '../../../orchestrator/hosts/executor.ts';
import { FakeHost } from '../fake-host.ts';
import type { Answer } from './answer.ts';
import { FakeClock } from './clock.ts';
import { FakeLink } from './link.ts';
import { FakeFifo } from './orders.ts';
import { Probes } from './probes.ts';

/** A run of the launcher, for whoever plays the program. */
export interface Launched {
  /** The hosts of its ranks, in rank order. */
  readonly hosts: readonly FakeHost[];
  /** The program and its arguments, without the launcher's. */
  readonly argv: readonly string[];
  /** Puts a file on the first host. */
  readonly write: (path: string, text: string) => void;
  readonly print: (text: string) => void;
}

/** Plays the program: may move the clock, pass traffic, write files, break things. */
export type Program = (run: Launched) => Promise<Partial<Answer>>;

/** Fake hosts n1, n2, ... on one network, with the clock that they all live by. */
export class FakeWorld {
  readonly clock = new FakeClock();
  readonly inventory: Inventory;
  readonly probes = new Probes();
  /** `HOST VERB` of everything that was asked, in order. */
  readonly asked: string[] = [];
  readonly commands: string[] = [];
  program: Program = solve;
  /** What a program that follows orders does before it is ready. */
  start: Program = async () => ({});
  readonly #fifos = new Map<string, FakeFifo>();
  readonly #hosts = new Map<string, FakeHost>();
  #waiting: { readonly what: string; readonly times: number; readonly resolve: () => void }[] = [];

  /** `extra` is more of the inventory's YAML. */
  constructor(count = 4, extra = '') {
    const work = extra.includes('work:') ? '' : 'work: {folder: /srv/predict}\n';
    const network = extra.includes('network:') ? '' : 'network: {interface: eth0}\n';
    const text = `cluster: fake\nhosts: [${count === 1 ? 'n1' : `"n[1-${count}]"`}]\n${network}lineRate: 100mbit\n${work}${extra}`;
    this.inventory = parseInventory(text, '/fake/inventory.yaml');
    const shared = new Map<string, Buffer>();
    const all = [...this.inventory.hosts, ...(this.inventory.mpi.head ? [this.inventory.mpi.head] : [])];
    for (const [index, { name }] of all.entries()) {
      const files = this.inventory.work.shared ? shared : new Map<string, Buffer>();
      const link = new FakeLink(this.clock, this.inventory.lineRate);
      this.#hosts.set(name, new FakeHost(this, { name, address: `10.0.0.${index + 1}`, link, files }));
    }
  }

  readonly open: OpenExecutor = ({ name }) => this.host(name);

  host(name: string): FakeHost {
    const host = this.#hosts.get(name);
    if (!host) throw new Error(`there is no fake host ${name}`);
    return host;
  }

  fifo(path: string): FakeFifo {
    const fifo = this.#fifos.get(path) ?? new FakeFifo();
    this.#fifos.set(path, fifo);
    return fifo;
  }

  get hosts(): readonly FakeHost[] {
    return [...this.#hosts.values()];
  }

  /** Resolves once the host has been asked for `verb`, so many times in all. */
  when(name: string, verb: string, times = 1): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ what: `${name} ${verb}`, times, resolve });
      this.#wake();
    });
  }

  /** How often `HOST VERB` (or the verb alone, on any host) was asked. */
  count(what: string): number {
    return this.asked.filter((each) => each === what || each.endsWith(` ${what}`)).length;
  }

  note(host: FakeHost, verb: string, command: string): void {
    this.asked.push(`${host.host} ${verb}`);
    this.commands.push(`${host.host}: ${command}`);
    this.#wake();
  }

  #wake(): void {
    const isDue = ({ what, times }: { what: string; times: number }): boolean => this.count(what) >= times;
    const due = this.#waiting.filter(isDue);
    this.#waiting = this.#waiting.filter((each) => !isDue(each));
    for (const { resolve } of due) resolve();
  }
}

/** Two seconds at half of what the links allow, and the line that a `command` workload looks for. */
export const solve: Program = async ({ hosts, print }) => {
  const { clock } = (hosts[0] as FakeHost).world;
  const seconds = 2;
  await clock.advance(seconds * 1000);
  if (hosts.length > 1) {
    for (const { link } of hosts)
      for (const way of ['out', 'in'] as const) link.pass(way, (link.rateBps / 16) * seconds);
  }
  print('took 12.5 ms\n');
  return {};
};
