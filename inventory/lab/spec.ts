import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { realPath } from '../../base/paths.ts';
import { asBitsPerSecond, type BitsPerSecond, type Percent } from '../../base/units.ts';
import type { Inventory } from '../inventory-schema.ts';

/** What `predict lab up` was asked for. */
export interface LabSpec {
  /** Distinguishes labs on one machine; names the state folder and the control group. */
  readonly name: string;
  readonly hosts: number;
  /** CPU of each host in percent of one core. */
  readonly cpuPercent: Percent;
  /** Rate of each host's link, each direction. */
  readonly linkBps: BitsPerSecond;
  /** Who logs in and runs the ranks: root, or a user of the lab's hosts alone who may run the agent as root. */
  readonly user: LabUser;
  /**
   * An ordinary user makes it, in a user namespace where that user alone exists and is root. Such a lab has no control groups: ranks keep
   * to their share of the CPU by themselves, and nothing bounds other programs.
   */
  readonly rootless: boolean;
  /** As this machine sees it; the lab's hosts see it as `stateOnHosts`. */
  readonly stateFolder: string;
}

type LabUser = 'predict' | 'root';

/** Of labs that nobody described: so slow that bandwidth decides at low levels, and two cores carry all links of 25 hosts. */
export const LAB_LINK = asBitsPerSecond(15e6);

/** Nobody's on a Debian machine: below the ids that systemd hands out, above those of people. */
export const LAB_UID = 59_077;

/** A host of the lab; `cpuPercent` null means no quota (the head host, which stands for a login node). */
export interface LabHost {
  readonly name: string;
  readonly index: number;
  readonly address: string;
  readonly cpuPercent: number | null;
}

/** The lab's own network. It exists only inside the lab's namespaces. */
export const LAB_NETWORK = '10.77.0.0/16';
export const SWITCH_ADDRESS = '10.77.255.254';
/** Of root's, so that no stranger can put his own things in a lab's way. */
const LABS_FOLDER = '/var/lib/predict-lab';

/** The folder of all labs of this user: root's, or one of an ordinary user's own, whose home may be reached by links. */
export function labsFolder(
  { XDG_STATE_HOME: given, HOME: home = homedir() }: NodeJS.ProcessEnv = process.env,
  rootless = isRootless(),
): string {
  return rootless ? join(realPath(resolve(given || join(home, '.local', 'state'))), 'predict-lab') : LABS_FOLDER;
}

/** Whether a lab of this user is made without root. */
export function isRootless(): boolean {
  return process.getuid?.() !== 0;
}

export function labSpec({
  name,
  hosts,
  cpuPercent,
  linkBps,
  user = 'predict',
}: Pick<LabSpec, 'name' | 'hosts' | 'cpuPercent' | 'linkBps'> & { readonly user?: LabUser }): LabSpec {
  const rootless = isRootless();
  return {
    name,
    hosts,
    cpuPercent,
    linkBps,
    user: rootless ? 'root' : user,
    rootless,
    stateFolder: labStateFolder(name),
  };
}

const LAB_NAME = /^[a-z0-9][a-z0-9-]{0,30}$/;

/** Refuses a name that would lead elsewhere. */
export function labStateFolder(name: string): string {
  if (!LAB_NAME.test(name)) {
    throw badInput(`The lab's name '${name}' is invalid: use at most 31 lower-case letters, digits and dashes.`);
  }
  return join(labsFolder(), name);
}

/** In `sampling.cgroup` of a lab without root: a host's CPU is that of the processes in its PID namespace. */
export const OWN_PROCESSES = '/proc';

/** Whether hosts are those of a lab without root, which all run as the user who made it. */
export function areRootless({ cluster, sampling }: Pick<Inventory, 'cluster' | 'sampling'>): boolean {
  return sampling.cgroup.includes(OWN_PROCESSES) && LAB_NAME.test(cluster);
}

/** The state folder on the lab's hosts. */
export function stateOnHosts({ name }: Pick<LabSpec, 'name'>): string {
  return join(LABS_FOLDER, name);
}

/** The compute hosts node01.. and, last, the head host without a quota. */
export function labHosts(spec: LabSpec): readonly LabHost[] {
  const width = Math.max(2, String(spec.hosts).length);
  const nodes = Array.from({ length: spec.hosts }, (_, position) => ({
    name: `node${String(position + 1).padStart(width, '0')}`,
    index: position + 1,
    address: `10.77.${Math.floor(position / 250)}.${(position % 250) + 1}`,
    cpuPercent: spec.cpuPercent,
  }));
  return [...nodes, { name: 'head', index: spec.hosts + 1, address: '10.77.255.1', cpuPercent: null }];
}
