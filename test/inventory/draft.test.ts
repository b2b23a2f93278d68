import { describe, expect, it } from 'vitest';
import { type DraftHost, draftInventory } from '../../inventory/draft.ts';
import { parseInventory } from '../../inventory/load-inventory.ts';
import { sshConfigHosts } from '../../inventory/ssh-config.ts';

const host = (number: number, change: Partial<DraftHost> = {}): DraftHost => ({
  name: `n${number}`,
  memoryBytes: (60 + number) * 2 ** 30,
  links: [
    { name: 'eth0', address: `192.168.1.${number}/24`, mbit: 1000 },
    { name: 'eth1', address: `10.4.0.${number}/16`, mbit: number === 2 ? 10_000 : 25_000 },
  ],
  launchers: ['openmpi', 'srun'],
  ...change,
});

describe('a first inventory', () => {
  it('has the fastest network of all hosts at the rate of the slowest, and the least memory; it can be read', () => {
    const { text, notes } = draftInventory([host(1), host(2)], {
      cluster: 'c',
      hosts: ['n[1-2]'],
      ssh: { user: 'ann' },
    });
    expect(parseInventory(text, 'i.yaml')).toMatchObject({
      ...{ hosts: [{ name: 'n1' }, { name: 'n2' }], network: { cidr: '10.4.0.0/16' }, lineRate: 10e9 },
      ...{ memoryPerNode: 61 * 2 ** 30, mpi: { launcher: 'openmpi' }, ssh: { user: 'ann' } },
    });
    expect(text).toContain('lineRate: 10gbit\n');
    expect(notes).toEqual([expect.stringContaining('share 2 networks')]);
  });

  it.each<[string, Partial<DraftHost>, RegExp, RegExp]>([
    [
      'a rate',
      { links: [{ name: 'eth1', address: '10.4.0.9/16', mbit: null }] },
      /set lineRate/,
      /lineRate is missing/,
    ],
    ['a common network', { links: [] }, /no network is common/, /network is missing/],
  ])('says what it lacks, and is refused until it is filled in: %s', (_, change, note, refusal) => {
    const { text, notes } = draftInventory([host(1), host(2, change)], { cluster: 'c', hosts: ['n1', 'n2'], ssh: {} });
    expect(notes).toEqual(expect.arrayContaining([expect.stringMatching(note)]));
    expect(text).toContain('# To do: ');
    expect(() => parseInventory(text, 'i.yaml')).toThrow(refusal);
  });

  it('takes the names of ssh_config, but no patterns and no jump hosts', () => {
    const text =
      'Host *\n  User ann\nHost login\n  HostName l.org\nhost "n1" n2 !n3 n?\n  ProxyJump bob@login:22\nHost=n4\n';
    expect(sshConfigHosts(text)).toEqual(['n1', 'n2', 'n4']);
  });
});
