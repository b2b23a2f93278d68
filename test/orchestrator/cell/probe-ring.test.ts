import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asBitsPerSecond } from '../../../base/units.ts';
import type { Host } from '../../../inventory/inventory-schema.ts';
import { probeRing, rounds } from '../../../orchestrator/cell/probe-ring.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { FakeWorld } from '../fake/world.ts';

const hostsOf = (count: number): Host[] =>
  Array.from({ length: count }, (_, index) => ({ name: `n${index + 1}`, address: undefined }));
const some = fc.integer({ min: 2, max: 9 });

describe('the rounds of a ring', () => {
  it('never have a host twice', () => {
    fc.assert(
      fc.property(some, (count) => {
        const all = rounds(hostsOf(count));
        expect(all.length).toBeGreaterThan(0);
        for (const round of all) {
          const names = round.flat().map(({ name }) => name);
          expect(new Set(names).size).toBe(names.length);
        }
      }),
    );
  });

  it('let each host send once and receive once, to the next one', () => {
    fc.assert(
      fc.property(some, (count) => {
        const pairs = rounds(hostsOf(count)).flat();
        const names = hostsOf(count).map(({ name }) => name);
        const ring = names.map((name, index) => `${name} ${names[(index + 1) % count]}`);
        expect(pairs.map(([from, to]) => `${from.name} ${to.name}`).sort()).toEqual(ring.sort());
      }),
    );
  });

  it.each([
    [2, 2],
    [3, 3],
    [4, 2],
    [9, 3],
  ])('of %i hosts are %i: an odd ring needs one more', (count, expected) => {
    expect(rounds(hostsOf(count))).toHaveLength(expected);
  });
});

describe('probing a ring', () => {
  const probe = (world: FakeWorld, rateBps = 20e6, atOnce = false) => {
    const ring = { rateBps: asBitsPerSecond(rateBps), atOnce };
    return probeRing(new Cluster(world.inventory, world.open), world.inventory.hosts, ring);
  };

  it.each([false, true])('says per host what left and what reached it, all at once: %s', async (atOnce) => {
    const world = new FakeWorld(3);
    world.host('n2').link.goodput = 0.5;
    // n1 -> n2 -> n3 -> n1 over free links of 100 Mbit/s; each probe is as fast as its slower end.
    expect(await probe(world, 20e6, atOnce)).toEqual([
      { host: 'n1', outBps: 50e6, inBps: 95e6, roundTripMs: 0.1 },
      { host: 'n2', outBps: 50e6, inBps: 50e6, roundTripMs: 0.1 },
      { host: 'n3', outBps: 95e6, inBps: 50e6, roundTripMs: 0.1 },
    ]);
  });

  it('uses a host in one probe at a time', async () => {
    for (const count of [2, 3, 4, 5]) {
      const world = new FakeWorld(count);
      await probe(world);
      expect(world.probes.pairs).toHaveLength(count);
      expect(world.probes.overlaps).toEqual([]);
    }
  });

  it('at once needs each host once, however many there are', async () => {
    for (const count of [2, 3, 4, 5]) {
      const world = new FakeWorld(count);
      await probe(world, 20e6, true);
      expect([world.probes.pairs.length, world.count('probe')]).toEqual([count, count]);
    }
  });

  it('lasts as long as three bursts take, and 0.4 s', async () => {
    const world = new FakeWorld(2);
    await probe(world, 20e6);
    // The burst at 20 Mbit/s is the least one, 18168 bytes: three of them take 21.8 ms.
    const commands = world.commands.filter((each) => each.includes(' probe '));
    expect(commands).toHaveLength(4);
    for (const command of commands) expect(command).toContain('--seconds 0.422');
    const receivers = commands.filter((each) => each.includes('--listen'));
    expect(receivers).toHaveLength(2);
    for (const command of receivers) expect(command).toContain('--warm-bytes 54504');
  });

  it('lasts ten round trips longer with a latency, of which much is under way at once', async () => {
    const asked = async (latencyMs: number): Promise<string> => {
      const world = new FakeWorld(2);
      const ring = { rateBps: asBitsPerSecond(20e6), latencyMs, atOnce: true };
      await probeRing(new Cluster(world.inventory, world.open), world.inventory.hosts, ring);
      return world.commands.find((each) => each.includes(' probe ')) ?? '';
    };
    expect(await asked(0)).not.toMatch(/--warm-seconds|--far/);
    // 20 Mbit/s in 1 ms are 2500 bytes.
    expect(await asked(0.5)).toMatch(/--seconds 0\.432 --ping-after 0\.032 .*--warm-seconds 0\.010$/);
    expect(await asked(2)).toMatch(/--seconds 0\.462 --ping-after 0\.062 .*--warm-seconds 0\.040 --far$/);
  });

  it('meets at another port each time, for one may be taken', async () => {
    const world = new FakeWorld(2);
    for (let time = 0; time < 5; time += 1) await probe(world);
    const ports = world.commands.flatMap((each) => /--listen \S+:(\d+)/.exec(each)?.[1] ?? []);
    expect(ports).toHaveLength(10);
    expect(new Set(ports).size).toBeGreaterThan(2);
  });

  it('names both hosts when one end says no', async () => {
    const world = new FakeWorld(2);
    world.host('n1').fate('probe', { kind: 'says', answer: { exitCode: 1, stderr: 'no route\n' } });
    const refused = expect(probe(world)).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringMatching(/from n1 to n2 failed: no route/),
    });
    await world.when('n2', 'probe');
    await world.clock.advance(10_000);
    await refused;
  });

  it('is an infrastructure fault of the host that dies in it', async () => {
    const world = new FakeWorld(2);
    world.host('n2').fate('probe', { kind: 'dies' });
    const refused = expect(probe(world)).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringContaining('n2: the connection was lost'),
    });
    await world.when('n2', 'probe');
    await world.clock.advance(10_000);
    await refused;
  });

  it('needs the address of each host in the data network', async () => {
    const world = new FakeWorld(2);
    world.host('n2').facts = { dataAddress: null };
    await expect(probe(world)).rejects.toMatchObject({
      kind: 'infrastructure',
      host: 'n2',
      message: expect.stringContaining('n2 has no address on eth0'),
    });
  });
});
