import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findChangedHosts, findOddHosts, parseHostFacts } from '../../experiments/store/host-facts.ts';
import { campaignPlan } from './make.ts';

const host = (name: string, facts = {}) => ({ name, facts: { mtu: 9000, congestionControl: 'cubic', ...facts } });

describe('facts of hosts', () => {
  test('that differ are told with host, fact and both values, alike ones together', () => {
    const hosts = [host('n1'), host('n2', { mtu: 1500 }), host('n3'), host('n4', { mtu: 1500 }), host('n5')];
    expect(findOddHosts(hosts)).toEqual(['n2 and n4: the MTU is 1500, but 9000 on the other hosts.']);
    expect(findOddHosts([host('n1', { mtu: 1400 }), ...hosts])).toEqual([
      'n2 and n4: the MTU is 1500, but 9000 on most hosts.',
      'n1: the MTU is 1400, but 9000 on most hosts.',
    ]);
  });

  test('that a host could not tell differ from nothing, as in campaigns that are older', () => {
    expect(findOddHosts([host('n1'), host('n2', { mtu: null })])).toEqual([]);
    expect(findChangedHosts([{ name: 'n1', facts: {} }], [host('n1')])).toEqual([]);
  });

  test('that changed since the campaign began are told with both values', () => {
    const now = [host('n1', { congestionControl: 'bbr' }), host('n2', { congestionControl: 'bbr' }), host('n3')];
    expect(findChangedHosts([host('n1'), host('n2')], now)).toEqual([
      'n1 and n2: the TCP congestion control is bbr, but was cubic when cells of this campaign were measured.',
    ]);
  });

  test('of equal hosts say nothing, whatever they are', () => {
    const facts = fc.record({ mtu: fc.nat(), qdisc: fc.string(), cores: fc.nat() }, { requiredKeys: [] });
    fc.assert(
      fc.property(facts, fc.uniqueArray(fc.string()), (same, names) => {
        const hosts = names.map((name) => ({ name, facts: same }));
        expect([findOddHosts(hosts), findChangedHosts(hosts, hosts)]).toEqual([[], []]);
      }),
    );
  });

  test('of a campaign are read one by one, so that a strange one costs no other', () => {
    const { inventory } = campaignPlan();
    const hosts = [{ name: 'n1', facts: { mtu: 'big', qdisc: 'mq', cpuQuota: null, more: [] } }, { name: 'n2' }];
    expect(parseHostFacts({ inventory: { ...inventory, hosts } })).toEqual([
      { name: 'n1', facts: { qdisc: 'mq' } },
      { name: 'n2', facts: {} },
    ]);
  });
});
