import { describe, expect, it } from 'vitest';
import { asBitsPerSecond } from '../../base/units.ts';
import { acceptedLinks, judgeFreeProbes, rateDoubt } from '../../throttle/free-links.ts';
import { judgeProbes } from '../../throttle/proof.ts';

const LINE = asBitsPerSecond(200e6);

/** A ring in which each host sends to the next one at these rates, Mbit/s. */
const ring = (...mbit: number[]) =>
  mbit.map((out, index) => ({
    host: `n${index + 1}`,
    outBps: out * 1e6,
    inBps: (mbit.at(index - 1) ?? 0) * 1e6,
  }));

describe('the probes of free links', () => {
  it.each([
    ['two hosts', [190, 188]],
    ['three hosts, one a little slow', [190, 140, 188]],
    ['nine hosts of which none fills the link', [90, 95, 80, 92, 88, 91, 70, 93, 89]],
    ['links that are far faster than the line rate', [900, 400, 950]],
  ])('are a baseline: %s', (_, mbit) => {
    expect(judgeFreeProbes(ring(...mbit), LINE)).toBeNull();
  });

  it.each([
    ['of two, one direction is taken', [3.5, 190], 'n1'],
    ['of two, one direction is shared fairly', [190, 95], 'n2'],
    ['of three, one probe is', [190, 188, 95], 'n3'],
    ['of four, both probes of one host are', [95, 190, 190, 95], 'n1'],
    ['of five, both probes of one host are', [190, 4, 3.5, 190, 190], 'n2'],
  ])('are none when %s', (_, mbit, host) => {
    expect(judgeFreeProbes(ring(...mbit), LINE)).toMatch(new RegExp(`^the probe from ${host} to .* other traffic`));
  });

  it('say nothing of a slow host that is accepted, and all of another one', () => {
    // The link of n3 is slow, both ways.
    const slow = ring(190, 40, 38, 188, 190);
    expect(judgeFreeProbes(slow, LINE)).toMatch(/^the probe from n2 to n3/);
    expect([judgeFreeProbes(slow, LINE, ['n3']), rateDoubt(slow, LINE, ['n3'])]).toEqual([null, null]);
    expect(judgeFreeProbes(ring(190, 40, 38, 188, 30, 35, 190), LINE, ['n3'])).toMatch(/^the probe from n5 to n6/);
    expect(judgeProbes(slow, LINE)).toMatch(/n2 .* out/);
    expect(judgeProbes(slow, LINE, ['n3'])).toBeNull();
    // Faster than what was set is no proof of it, whoever is accepted.
    expect(judgeProbes(slow, asBitsPerSecond(30e6), ['n3'])).toContain('the probe on n1');
    expect(acceptedLinks(slow, LINE, ['n3'])).toEqual([{ host: 'n3', bps: 38e6 }]);
  });

  it('tell of a line rate that no link reaches', () => {
    expect(rateDoubt(ring(140, 141, 139), LINE)).toEqual({
      ...{ host: 'n3', way: 'below' },
      text: 'its probe reached 139 Mbit/s over the unthrottled link, 70 % of the line rate of 200 Mbit/s',
    });
  });

  it('tell of a line rate that links exceed', () => {
    expect(rateDoubt(ring(190, 940), LINE)).toMatchObject({ host: 'n2', way: 'above' });
  });

  it('say nothing of links near their line rate, nor of a single host', () => {
    expect(rateDoubt(ring(151, 190, 203), LINE)).toBeNull();
    expect([rateDoubt([], LINE), judgeFreeProbes([], LINE)]).toEqual([null, null]);
  });
});
