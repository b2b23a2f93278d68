import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imbalanceOf } from '../../throttle/balance.ts';

const LINE = 200e6;
const use = (host: string, direction: 'out' | 'in', mbit: number) => ({
  ...{ host, direction, averageBps: mbit * 1e6 },
  ...{ bytes: mbit * 1e6, overlimits: 0, drops: 0 },
});
/** [sent, received] of each host, Mbit/s. */
const hosts = (...pairs: [number, number][]) =>
  pairs.flatMap(([out, back], index) => [use(`n${index + 1}`, 'out', out), use(`n${index + 1}`, 'in', back)]);

describe('the balance of what hosts sent and received', () => {
  it('holds whichever of them sends most', () => {
    const links = fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.double({ min: 0, max: 200, noNaN: true })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(links, (flows) => {
        const classes = flows.flatMap(([from, to, mbit]) => [
          use(`n${from}`, 'out', mbit),
          use(`n${to}`, 'in', mbit * 0.97),
        ]);
        expect(imbalanceOf(classes, LINE)).toBeNull();
      }),
    );
  });

  it('names the host that sends to others, with the figure', () => {
    expect(imbalanceOf(hosts([192, 1], [1, 1], [1, 1], [1, 1]), LINE)).toEqual({
      host: 'n1',
      text: 'the hosts of the run sent 191 Mbit/s on average that none of them received (n1: 191 Mbit/s more than it received)',
    });
  });

  it('names the host that receives from others', () => {
    expect(imbalanceOf(hosts([50, 50], [50, 90]), LINE)).toMatchObject({
      host: 'n2',
      text: expect.stringContaining('received 40 Mbit/s on average that none of them sent'),
    });
  });

  it.each([
    ['what the controller is sent', hosts([0.3, 0.1], [0.3, 0.1], [0.3, 0.1], [0.3, 0.1])],
    ['a fiftieth of a link', hosts([4, 0], [0, 0])],
    ['losses under load', hosts([180, 170], [175, 165])],
    ['a run without traffic', hosts([0, 0])],
  ])('is not disturbed by %s', (_, classes) => {
    expect(imbalanceOf(classes, LINE)).toBeNull();
  });
});
