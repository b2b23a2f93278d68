import { describe, expect, it } from 'vitest';
import { findDoubts } from '../../../report/answers/doubts.ts';
import { campaignOf, emulated } from '../campaign.ts';

const setting = { nodes: 25, scale: 19, bw: 100 };
const { planned, records } = campaignOf({
  ...emulated,
  bw: [5, 20, 100],
  roots: 8,
  reps: 1,
  noise: 0.02,
  truth: () => 1,
});
const busy = [{ name: 'cpu', label: 'the processors', percent: 90 }];
const clean = { setting, held: busy, seen: { runs: 2, clipped: 0 } };
const hosts = (facts: Readonly<Record<string, number>>) => {
  const { inventory } = planned;
  return { ...planned, inventory: { ...inventory, hosts: inventory.hosts.map((host) => ({ ...host, facts })) } };
};

describe('why the word of an analysis weighs less', () => {
  it('is nothing where nothing speaks against it', () => {
    expect(findDoubts({ planned: hosts({ cores: 2 }), records }, clean)).toEqual({});
  });

  it('is that a share of a machine limits first, where the processors limit', () => {
    const quota = hosts({ cores: 2, cpuQuota: 0.32 });
    expect(findDoubts({ planned: quota, records }, clean)).toEqual({
      grade10: expect.stringContaining('a CPU quota (0.32 cores), as in an emulated cluster'),
    });
    const emulated = { ...quota, inventory: { ...quota.inventory, emulatedCores: 0.04 } };
    expect(findDoubts({ planned: emulated, records }, clean)).toEqual({
      grade10: expect.stringContaining('a CPU quota (0.04 cores), as in an emulated cluster'),
    });
    expect(
      findDoubts(
        { planned: quota, records },
        { ...clean, held: [{ name: 'network', label: 'the network', percent: 90 }] },
      ),
    ).toEqual({});
  });

  it('is that readings lay above what a host can do', () => {
    const said = findDoubts({ planned: hosts({}), records }, { ...clean, seen: { runs: 2, clipped: 1 } });
    expect(said).toEqual({ grade10: expect.stringMatching(/^Careful: in 1 of 2 runs readings lie above/) });
  });

  it('is that a slow link was accepted there', () => {
    const text = 'The link of node05 was accepted at 40 Mbit/s, where 200 Mbit/s were set.';
    const marked = records.map((record) => ({
      ...record,
      marks: [{ kind: 'link-accepted' as const, host: 'node05', text }],
    }));
    const said = findDoubts({ planned: hosts({}), records: marked }, clean);
    const sentence = 'Careful: the link of node05 was accepted at 40 Mbit/s, where 200 Mbit/s were set.';
    expect(said).toEqual({ path: sentence, model: sentence });
  });

  it('is that others disturbed the runs there, and that links were not at their rate anywhere', () => {
    const mark = (kind: 'stolen-cpu' | 'link-below-rate') => ({ kind, host: 'node01', text: 'so' });
    const there = records.map((record) => {
      const { nodes, scale, bw } = record.cell;
      const isThere = nodes === setting.nodes && scale === setting.scale && bw === setting.bw;
      return { ...record, marks: [mark(isThere ? 'stolen-cpu' : 'link-below-rate')] };
    });
    const own = there.filter(({ marks }) => marks[0]?.kind === 'stolen-cpu').length;
    expect(own).toBeGreaterThan(0);
    const said = findDoubts({ planned: hosts({}), records: there }, clean);
    for (const by of ['grade10', 'path', 'stacks'] as const) {
      expect(said[by]).toBe(
        `Careful: other processes or traffic disturbed ${own} of ${own} ${own === 1 ? 'run' : 'runs'}.`,
      );
    }
    expect(said.model).toContain(`in ${records.length - own} of ${records.length} runs`);
  });
});
