import { SPAN_HEADER } from '../../experiments/mpi-trace/spans.ts';
import { plan } from '../../experiments/plan.ts';
import type { Cell } from '../../experiments/records.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { type CellOutput, writeCell } from '../../experiments/store/write-cell.ts';
import { type AskedSweep, parseSweep, withChoices } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { loadWorkload } from '../../experiments/workloads/load-workload.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import { campaignPlan, goodRecord } from '../experiments/make.ts';

const START_NS = 1_714_557_600_000_000_000n;
const LINE_RATE_BPS = 1e9;
const SEARCHES = 4;
const LEVELS = 1;
/** The parts of a level, as shares of its time. */
const LEVEL = { expand: 0.2, compute: 0.4, fold: 0.3, synchronise: 0.1 };

/** Writes the campaign that the pages are about: a search, with what each rank did where the link is slowest and free. */
export async function writeFirst(dir: string): Promise<void> {
  const workload = workloadOf({ kind: 'graph500', name: 'graph500' });
  const flags = { nodes: '4,9,25', scales: '22', bw: '10,100', roots: String(SEARCHES) };
  for (const cell of await create(dir, workload, flags)) {
    await write(dir, cell, cell.nodes !== 9 ? { phases: searchesOf(cell), samples: samplesOf(cell) } : {});
  }
}

/** The campaign of a program under MPI whose calls were recorded. */
export async function writeSolver(dir: string): Promise<void> {
  const solver = workloadOf({
    ...{ kind: 'command', name: 'solver', command: ['solve'], trace: 'mpi', failure: [], ranks: 'any' },
    time: { pattern: 'took (.*) s', unit: 's' },
  });
  for (const cell of await create(dir, solver, { nodes: '4', scales: '20', bw: '10', roots: '1' })) {
    await write(dir, cell, { phases: callsOf(cell), samples: samplesOf(cell) });
  }
}

/** The campaign of algorithms on a dataset. */
export async function writeAlgorithms(dir: string, graph: string, algorithms = ['bfs']): Promise<void> {
  const workload = await loadWorkload('graphalytics', { graphs: [graph], algorithms });
  const flags = { nodes: '1,4,9', bw: '20,50', roots: String(SEARCHES) };
  for (const cell of await create(dir, workload, flags)) await write(dir, cell, {});
}

async function create(dir: string, workload: Workload, flags: Partial<AskedSweep>): Promise<readonly Cell[]> {
  const sweep = withChoices(parseSweep(flags as AskedSweep), workload);
  const hosts = Math.max(...sweep.nodes);
  const base = campaignPlan();
  const inventory = {
    ...base.inventory,
    lineRateBps: LINE_RATE_BPS,
    hosts: Array.from({ length: hosts }, (_, index) => ({ name: hostOf(index), facts: { cores: 2, kernel: '6.1' } })),
  };
  const cells = plan(sweep, { workload, ranksPerNode: 1, hosts });
  await createOrOpenCampaign(dir, { ...base, sweep, workload: workload.definition, inventory, cells });
  return cells;
}

async function write(dir: string, cell: Cell, output: Partial<CellOutput>): Promise<void> {
  const hosts = Array.from({ length: cell.nodes }, (_, index) => hostOf(index));
  const times = Array.from({ length: cell.roots }, (_, index) => timeOf(cell) * (1 + 0.01 * index));
  const clocks = hosts.map((host) => ({ host, offsetNs: 0, errorNs: 1000 }));
  const samplers = hosts.map((host) => ({ host, samples: 3, missed: 0, cpuNs: 1e6 }));
  await writeCell(dir, { ...goodRecord(cell, times), hosts, clocks, samplers }, { stdout: '', stderr: '', ...output });
}

const hostOf = (index: number): string => `node${String(index + 1).padStart(2, '0')}`;

/** Seconds of a run: work that the ranks share, a volume per rank, and a little that belongs to the visit. */
function timeOf({ nodes, scale, bw, rep }: Cell): number {
  const size = 2 ** (Math.max(scale, 20) - 21);
  return (2 * size) / nodes + ((0.1 * size) / Math.sqrt(nodes)) * (100 / bw) + 0.001 * ((nodes + bw + rep) % 7);
}

/** phases.csv of the bundled Graph500: each rank computes a little longer than the one before it. */
function searchesOf(cell: Cell): string {
  const lines = ['worker,phase,start_ns,end_ns,bytes_sent,asleep_ns,root,level'];
  const levelNs = (timeOf(cell) / LEVELS) * 1e9;
  for (let root = 0; root < SEARCHES; root += 1)
    for (let level = 0; level < LEVELS; level += 1)
      for (let rank = 0; rank < cell.ranks; rank += 1) {
        let at = START_NS + BigInt(Math.round((root * LEVELS + level) * levelNs));
        const late = (0.2 * rank) / cell.ranks;
        for (const [phase, share] of Object.entries({ ...LEVEL, compute: 0.4 + late, fold: 0.3 - late })) {
          const end = at + BigInt(Math.round(share * levelNs));
          const asleep = phase === 'compute' ? 0n : (end - at) / 2n;
          const bytes = phase === 'compute' || phase === 'synchronise' ? 0 : 100_000;
          lines.push([rank, phase, at, end, bytes, asleep, root, level].join(','));
          at = end;
        }
      }
  return `${lines.join('\n')}\n`;
}

/** phases.csv of the recorder of MPI calls, of ranks that compute and meet. */
function callsOf(cell: Cell): string {
  const lines = [SPAN_HEADER];
  const wholeNs = timeOf(cell) * 1e9;
  for (let rank = 0; rank < cell.ranks; rank += 1) {
    let at = START_NS;
    const late = (0.2 * rank) / cell.ranks;
    for (const [phase, share, keys] of [
      ['MPI_Init', 0.1, ',,,1,'],
      ['compute', 0.4 + late, ',,,,'],
      ['MPI_Allreduce', 0.4 - late, '0,0,,1,'],
      ['MPI_Finalize', 0.1, ',,,1,'],
    ] as const) {
      const end = at + BigInt(Math.round(share * wholeNs));
      const asleep = phase === 'MPI_Allreduce' ? (end - at) / 2n : '';
      lines.push(`${rank},${phase},${at},${end},${phase === 'compute' ? '' : 8},${asleep},0,0,,${keys}`);
      at = end;
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Readings of every host, ten in all: half of a core, and a tenth of the link. */
function samplesOf(cell: Cell) {
  const wholeS = timeOf(cell) * SEARCHES * 1.05;
  return Array.from({ length: cell.nodes }, (_, index) => {
    const lines = Array.from({ length: 11 }, (_, step) => {
      const atS = (step / 10) * wholeS;
      const at = START_NS + BigInt(Math.round(atS * 1e9));
      return [
        `${at}\tcpu.busy_ns\t-\t${atS * 5e8}`,
        `${at}\tnet.rx_bytes\t-\t${atS * LINE_RATE_BPS * 0.0125}`,
        `${at}\tnet.tx_bytes\t-\t${atS * LINE_RATE_BPS * 0.0125}`,
      ].join('\n');
    });
    const head = `#predict-samples 1 host=${hostOf(index)} clock=realtime hz=1 cores=1`;
    return { host: hostOf(index), text: `${[head, ...lines, `#end samples=11 missed=0 cpu_ns=1`, ''].join('\n')}` };
  });
}
