import { existsSync } from 'node:fs';
import { badInput, messageOf } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { parseBytes } from '../../../base/units.ts';
import { type Host, type Inventory, withHead } from '../../../inventory/inventory-schema.ts';
import { loadInventory } from '../../../inventory/load-inventory.ts';
import type { HostTask } from '../../dag/pipes/agents.ts';
import { pipesSource } from '../../dag/pipes/pipes-source.ts';
import type { DagSource } from '../../dag/source.ts';
import { Cluster } from '../../hosts/cluster.ts';
import { deployPrograms } from '../../hosts/deployment.ts';
import { showLinks } from '../../hosts/throttle-hosts.ts';
import { given, type Optional } from '../flags.ts';
import { pickHosts } from '../pick-hosts.ts';
import { note } from '../print.ts';

export interface PipesFlags extends Optional<'pids' | 'record' | 'inventory' | 'hosts'> {
  readonly command?: readonly string[];
  readonly period: string;
  readonly hz: string;
}

/** Processes joined by pipes, here or on hosts of an inventory. */
export async function withPipes<T>(
  flags: PipesFlags,
  { periodS, hz }: { readonly periodS: number; readonly hz: number },
  task: (source: DagSource) => Promise<T>,
): Promise<T> {
  const recordBytes = given(flags.record, parseBytes) ?? null;
  if (flags.hosts !== undefined && flags.inventory === undefined)
    throw badInput('--hosts needs --inventory: name the file that lists them.');
  const inventory = flags.inventory === undefined ? null : loadInventory(flags.inventory);
  const { local, remote } = tasksOf(flags, inventory);
  const options = { periodS, hz, recordBytes };
  if (inventory === null) return await task(pipesSource({ ...options, local, remote: null, link: null }));
  const cluster = new Cluster(inventory);
  try {
    const tasks = pickHosts(inventory, flags.hosts).map((host) => ({ host, task: remote.get(host.name) ?? NOTHING }));
    const missing = [...remote.keys()].find((name) => tasks.every(({ host }) => host.name !== name));
    if (missing !== undefined) throw badInput(`--hosts lacks ${missing}, where a command runs.`);
    const link = await linkOf(
      cluster,
      tasks.map(({ host }) => host),
    );
    return await task(pipesSource({ ...options, local, remote: { cluster, tasks }, link }));
  } finally {
    cluster.close();
  }
}

const NOTHING: HostTask = { command: null, pids: [] };

/** What is named for this machine and for hosts: `node02: ./stage`, `node02:4711`. */
function tasksOf(
  { command = [], pids }: PipesFlags,
  inventory: Inventory | null,
): { readonly local: HostTask | null; readonly remote: ReadonlyMap<string, HostTask> } {
  const names = new Set(inventory === null ? [] : withHead(inventory).map(({ name }: Host) => name));
  const tasks = new Map<string, { command: string | null; pids: number[] }>();
  const taskOn = (name: string): { command: string | null; pids: number[] } => {
    const known = tasks.get(name) ?? { command: null, pids: [] };
    tasks.set(name, known);
    return known;
  };
  for (const text of command) {
    const [, name, rest] = /^\s*([\w.-]+):\s*(.*)$/s.exec(text) ?? [];
    const isHost = name !== undefined && names.has(name);
    const on = taskOn(isHost ? name : HERE);
    const words = isHost ? (rest ?? '') : text;
    if (words.trim() === '') throw badInput('--command is empty: give a pipeline.');
    if (on.command !== null)
      throw badInput(`--command: ${isHost ? name : 'this machine'} has two commands: join them into one with &.`);
    on.command = words;
  }
  for (const text of pids?.split(',') ?? []) {
    const [, name, digits] = /^\s*(?:([\w.-]+):)?(\d{1,9})\s*$/.exec(text) ?? [];
    if (digits === undefined || Number(digits) < 1) throw badInput(`--pids: '${shortened(text)}' is not a process id.`);
    if (name !== undefined && !names.has(name)) throw badInput(`--pids: ${name} is not a host of the given inventory.`);
    if (name === undefined && existsSync('/proc/self') && !existsSync(`/proc/${digits}`))
      throw badInput(`--pids: there is no process ${digits} on this machine.`);
    taskOn(name ?? HERE).pids.push(Number(digits));
  }
  const local = tasks.get(HERE) ?? null;
  tasks.delete(HERE);
  return { local, remote: tasks };
}

/** No host has this name. */
const HERE = '';

/** The rate of the hosts' links, the least of them; null where it cannot be seen. */
async function linkOf(
  cluster: Cluster,
  hosts: readonly Host[],
): Promise<{ readonly rateBps: number; readonly bw: number } | null> {
  const { lineRate } = cluster.inventory;
  try {
    await deployPrograms(cluster, hosts, { orAsUser: true });
    const states = await showLinks(cluster, hosts);
    const rateBps = Math.min(...[...states.values()].map((state) => state.rateBps ?? lineRate));
    return { rateBps, bw: (rateBps / lineRate) * 100 };
  } catch (error) {
    note(`predict: the throttled rates of the links are unknown: ${messageOf(error)}`);
    return null;
  }
}
