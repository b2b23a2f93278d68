import { agentFor } from '../../agents/build.ts';
import { fileName, findMachine, type HostPrograms, MACHINES } from '../../agents/host-programs.ts';
import { infrastructure, PredictError } from '../../base/errors.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { joinWords } from '../../base/text.ts';
import type { BundledProgram } from '../../experiments/workloads/workload.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster, FileFor } from './cluster.ts';
import { compiledProgram, compileOn } from './compile.ts';
import { type Executor, hostFault } from './executor.ts';
import type { Account } from './work-folder.ts';

/** Name of the deployed agent in the work folder. */
export const AGENT = fileName('agent');

const NO_PROGRAMS = sh`for path; do [ -x "$path" ] || echo "$path"; done`;

/** Where a program of ours is on the hosts: where the inventory says, else in the work folder. */
export function remoteProgram(cluster: Cluster, program: BundledProgram): string {
  return givenPath(cluster, program) ?? cluster.remotePath(fileName(program));
}

/**
 * Puts the agent, and what programs of ours a workload runs, on the hosts, and installs the agent for root; with `orAsUser`
 * a host where that may not be goes without. The agent comes with
 * predict, for each kind of machine; programs under MPI are compiled on the head host, unless the inventory says where they are.
 * `programs` are put on every host instead where they are given.
 */
export async function deployPrograms(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    programs,
    wanted = [],
    orAsUser = false,
  }: {
    readonly programs?: HostPrograms | undefined;
    readonly wanted?: readonly BundledProgram[];
    readonly orAsUser?: boolean;
  } = {},
): Promise<void> {
  const fileFor: FileFor = programs ? () => programs.agent : (account, executor) => agentOn(executor, account);
  const others = wanted.filter((name) => givenPath(cluster, name) === undefined);
  const known = programs ? others.map((name) => programs[name]) : [];
  await cluster.deploy(hosts, async (account, host) => [await fileFor(account, host), ...known]);
  refuseMixed(cluster, hosts, others);
  if (!programs && others.length > 0) {
    const files: string[] = [];
    for (const name of others) files.push(await compiledProgram(cluster, name));
    await cluster.deploy(hosts, files);
  }
  await requireGiven(cluster, hosts, wanted);
  await cluster.install(hosts, fileFor, { orAsUser });
}

/**
 * The agent for a host, by what `uname -m` says there: built before or here, else compiled on that host. Errors: `infrastructure`, with
 * what both lack.
 */
export async function agentOn(executor: Executor, { machine, folder }: Account): Promise<string> {
  const known = findMachine(machine);
  if (known === undefined) {
    const only = `its architecture is ${machine}, but the agent supports only ${joinWords(MACHINES)}.`;
    throw hostFault(executor.host, only);
  }
  try {
    return await agentFor(known);
  } catch (error) {
    if (!(error instanceof PredictError && error.kind === 'infrastructure')) throw error;
    const key = { build: 'agent', file: AGENT, compiler: { path: 'cc', about: [machine] } } as const;
    const compiled = await compileOn(executor, `${folder}/programs`, key);
    if ('path' in compiled) return compiled.path;
    throw hostFault(executor.host, `${AGENT} could not be compiled there either: ${compiled.said}. ${error.message}`);
  }
}

function givenPath(cluster: Cluster, program: BundledProgram): string | undefined {
  return program === 'run-harness' ? undefined : cluster.inventory.programs[program];
}

/** One program cannot run on two kinds of machine, nor can one folder hold two agents. */
function refuseMixed(cluster: Cluster, hosts: readonly Host[], compiled: readonly BundledProgram[]): void {
  const [first, ...rest] = hosts;
  if (!first || (compiled.length === 0 && !cluster.inventory.work.shared)) return;
  const { machine } = cluster.account(first.name);
  const other = rest.find(({ name }) => cluster.account(name).machine !== machine);
  if (!other) return;
  const kinds = `${first.name} has the architecture ${machine}, ${other.name} ${cluster.account(other.name).machine}`;
  throw infrastructure(`${kinds}: one program cannot run on both. Use only hosts (and a head) of one architecture.`, {
    host: other.name,
  });
}

async function requireGiven(
  cluster: Cluster,
  hosts: readonly Host[],
  wanted: readonly BundledProgram[],
): Promise<void> {
  const paths = wanted.flatMap((name) => givenPath(cluster, name) ?? []);
  if (paths.length === 0) return;
  await cluster.onEach(hosts, async (executor, { name: host }) => {
    const { stdout } = await executor.exec(scriptWords(NO_PROGRAMS, ...paths));
    const missing = stdout.split('\n').find((line) => line !== '');
    if (missing === undefined) return;
    throw hostFault(host, `${missing}, named under programs in the inventory, is not an executable there.`);
  });
}
