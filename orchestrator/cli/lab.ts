import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseCount } from '../../base/bounds.ts';
import { projectRoot } from '../../base/paths.ts';
import { parsePercent, parseRate } from '../../base/units.ts';
import { type LabPrograms, labDown, labStatus, labUp } from '../../inventory/lab/lifecycle.ts';
import { type LabSpec, labSpec } from '../../inventory/lab/spec.ts';
import { installedAgent, sudoersText } from '../hosts/installed-agent.ts';
import { setUp } from '../setup/set-up.ts';
import type { Flags } from './flags.ts';
import { type Answer, left, note, print, printTable, right } from './print.ts';

type Lab = Awaited<ReturnType<typeof labUp>>;
type Programs = Omit<LabPrograms, 'rulesFor'>;
type UpFlags = Flags<'name' | 'hosts' | 'cpu' | 'link', never, 'root'>;

export async function labUpCommand({ name, hosts, cpu, link, root }: UpFlags): Promise<Answer> {
  const spec = labSpec({
    name,
    hosts: parseCount(hosts, '--hosts'),
    cpuPercent: parsePercent(cpu, '--cpu'),
    linkBps: parseRate(link),
    user: root ? 'root' : 'predict',
  });
  const { programs } = await setUp(note);
  const lab = await startLab(spec, programs);
  return {
    json: { inventory: lab.inventory, hosts: lab.hosts },
    say: () => print(`${lab.hosts.length} hosts are up. Inventory: ${lab.inventory}`),
  };
}

export async function labStatusCommand({ name }: Flags<'name'>): Promise<Answer> {
  const state = labStatus(name);
  const say = (): void =>
    printTable(
      [state],
      [
        left('lab', (row) => row.name),
        left('state', (row) => row.state),
        right('hosts', (row) => row.hosts.length),
        right('processes', (row) => row.processes),
        left('inventory', (row) => row.inventory ?? '-'),
      ],
    );
  return { json: state, say };
}

export async function labDownCommand({ name }: Flags<'name'>): Promise<Answer> {
  const json = await labDown(name);
  return { json, say: () => note(`predict: the lab '${name}' is down (${json.ended} processes ended).`) };
}

export async function setup(): Promise<Answer> {
  return { json: await setUp(note, { everything: true }), say: () => undefined };
}

/** Starts a lab whose user may run the agent as root, by the rules that `inventory init --sudoers` prints, and nothing else. */
export function startLab(spec: LabSpec, programs: Programs): Promise<Lab> {
  const agent = installedAgent(programs.agent);
  return labUp(spec, { ...programs, rulesFor: (user, source) => sudoersText({ user }, { source, agent }) });
}

/**
 * A lab for as long as a task takes. It goes however the task ends: by this process, or by a helper that notices that this process is
 * gone, also by SIGKILL. A lab of that name that is up already is a `busy` error and stays.
 */
export async function withOwnLab<T>(spec: LabSpec, programs: Programs, task: (lab: Lab) => Promise<T>): Promise<T> {
  const stop = labStatus(spec.name).processes === 0 ? endWhenGone(spec.name) : () => undefined;
  try {
    const lab = await startLab(spec, programs);
    try {
      return await task(lab);
    } finally {
      await labDown(spec.name);
    }
  } finally {
    stop();
  }
}

/** Starts the helper: its input ends with this process. Returns what ends it before that. */
function endWhenGone(name: string): () => void {
  const program = join(projectRoot(), 'dist', 'program', 'end-when-gone.cjs');
  // A session of its own: what a terminal sends is for the controller.
  const helper = spawn(process.execPath, [program, name], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  helper.on('error', () => undefined);
  helper.stdin.on('error', () => undefined);
  helper.unref();
  return () => void helper.kill('SIGKILL');
}
