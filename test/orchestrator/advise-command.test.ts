import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { loadWorkload } from '../../experiments/workloads/load-workload.ts';
import { campaignPlan, goodRecord, tempFolder } from '../experiments/make.ts';
import { runPredict } from '../run-predict.ts';

const WORKLOAD =
  "kind: command\nname: solver\ncommand: [solve, '{param.method}', '{scale}']\ntime: {pattern: 'took (.*)'}\n";
const INVENTORY = 'cluster: lab\nhosts: ["n[01-36]"]\nnetwork: {interface: eth0}\nlineRate: 1gbit\n';

test('the sweep that an advice prints goes on with a campaign of a workload of one’s own', async () => {
  const folder = tempFolder();
  const [workload, inventory, dir] = ['my workload.yaml', 'inventory.yaml', 'campaign'].map((name) =>
    join(folder, name),
  );
  if (workload === undefined || inventory === undefined || dir === undefined) throw new Error('three paths');
  writeFileSync(workload, WORKLOAD);
  writeFileSync(inventory, INVENTORY);
  const flags = { workload, nodes: '1,4,9', scales: '20', bw: '20,50', roots: '4', param: ['method=two grids'] };
  const { cells } = await createOrOpenCampaign(dir, campaignPlan(flags, await loadWorkload(workload)));
  for (const cell of cells) {
    const ct = 8 / cell.nodes + (cell.nodes > 1 ? 20 / cell.bw / Math.sqrt(cell.nodes) : 0);
    const timing = { totalMs: 5000 * ct + 1000, throttleMs: 500, workloadMs: 5000 * ct, collectMs: 500 };
    const record = { ...goodRecord(cell, [ct, ct * 1.03, ct * 0.98, ct * 1.01]), timing };
    await writeCell(dir, record, { stdout: '', stderr: '' });
  }
  const predict = join(projectRoot(), 'predict');
  const asked = [
    'advise',
    dir,
    '--target',
    'nodes=36,scale=20',
    '--budget',
    '10',
    '--nodes',
    '16',
    '--bootstrap',
    '50',
  ];
  const { stdout } = await runPredict(asked);
  const command = stdout.split('\n').at(-1) ?? '';
  expect(command).toMatch(/^predict sweep --inventory INVENTORY --workload /);
  // A shell reads it, as people's do.
  const script = `exec "$0" ${command.replace(/^predict /, '').replace('INVENTORY', '"$1"')} --dry-run --json`;
  const again = await execa('sh', ['-c', script, predict, inventory], { reject: false });
  expect([again.exitCode, again.stderr]).toEqual([0, '']);
  const planned: (typeof cells)[number][] = JSON.parse(again.stdout).cells;
  expect(new Set(planned.map(({ params }) => params?.method))).toEqual(new Set(['two grids']));
  expect(command).toContain(`--out '${dir.replaceAll("'", "'\\''")}'`);
});
