import { parseCount } from '../../base/bounds.ts';
import { parsePercent, parseRate } from '../../base/units.ts';
import { labDown, labStatus } from '../../inventory/lab/lifecycle.ts';
import { labSpec } from '../../inventory/lab/spec.ts';
import { startLab } from '../own-lab.ts';
import { setUp } from '../setup/set-up.ts';
import type { Flags, Switches } from './flags.ts';
import { left, note, print, printJson, printTable, right } from './print.ts';

type LabFlags = Flags<'name'>;
type UpFlags = Flags<'name' | 'hosts' | 'cpu' | 'link', never, 'root'>;

export async function labUpCommand({ name, hosts, cpu, link, root, json }: UpFlags): Promise<void> {
  const spec = labSpec({
    name,
    hosts: parseCount(hosts, '--hosts'),
    cpuPercent: parsePercent(cpu, '--cpu'),
    linkBps: parseRate(link),
    user: root ? 'root' : 'predict',
  });
  const { programs } = await setUp(note);
  const lab = await startLab(spec, programs);
  if (json) return printJson({ inventory: lab.inventory, hosts: lab.hosts });
  print(`${lab.hosts.length} hosts are up. Inventory: ${lab.inventory}`);
}

export async function labStatusCommand({ name, json }: LabFlags): Promise<void> {
  const state = labStatus(name);
  if (json) return printJson(state);
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
}

export async function labDownCommand({ name, json }: LabFlags): Promise<void> {
  const result = await labDown(name);
  if (json) printJson(result);
  else note(`predict: the lab '${name}' is down (${result.ended} processes ended).`);
}

export async function setup({ json }: Switches): Promise<void> {
  const result = await setUp(note, { everything: true });
  if (json) printJson(result);
}
