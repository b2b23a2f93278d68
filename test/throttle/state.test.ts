import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classCounters, readState } from '../../throttle/state.ts';

const classText = (rate: string): string => `class htb 7077:1 root prio 0 rate 100Gbit ceil 100Gbit burst 0b cburst 0b
 Sent 5012 bytes 42 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
class htb 7077:2 root leaf 7078: prio 0 rate ${rate} ceil ${rate} burst 18Kb cburst 18Kb
 Sent 6936048 bytes 5123 pkt (dropped 0, overlimits 85 requeues 0)
 backlog 0b 0p requeues 0
 lended: 5038 borrowed: 0 giants: 0
`;

// Classes whose queues lie below them drop nothing themselves; the root counts it.
const ROOT = `qdisc htb 7077: root refcnt 2 r2q 10 default 0x1 direct_packets_stat 0 direct_qlen 1000
 Sent 6941060 bytes 5165 pkt (dropped 4, overlimits 85 requeues 0)
 backlog 0b 0p requeues 0`;

const report = ({ state, extra = '', classes = '' }: { state: string; extra?: string; classes?: string }): string =>
  [
    `@interface eth0\n@state ${state}\n@keeper running\n@uptime 1500.25`,
    `@deadline ${extra.includes('deadline') ? '1560' : ''}\n@owner ann`,
    ...(extra.includes('expired') ? ['@expired'] : []),
    `@bytes 100 200\n@qdisc\n${classes === '' ? 'qdisc noqueue 0: root' : ROOT}`,
    `@class out\n${classes}@class in\n${classes}@qdisc in\n${ROOT.replace('dropped 4', 'dropped 3')}\n`,
  ].join('\n');

describe('the state of a link', () => {
  it.each([
    ['free', 'free'],
    ['ours', 'throttled'],
    ['foreign', 'foreign'],
  ])('is what the agent says of it: %s', (said, expected) => {
    const state = readState('node01', report({ state: said }));
    expect([state.interface, state.state, state.qdisc]).toEqual(['eth0', expected, 'qdisc noqueue 0: root']);
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
    expect(state.classes?.out.drops).toBe(4);
    expect(state.classes?.in).toEqual({
      ...{ rateBps: 40e6, bytes: 6936048, packets: 5123, backlogBytes: 0, drops: 3, overlimits: 85 },
    });
  });

  it.each([
    ['', 0],
    ['@latency 0\n', 0],
    ['@latency 0.499\n', 0.499],
    ['@latency -1\n', -1],
  ])('has the latency that is added: %j', (line, latencyMs) => {
    expect(readState('node01', `${line}${report({ state: 'ours' })}`).latencyMs).toBe(latencyMs);
    expect(() => readState('node01', `@latency fast\n${report({ state: 'ours' })}`)).toThrow(
      "the state of eth0 has the latency 'fast', which is not a number",
    );
  });

  it.each([
    ['', undefined],
    ['@netem yes\n', true],
    ['@netem no\n', false],
    ['@netem unknown\n', undefined],
  ])('has whether the kernel can add latency, where it was asked: %j', (line, netem) => {
    expect(readState('node01', `${report({ state: 'free' })}${line}`).netem).toBe(netem);
  });

  it('has what passed the class that is not throttled, each way', () => {
    const text = report({ state: 'ours', classes: classText('40Mbit') });
    expect(readState('node01', text).freeBytes).toEqual({ out: 5012, in: 5012 });
    expect(readState('node01', report({ state: 'free' })).freeBytes).toBeNull();
  });

  it('has what other interfaces moved, and those below the data interface', () => {
    const text = `${report({ state: 'free' })}@other eth1 10 20\n@other ib0 5 6\n@below eth0.7 1 2\n`;
    const { otherBytes, belowBytes } = readState('node01', text);
    expect([...otherBytes]).toEqual([
      ['eth1', { out: 10, in: 20 }],
      ['ib0', { out: 5, in: 6 }],
    ]);
    expect([...belowBytes]).toEqual([['eth0.7', { out: 1, in: 2 }]]);
    for (const line of ['@other eth1 10', '@other eth1 10 x', '@below eth1 NaN 1']) {
      expect(() => readState('node07', text + line)).toThrow(/^node07: .*bytes (sent|received) by eth1/);
    }
  });

  it('shows that a keeper had to act', () => {
    expect(readState('node01', report({ state: 'free', extra: 'expired' })).expired).toBe(true);
  });

  it('has whether a keeper lives', () => {
    const text = report({ state: 'ours', extra: 'deadline', classes: classText('40Mbit') });
    const states = [text, text.replace('@keeper running', '@keeper none'), text.replace('@keeper running\n', '')];
    expect(states.map((each) => readState('node01', each).keeper)).toEqual([true, false, false]);
  });

  it.each([
    ['uptime', '@uptime 1500.25', '@uptime 15O0'],
    ['uptime', '@uptime 1500.25\n', ''],
    ['deadline', '@deadline 1560', '@deadline soon'],
    ['bytes sent', '@bytes 100 200', '@bytes NaN 200'],
    ['bytes received', '@bytes 100 200', '@bytes 100'],
  ])('is an error naming the host where a figure is no number: %s', (what, from, to) => {
    const text = report({ state: 'ours', extra: 'deadline', classes: classText('40Mbit') }).replace(from, to);
    expect(() => readState('node07', text)).toThrow(new RegExp(`^node07: .* eth0 has the ${what} '.*not a number: `));
  });

  it('has no figure that is no number, whatever a host prints', () => {
    const word = fc.constantFrom('NaN', 'Infinity', '-1', '', '1e999', '7', '1.5', 'x', '0x10', '١');
    fc.assert(
      fc.property(fc.tuple(word, word, word, word), ([uptime, deadline, out, back]) => {
        const text = report({ state: 'ours', extra: 'deadline', classes: classText('40Mbit') })
          .replace('@uptime 1500.25', `@uptime ${uptime}`)
          .replace('@deadline 1560', `@deadline ${deadline}`)
          .replace('@bytes 100 200', `@bytes ${out} ${back}`);
        try {
          const { uptimeS, leaseEndsInS, interfaceBytes } = readState('node01', text);
          const figures = [uptimeS, leaseEndsInS ?? 0, interfaceBytes.out, interfaceBytes.in];
          expect(figures.every(Number.isFinite)).toBe(true);
        } catch (error) {
          expect(String(error)).toMatch(/which is not a number/);
        }
      }),
    );
  });

  it('is an error naming the host when the agent did not say whose it is', () => {
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
    expect(classCounters(classText(text), ROOT)?.rateBps).toBe(rate);
  });

  it.each([
    ['3028b', 3028],
    ['12Kb', 12 * 1024],
    ['2Mb', 2 * 1024 ** 2],
  ])('have what waits in the class: %s', (text, bytes) => {
    const root = ROOT.replace('backlog 0b', `backlog ${text}`);
    expect(classCounters(classText('1Mbit'), root)?.backlogBytes).toBe(bytes);
  });

  it('are null where the class is not there', () => {
    expect(classCounters('class htb 1:1 root prio 0 rate 1Gbit', ROOT)).toBeNull();
  });
});
