import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { asBitsPerSecond, asSeconds } from '../../base/index.ts';
import { addTree, clearScript, redirectIngress, renewScript, setScript, showScript } from '../../throttle/index.ts';

const link = { interface: undefined, network: '10.77.0.0/16', sshPort: 22 };
const lease = { agent: '/opt/work folder/predict-agent', seconds: asSeconds(60), owner: "ann's sweep" };

describe('the tree of a throttled device', () => {
  it('has an open default class, a throttled class and filters that exempt ssh', () => {
    const tree = addTree({
      device: 'eth0',
      side: 'dst',
      network: '10.0.0.0/24',
      sshPort: 2222,
      rateBps: asBitsPerSecond(20e6),
    });
    expect(tree).toEqual([
      'qdisc add dev eth0 root handle 7077: htb default 1',
      'class add dev eth0 parent 7077: classid 7077:1 htb rate 100gbit quantum 60000',
      'class add dev eth0 parent 7077: classid 7077:2 htb rate 20000000bit ceil 20000000bit burst 18168 cburst 18168 quantum 60000',
      'qdisc add dev eth0 parent 7077:2 handle 7078: pfifo limit 1000',
      'filter add dev eth0 parent 7077: protocol ip prio 1 u32 match ip protocol 6 0xff match ip sport 2222 0xffff flowid 7077:1',
      'filter add dev eth0 parent 7077: protocol ip prio 1 u32 match ip protocol 6 0xff match ip dport 2222 0xffff flowid 7077:1',
      'filter add dev eth0 parent 7077: protocol ip prio 2 u32 match ip dst 10.0.0.0/24 flowid 7077:2',
    ]);
  });

  it('matches all IPv4 where only an interface is known', () => {
    const tree = addTree({ device: 'eth0', side: 'src', network: null, sshPort: 22, rateBps: asBitsPerSecond(1e9) });
    expect(tree.at(-1)).toContain('match u32 0 0 flowid 7077:2');
  });

  it('sends what arrives through the ifb', () => {
    expect(redirectIngress('eth0', 'predict2').at(-1)).toContain('mirred egress redirect dev predict2');
  });
});

describe('the scripts for a host', () => {
  const scripts = {
    show: showScript(link),
    set: setScript(link, asBitsPerSecond(20e6), lease),
    renew: renewScript(link, lease),
    clear: clearScript(link),
    'set by name': setScript({ ...link, interface: 'eth0; reboot' }, asBitsPerSecond(20e6), lease),
  };

  it.each(Object.entries(scripts))('%s is valid shell', (_, script) => {
    execFileSync('sh', ['-n'], { input: script });
  });

  it('write the way back and the lease before tc is touched', () => {
    const { set } = scripts;
    const added = set.indexOf('qdisc add dev $IF root');
    for (const step of ['release.sh" <<', 'mv "$STATE/deadline.new"', 'keep --state']) {
      expect(set.indexOf(step)).toBeGreaterThan(0);
      expect(set.lastIndexOf(step)).toBeLessThan(added);
    }
  });

  it('attach the ingress redirect last', () => {
    const lines = scripts.set.split('\n').filter((line) => /^(qdisc|class|filter) add/.test(line));
    expect(lines.at(-1)).toContain('mirred egress redirect');
  });

  it('change a level without removing the tree', () => {
    const change = scripts.set.slice(scripts.set.indexOf('= ours'), scripts.set.indexOf('\nelse\nmkdir'));
    expect(change).toContain('class change dev $IF');
    expect(change).not.toContain(' del ');
  });

  it('delete qdiscs only by our own handle', () => {
    for (const script of Object.values(scripts)) {
      for (const line of script.split('\n').filter((text) => text.includes('qdisc del') && text.includes('root'))) {
        expect(line).toContain('root handle 7077:');
      }
    }
  });

  it('keep a hostile interface name one word', () => {
    expect(scripts['set by name']).toContain("IF='eth0; reboot'");
  });
});
