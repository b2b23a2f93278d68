import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../../experiments/store/campaign-events.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { NEEDS, noLab, predict, showLinks, useLab } from './fixture.ts';

describe.skipIf(noLab)(`runs on different hosts ${NEEDS}`, () => {
  const lab = useLab({ name: 'test-in-parallel', hosts: 4, cpu: '20%' });

  it('go in parallel where the switch carries them, each started by the first of its hosts, and leave nothing', async () => {
    const inventory = lab.altered(/ {2}head:\n.*\n.*\n/, '');
    writeFileSync(inventory, readFileSync(inventory, 'utf8').replace('network:\n', 'network:\n  blocking: probe\n'));
    const workload = join(lab.folder, 'sleeps.yaml');
    writeFileSync(
      workload,
      'kind: command\nname: sleeps\ncommand: [sh, -c, "sleep 0.5; echo took 500 ms"]\ntime: {pattern: "took ([0-9]+) ms", unit: ms}\n',
    );
    const out = join(lab.folder, 'side');
    const result = await predict([
      ...['sweep', '--inventory', inventory, '--workload', workload, '--nodes', '2', '--scales', '1', '--bw', '50'],
      ...['--roots', '1', '--reps', '2', '--repeats', '0', '--out', out],
    ]);
    expect(result.stderr).toContain('all links carry their full rate at once: runs go in parallel.');
    expect([result.exitCode, result.stderr]).toEqual([
      0,
      expect.stringMatching(/On 2 nodes 2 runs at once took .*: runs/),
    ]);
    const { records } = await openCampaign(out);
    expect(records.map(({ status }) => status)).toEqual(Array(5).fill('ok'));
    expect(new Set(records.map(({ hosts }) => hosts.join()))).toEqual(new Set(['node01,node02', 'node03,node04']));
    const kinds = readEvents(out).flatMap(({ kind }) =>
      /^cell-(started|finished)$/.test(kind) ? [kind.slice(5)] : [],
    );
    expect(kinds.join(' ')).toContain('started started');
    expect((await predict(['status', out])).stdout).toContain('runs of this size go in parallel');
    expect((await showLinks(inventory)).map(({ state }) => state)).toEqual(Array(4).fill('free'));
  });
});
