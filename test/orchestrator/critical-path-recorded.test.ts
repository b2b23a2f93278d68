import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { criticalPathCommand } from '../../orchestrator/cli/path/path-command.ts';
import { campaignPlan, cellWith, goodRecord, tempFolder } from '../experiments/make.ts';

const HOSTS = ['node0', 'node1'];
const PHASES = 'worker,phase,start_ns,end_ns,bytes_sent,queued_ns,comm,turn,peer,thread';
const MESSAGES = 'worker,kind,t_ns,peer,bytes,id,done_ns,posted_ns';
const SAMPLES = (host: string): string =>
  [
    `#predict-samples 1 host=${host} clock=realtime hz=1 cores=1`,
    ...[0, 1, 2].map((second) => `${second * 1_000_000_000}\tcpu.busy_ns\t-\t${second * 5e8}`),
    '#end samples=3 missed=0 cpu_ns=1\n',
  ].join('\n');

/** Rank 0 computes for 100 ms, the last 30 waiting for a CPU, and sends; rank 1 gets it `travels` ms later and computes for 50. */
function trace(travels: number): { readonly phases: string; readonly messages: string } {
  const [sent, came] = [110, 110 + travels];
  const span = (rank: number, phase: string, from: number, to: number, queued = 0): string =>
    `${rank},${phase},${from}000000,${to}000000,0,${queued}000000,,,,`;
  const phases = [
    ...[0, 1].map((rank) => span(rank, 'MPI_Init', 0, 10)),
    ...[span(0, 'compute', 10, sent, 30), span(0, 'MPI_Send', sent, sent + 1), span(1, 'MPI_Recv', 10, came)],
    ...[span(1, 'compute', came, came + 50), span(0, 'MPI_Finalize', sent + 1, came + 52)],
    span(1, 'MPI_Finalize', came + 50, came + 52),
  ];
  const messages = [`0,send,${sent}000000,1,1000,7,${sent + 1}000000,`, `1,receive,${came}000000,0,1000,7,,10000000`];
  const text = (head: string, lines: readonly string[]): string => `${[head, ...lines].join('\n')}\n`;
  return { phases: text(PHASES, phases), messages: text(MESSAGES, messages) };
}

async function campaign(): Promise<string> {
  const workload = workloadOf({
    ...{ kind: 'command', name: 'ring', command: ['ring'], trace: 'mpi', failure: [], ranks: 'any' },
    time: { pattern: 'took (.*) s', unit: 's' },
  });
  const dir = join(tempFolder(), 'recorded');
  const { cells } = await createOrOpenCampaign(dir, campaignPlan({ nodes: '2', bw: '50,100', reps: '1' }, workload));
  for (const bw of [50, 100]) {
    const record = goodRecord(cellWith(cells, { bw, role: 'measure' }), [0.2]);
    const clocks = HOSTS.map((host) => ({ host, offsetNs: 0, errorNs: 1000 }));
    const samples = HOSTS.map((host) => ({ host, text: SAMPLES(host) }));
    const output = { stdout: '', stderr: '', samples, ...trace(bw === 50 ? 40 : 20) };
    await writeCell(dir, { ...record, hosts: HOSTS, clocks, samplers: [] }, output);
  }
  return dir;
}

/** What the command prints. */
async function said(dir: string, flags: Parameters<typeof criticalPathCommand>[1]): Promise<string> {
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((piece) => {
    text += String(piece);
    return true;
  });
  onTestFinished(() => write.mockRestore());
  await criticalPathCommand(dir, flags).finally(() => write.mockRestore());
  return text;
}

const MS = 1e6;

test('recorded runs are divided by key, rank, host and link, each adding up to the path', async () => {
  const dir = await campaign();
  const by = async (way: string): Promise<Record<string, number>> => {
    const { cells } = JSON.parse(await said(dir, { by: way, interval: '0.9', json: true }));
    const { bw, meanNs, by: parts } = cells.find((cell: { bw: number }) => cell.bw === 50);
    expect([bw, meanNs.length]).toEqual([50, 190 * MS]);
    return Object.fromEntries(Object.entries(parts as Record<string, number>).map(([name, ns]) => [name, ns / MS]));
  };
  expect(await by('phase')).toEqual({ compute: 120, 'compute idle': 30, 'MPI_Recv transfer': 40 });
  expect(await by('rank')).toEqual({ 'rank 0': 100, 'rank 1': 90 });
  expect(await by('host')).toEqual({ node0: 100, node1: 90 });
  expect(await by('link')).toEqual({ 'no link': 150, 'node0 -> node1': 40 });
  expect(await said(dir, { by: 'link', cell: '2:10:50' })).toMatch(/21\.1 %\s+40 ms\s+node0 -> node1/);
});

test('recorded runs are compared, and what they had no processor for counts as work over runs', async () => {
  const dir = await campaign();
  const { against, differences } = JSON.parse(
    await said(dir, { by: 'phase', cell: '2:10:50', against: '2:10:100', json: true }),
  );
  expect(against.bw).toBe(100);
  expect(differences.slice(0, 2)).toEqual([
    { key: 'length', beforeNs: 170 * MS, afterNs: 190 * MS, changeNs: 20 * MS },
    { key: 'MPI_Recv transfer', beforeNs: 20 * MS, afterNs: 40 * MS, changeNs: 20 * MS },
  ]);
  expect(await said(dir, { by: 'phase', cell: '2:10:50', against: '2:10:100' })).toContain(
    'Changes since the other run:',
  );
  const { components, findings } = JSON.parse(await said(dir, { by: 'phase', json: true }));
  expect(components.map(({ key }: { key: string }) => key)).not.toContain('compute idle');
  // 30 of 170 at the highest bandwidth.
  expect(findings.map(({ kind }: { kind: string }) => kind)).toContain('path/idle');
});

test('a search is refused: a recorded run has one path', async () => {
  const dir = await campaign();
  const root = criticalPathCommand(dir, { by: 'phase', cell: '2:10:50', root: '1' });
  await expect(root).rejects.toThrow(
    /^--root selects a search of the bundled programs, but .* has one path \(of MPI calls\): leave it out\.$/,
  );
});

test('without a run there is nothing to follow', async () => {
  const workload = workloadOf({
    ...{ kind: 'command', name: 'ring', command: ['ring'], trace: 'mpi', failure: [], ranks: 'any' },
    time: { pattern: 'took (.*) s', unit: 's' },
  });
  const dir = join(tempFolder(), 'empty');
  await createOrOpenCampaign(dir, campaignPlan({ nodes: '2', reps: '1' }, workload));
  await expect(criticalPathCommand(dir, { by: 'phase' })).rejects.toThrow('has no measured cell yet');
});
