import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { infrastructure, messageOf, PredictError } from '../../base/errors.ts';
import { scriptWords } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { cgroupProcesses, createCgroups, type LabCgroups, labCgroups, NO_CGROUPS, removeCgroups } from './cgroups.ts';
import { accounts, ENTER, labFiles, labInventory } from './lab-files.ts';
import {
  isRootless,
  LAB_NETWORK,
  LAB_UID,
  type LabHost,
  type LabSpec,
  labHosts,
  labStateFolder,
  SWITCH_ADDRESS,
  stateOnHosts,
} from './spec.ts';
import { alone, makeStateFolder, removeStateFolder } from './state-folder.ts';
import { missingModule, namespaceProcesses, requireUserNamespaces } from './user-namespace.ts';

const TOOLS = ['sbin/sshd', 'bin/ssh-keygen', 'sbin/ip', 'sbin/tc', 'bin/unshare', 'bin/nsenter', 'bin/sudo'];
const READY_MS = 30_000;

/** Files of this machine; programs under MPI are compiled on the lab's head where they are not given. */
export type LabPrograms = Readonly<Record<'agent' | 'idle', string>> &
  Readonly<Partial<Record<MpiProgram, string>>> & {
    /** sudo's rules for a user, by the agent in his work folder. */
    readonly rulesFor: (user: string, agent: string) => string;
  };
type MpiProgram = 'graph500' | 'graphalytics';

/** Starts the lab and returns when every host's sshd answers. On any failure nothing of it is left. */
export async function labUp(spec: LabSpec, programs: LabPrograms) {
  requireTools(spec);
  if (spec.rootless) await requireUserNamespaces();
  return alone(spec.name, () => start(spec, programs));
}

/** Ends the lab, whatever an earlier `up` left of it; returns how many processes were ended. */
export async function labDown(name: string): Promise<{ readonly name: string; readonly ended: number }> {
  labStateFolder(name);
  return alone(name, () => end(name));
}

async function start(spec: LabSpec, programs: LabPrograms) {
  const groups = groupsOf(spec.name);
  if (processesOf(spec.name).length > 0) {
    throw new PredictError(
      `The lab '${spec.name}' is already running: end it with 'predict lab down --name ${spec.name}'.`,
      {
        kind: 'busy',
      },
    );
  }
  await end(spec.name);
  const hosts = labHosts(spec);
  try {
    await writeState(spec, hosts, programs);
    createCgroups(groups, [{ name: 'switch', cpuPercent: null }, ...hosts]);
    const given = copyGiven(spec, programs);
    const switchPid = await startSwitch(spec, groups);
    const agent = join(spec.stateFolder, 'predict-agent');
    await Promise.all(hosts.map((host) => untilReady(host, agent, switchPid)));
    const inventory = join(spec.stateFolder, 'inventory.yaml');
    writeFileSync(inventory, labInventory({ spec, hosts, groups, agent, switchPid, programs: given }));
    return { name: spec.name, inventory, hosts: computeHosts(hosts) };
  } catch (error) {
    const log = labLog(spec);
    const left = await end(spec.name).then(
      () => '',
      (why: unknown) => ` Parts of it remain: ${messageOf(why)}`,
    );
    throw infrastructure(
      `The lab '${spec.name}' did not start: ${messageOf(error)}${log && ` Its log ends with: ${log}`}${forbidden(log)}${left}`,
      { cause: error },
    );
  }
}

/** What the machine lacks, as far as the log tells; root inside a container lacks what a lab is made of. */
function forbidden(log: string): string {
  const missing = missingModule(log);
  if (missing !== null) return missing;
  if (!/Operation not permitted/.test(log)) return '';
  return '. A lab needs CAP_SYS_ADMIN and CAP_NET_ADMIN: use a privileged container.';
}

async function end(name: string): Promise<{ readonly name: string; readonly ended: number }> {
  const groups = groupsOf(name);
  const ended = new Set<number>();
  for (let round = 0; round < 200; round += 1) {
    const running = processesOf(name);
    if (running.length === 0) break;
    // By its first process the others of a lab without root are found: it comes last.
    for (const id of isRootless() && running.length > 1 ? running.slice(1) : running) {
      ended.add(id);
      kill(id);
    }
    await delay(20);
  }
  const left = processesOf(name);
  if (left.length > 0) {
    throw new PredictError(`Processes of the lab '${name}' do not end: ${left.join(', ')}.`, {
      kind: 'unexpected',
    });
  }
  removeCgroups(groups);
  removeStateFolder(name);
  return { name, ended: ended.size };
}

/** What is there of a lab; null where nobody can tell. */
export function labStatus(name: string) {
  const folder = labStateFolder(name);
  const processes = processesOf(name).length;
  const inventory = join(folder, 'inventory.yaml');
  const ready = existsSync(inventory);
  const spec = readSpec(folder);
  return {
    name,
    state: processes === 0 && !existsSync(folder) ? 'down' : processes > 0 && ready ? 'up' : 'broken',
    inventory: ready ? inventory : null,
    hosts: spec ? computeHosts(labHosts(spec)) : [],
    processes,
    cpuPercent: spec?.cpuPercent ?? null,
    linkBps: spec?.linkBps ?? null,
  };
}

