import { describe, expect, test } from 'vitest';
import { loadWorkload } from '../../../experiments/workloads/load-workload.ts';
import { parseInventory } from '../../../inventory/load-inventory.ts';
import { sweepOutlook } from '../../../orchestrator/cli/sweep-outlook.ts';

const inventory = parseInventory(
  'cluster: c\nhosts: ["n[01-25]"]\nlineRate: 1gbit\nnetwork: { interface: eth1 }\n',
  'inventory.yaml',
);
const GIB = 2 ** 30;

describe('what to expect of a sweep before it is run', async () => {
  const workload = await loadWorkload('graph500');

  test('is told of the largest node counts that can run, by the memory of the smallest host', () => {
    const { says, refuse } = sweepOutlook({}, { inventory, workload, leastMemory: 25 * GIB });
    expect(says[0]).toMatch(/^A sweep with --nodes 4,9,16,25: \d+ cells of scale 20 \(--scales\), \d+ searches each/);
    // 16 edges of 100 bytes a vertex: 4 * 25 GiB hold 2^26 of them, 9 and 16 hosts 2^27 and 2^28, 25 hosts 2^28.
    expect(says[1]).toBe(
      'The largest graphs that fit 25 GiB of memory on a host: scale 26 on 4 nodes, scale 27 on 9 nodes, scale 28 on 16 nodes, scale 28 on 25 nodes.',
    );
    expect(refuse).not.toThrow();
  });

  test('names what does not fit, and says nothing of memory that nobody knows', () => {
    const asked = { nodes: '4', scales: '40', roots: '8', bw: '50' };
    expect(sweepOutlook(asked, { inventory, workload, leastMemory: 25 * GIB }).refuse).toThrow(
      /^Scale 40 needs about 400 TiB of memory on each of 4 nodes.* Use scale 26 or less there/,
    );
    const unknown = sweepOutlook(asked, { inventory, workload, leastMemory: undefined });
    expect(unknown.refuse).not.toThrow();
    expect(unknown.says).toEqual([expect.stringMatching(/^A sweep with --nodes 4: 3 to measure:/)]);
  });

  test('refuses node counts that cannot be', () => {
    const ask = () => sweepOutlook({ nodes: '36' }, { inventory, workload, leastMemory: undefined });
    expect(ask).toThrow(/25 hosts, too few for 36 nodes/);
  });
});
