import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { classCounters, readState, showScript } from '../../throttle/index.ts';

const classText = (rate: string): string => `class htb 7077:1 root prio 0 rate 100Gbit ceil 100Gbit burst 0b cburst 0b
 Sent 5012 bytes 42 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
class htb 7077:2 root leaf 7078: prio 0 rate ${rate} ceil ${rate} burst 18Kb cburst 18Kb
 Sent 6936048 bytes 5123 pkt (dropped 3, overlimits 85 requeues 0)
 backlog 0b 0p requeues 0
 lended: 5038 borrowed: 0 giants: 0
`;

/** What the script prints on a host whose tc says this of a link. */
const shown = (qdisc: string): string => {
  const tc = `tc() { [ "$1" != qdisc ] || cat <<'TEXT'\n${qdisc}\nTEXT\n}`;
  const script = showScript({ interface: 'lo', network: undefined, sshPort: 22 });
  return execFileSync('sh', { input: `${tc}\n${script}`, encoding: 'utf8' });
};

const report = ({ state, extra = '', classes = '' }: { state: string; extra?: string; classes?: string }): string =>
  `@interface eth0\n@state ${state}\n@uptime 1500.25\n@deadline ${extra.includes('deadline') ? '1560' : ''}\n@owner ann\n${extra.includes('expired') ? '@expired\n' : ''}@bytes 100 200\n@qdisc\nqdisc noqueue 0: root\n@class out\n${classes}@class in\n${classes}`;

describe('the state of a link', () => {
  it.each([
    ['the kernel default', 'qdisc noqueue 0: root refcnt 2', 'free'],
    ['a multi-queue default', 'qdisc mq 0: root \nqdisc fq_codel 0: parent :1 limit 10240p', 'free'],
    ['nothing', '', 'free'],
    ['ours', 'qdisc htb 7077: root refcnt 2 r2q 10 default 0x1\nqdisc ingress ffff: parent ffff:fff1', 'throttled'],
    ["somebody else's root", 'qdisc htb 1: root refcnt 2 r2q 10', 'foreign'],
    ["somebody else's ingress", 'qdisc noqueue 0: root refcnt 2\nqdisc ingress ffff: parent ffff:fff1', 'foreign'],
    ['a clsact', 'qdisc mq 0: root\nqdisc clsact ffff: parent ffff:fff1', 'foreign'],
  ])('is told from the qdiscs: %s', (_, qdisc, expected) => {
    const state = readState('node01', shown(qdisc));
    expect([state.interface, state.state, state.qdisc]).toEqual(['lo', expected, qdisc.split('\n')[0]]);
  });

  it('has the rate, the lease and the counters of both directions', () => {
    const state = readState('node01', report({ state: 'ours', extra: 'deadline', classes: classText('40Mbit') }));
    expect(state).toMatchObject({
      interface: 'eth0',
      rateBps: 40e6,
      leaseEndsInS: 59.75,
      owner: 'ann',
      expired: false,
    });
    expect(state.classes?.in).toEqual({ rateBps: 40e6, bytes: 6936048, drops: 3, overlimits: 85 });
  });

  it('shows that a keeper had to act', () => {
    expect(readState('node01', report({ state: 'free', extra: 'expired' })).expired).toBe(true);
  });

  it('is an error naming the host when the script did not say whose it is', () => {
    expect(() => readState('node07', report({ state: '' }))).toThrow(/^node07: the state of the data link/);
  });

  it('is an error naming the host when nothing was printed', () => {
    expect(() => readState('node07', 'tc: command not found')).toThrow(/^node07: .*tc: command not found/);
  });
});

describe('class counters', () => {
  it.each([
    ['9600bit', 9600],
    ['512Kbit', 512e3],
    ['1500Mbit', 1.5e9],
    ['100Gbit', 100e9],
  ])('read a rate printed as %s', (text, rate) => {
    expect(classCounters(classText(text))?.rateBps).toBe(rate);
  });

  it('are null where the class is not there', () => {
    expect(classCounters('class htb 1:1 root prio 0 rate 1Gbit')).toBeNull();
  });
});