function groupsOf(name: string): LabCgroups {
  return isRootless() ? NO_CGROUPS : labCgroups(name);
}

function processesOf(name: string): readonly number[] {
  return isRootless() ? namespaceProcesses(name) : cgroupProcesses(labCgroups(name));
}

function requireTools({ rootless }: LabSpec): void {
  // Its only user is root in it.
  const needed = TOOLS.filter((tool) => !rootless || tool !== 'bin/sudo');
  const missing = needed.map((tool) => `/usr/${tool}`).filter((tool) => !existsSync(tool));
  if (missing.length > 0) {
    throw infrastructure(`A lab needs ${missing.join(', ')}: run './predict setup' to install them.`);
  }
}

/** Puts built programs where every host of the lab sees them. */
function copyGiven(spec: LabSpec, programs: LabPrograms): Partial<Record<MpiProgram, string>> {
  const given: Partial<Record<MpiProgram, string>> = {};
  for (const name of ['graph500', 'graphalytics'] as const) {
    const file = programs[name];
    if (file === undefined) continue;
    copyFileSync(file, join(spec.stateFolder, basename(file)));
    given[name] = join(stateOnHosts(spec), basename(file));
  }
  return given;
}

async function writeState(spec: LabSpec, hosts: readonly LabHost[], programs: LabPrograms): Promise<void> {
  const folder = makeStateFolder(spec.name);
  const work = join(folder, 'work');
  if (spec.user !== 'root') chownSync(work, LAB_UID, LAB_UID);
  for (const key of ['host', 'user']) {
    const [comment, path] = [`predict-${spec.name}`, join(folder, 'keys', key)];
    await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', path]);
  }
  copyFileSync(programs.agent, join(folder, 'predict-agent'));
  copyFileSync(programs.idle, join(folder, 'libpredict-idle.so'));
  const hostPublicKey = readFileSync(join(folder, 'keys', 'host.pub'), 'utf8');
  const files = labFiles(spec, { hosts, hostPublicKey });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const rules = programs.rulesFor(spec.user, join(stateOnHosts(spec), 'work', basename(programs.agent)));
  const etc = accounts((path) => readFileSync(path, 'utf8'), spec, rules);
  for (const [name, text] of Object.entries(etc)) {
    writeFileSync(join(folder, 'etc', name), text, { mode: name === 'sudoers' ? 0o440 : 0o644 });
  }
}

/** Starts the switch's namespaces; the process id of their first process, as this machine sees it. */
async function startSwitch(spec: LabSpec, groups: LabCgroups): Promise<number> {
  const log = openSync(join(spec.stateFolder, 'log', 'switch'), 'a');
  const address = `${SWITCH_ADDRESS}/${LAB_NETWORK.split('/')[1]}`;
  const given = [spec.rootless ? 'yes' : '', spec.stateFolder, stateOnHosts(spec), address, ...groups.roots];
  const [file = '', ...words] = scriptWords(ENTER, ...given);
  const options: SpawnOptions = { detached: true, stdio: ['ignore', log, log], cwd: '/' };
  const child: ChildProcess = spawn(file, words, options);
  closeSync(log);
  child.unref();
  await once(child, 'spawn');
  const id = Number(child.pid);
  for (let waitedMs = 0; waitedMs < READY_MS; waitedMs += 5) {
    const below = childOf(id);
    if (below !== undefined) return below;
    if (child.exitCode !== null) break;
    await delay(5);
  }
  throw new Error('the switch ended immediately.');
}

function childOf(id: number): number | undefined {
  try {
    const first = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').trim().split(' ')[0];
    return first ? Number(first) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits until the host's sshd sends its greeting. */
async function untilReady(host: LabHost, agent: string, switchPid: number): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (let pauseMs = 20; Date.now() < deadline; pauseMs = Math.min(pauseMs * 2, 200)) {
    const { stdout } = await execa(agent, ['relay', '--netns', `/proc/${switchPid}/ns/net`, host.address, '22'], {
      reject: false,
      timeout: 5_000,
      // An ended input makes sshd say its greeting and close.
      input: '',
      stripFinalNewline: true,
    });
    if (stdout.startsWith('SSH-2.0')) return;
    await delay(pauseMs);
  }
  throw new Error(`${host.name} did not answer on ${host.address} port 22 within ${READY_MS / 1000} s.`);
}

function labLog(spec: LabSpec): string {
  try {
    const folder = join(spec.stateFolder, 'log');
    return lastLines(
      ['switch', ...readdirSync(folder)].map((name) => readFileSync(join(folder, name), 'utf8')).find(Boolean) ?? '',
    );
  } catch {
    return '';
  }
}

function readSpec(folder: string): LabSpec | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'spec.json'), 'utf8')) as LabSpec;
  } catch {
    return undefined;
  }
}

function computeHosts(hosts: readonly LabHost[]): readonly string[] {
  return hosts.filter(({ cpuPercent }) => cpuPercent !== null).map(({ name }) => name);
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
