import { describe, expect, it } from 'vitest';
import { at } from '../../../base/lists.ts';
import { asPercent, asSeconds } from '../../../base/units.ts';
import { LinkKeeper } from '../../../orchestrator/cell/link-keeper.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { FakeWorld } from '../fake/world.ts';

function keeperOf(world: FakeWorld, leaseS = 60): LinkKeeper {
  const lease = { seconds: asSeconds(leaseS), owner: "ann's sweep" };
  return new LinkKeeper(new Cluster(world.inventory, world.open), { lease, every: world.clock.every });
}

const first = (world: FakeWorld, count: number) => world.inventory.hosts.slice(0, count);
const rates = (world: FakeWorld) => world.hosts.map(({ link }) => link.throttle?.rateBps ?? null);

describe('a link keeper', () => {
  it('sets the level on each host under a lease and proves it', async () => {
    const world = new FakeWorld(2);
    const level = await keeperOf(world).set(world.inventory.hosts, asPercent(20));
    expect(rates(world)).toEqual([20e6, 20e6]);
    expect(world.hosts.map(({ link }) => link.throttle?.owner)).toEqual(["ann's sweep", "ann's sweep"]);
    expect(level.rateBps).toBe(20e6);
    expect(level.probes.map(({ host, outBps, inBps }) => [host, outBps, inBps])).toEqual([
      ['n1', 19e6, 19e6],
      ['n2', 19e6, 19e6],
    ]);
    expect([...level.states].map(([host, { state }]) => [host, state])).toEqual([
      ['n1', 'throttled'],
      ['n2', 'throttled'],
    ]);
  });

  it('uses a proven level again without a probe', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world);
    const level = await keeper.set(world.inventory.hosts, asPercent(20));
    const again = await keeper.set(world.inventory.hosts, asPercent(20));
    expect(again.probes).toEqual(level.probes);
    expect([world.count('probe'), world.count('set')]).toEqual([2, 2]);
  });

  it.each([20, 100])('takes a level back that another controller changed, at %i %', async (bw) => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world);
    const level = await keeper.set(world.inventory.hosts, asPercent(bw));
    const other = keeperOf(world);
    await other.set([at(world.inventory.hosts, 1)], asPercent(30));
    expect(rates(world)[1]).toBe(30e6);
    await keeper.set(world.inventory.hosts, asPercent(bw));
    expect(rates(world)).toEqual([level.rateBps, level.rateBps]);
  });

  it('proves a level again that came into doubt', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world);
    await keeper.set(world.inventory.hosts, asPercent(20));
    keeper.doubt();
    await keeper.set(world.inventory.hosts, asPercent(20));
    expect(world.count('probe')).toBe(4);
  });

  it('refuses a level that the probes do not reach, naming host and share', async () => {
    const world = new FakeWorld(2);
    world.host('n2').link.goodput = 0.3;
    await expect(keeperOf(world).set(world.inventory.hosts, asPercent(20))).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringMatching(/of 20 % could not be verified: the probe on n1 reached 6 Mbit\/s out, .*30 %/),
    });
  });

  it('probes links again that a busy host had slowed, and counts the faster of their probes', async () => {
    const world = new FakeWorld(2);
    // n1 -> n2 and n2 -> n1 of the first ring are slow, then n2 -> n1 of the second.
    const { link } = world.host('n2');
    Object.defineProperty(link, 'goodput', { get: () => ([1, 2, 4].includes(world.probes.pairs.length) ? 0.3 : 0.95) });
    const level = await keeperOf(world).set(world.inventory.hosts, asPercent(20));
    expect(level.probes.map(({ outBps, inBps }) => [outBps, inBps])).toEqual([
      [19e6, 19e6],
      [19e6, 19e6],
    ]);
    // The third ring is the slow flow alone.
    expect(world.probes.pairs).toHaveLength(5);
  });

  it.each([20, 100])('adds a latency at each end at %i %, proves it, and changes it in place', async (bw) => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world);
    const late = await keeper.set(world.inventory.hosts, asPercent(bw), 2);
    expect([rates(world), late.rateBps, late.latencyMs]).toEqual([[bw * 1e6, bw * 1e6], bw * 1e6, 2]);
    expect(late.probes.map(({ roundTripMs }) => roundTripMs)).toEqual([4.1, 4.1]);
    expect([...late.states.values()].map(({ latencyMs }) => latencyMs)).toEqual([2, 2]);
    await keeper.set(world.inventory.hosts, asPercent(bw), 2);
    expect(world.count('set')).toBe(2);
    const next = await keeper.set(world.inventory.hosts, asPercent(bw), 0.5);
    expect([next.probes[0]?.roundTripMs, world.count('set'), world.count('clear')]).toEqual([1.1, 4, 0]);
    const none = await keeper.set(world.inventory.hosts, asPercent(bw));
    expect([none.rateBps, none.latencyMs, rates(world)[0]]).toEqual(bw === 20 ? [20e6, 0, 20e6] : [null, 0, null]);
  });

  it('refuses a latency that messages do not have', async () => {
    const world = new FakeWorld(2);
    Object.defineProperty(world.host('n2').link, 'awayMs', { get: () => 0.05 });
    await expect(keeperOf(world).set(world.inventory.hosts, asPercent(20), 2)).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringMatching(
        /of 20 % with a latency of 2 ms could not be verified: the small messages of n1 took 2\.1 ms there and back, but both ends add 2 ms each/,
      ),
    });
  });

  it('sets a latency again that another controller took away', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world);
    await keeper.set(world.inventory.hosts, asPercent(20), 2);
    await keeperOf(world).set([at(world.inventory.hosts, 1)], asPercent(20));
    await keeper.set(world.inventory.hosts, asPercent(20), 2);
    expect(world.hosts.map(({ link }) => link.throttle?.latencyMs)).toEqual([2, 2]);
  });

  it('adds no latency to what is not measured between two levels', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world);
    await keeper.set(world.inventory.hosts, asPercent(20), 2);
    await keeper.ease();
    expect(world.hosts.map(({ link }) => [link.rateBps, link.throttle?.latencyMs])).toEqual([
      [100e6, 0],
      [100e6, 0],
    ]);
  });

  it('takes everything of ours off the links at 100 %', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world);
    await keeper.set(world.inventory.hosts, asPercent(20));
    const level = await keeper.set(world.inventory.hosts, asPercent(100));
    expect([rates(world), level.rateBps]).toEqual([[null, null], null]);
  });

  it('releases the hosts that leave', async () => {
    const world = new FakeWorld(4);
    const keeper = keeperOf(world);
    await keeper.set(first(world, 4), asPercent(20));
    await keeper.set(first(world, 2), asPercent(50));
    expect(rates(world)).toEqual([50e6, 50e6, null, null]);
  });

  it('probes no ring of a single host', async () => {
    const world = new FakeWorld(1);
    const level = await keeperOf(world).set(world.inventory.hosts, asPercent(20));
    expect([level.probes, world.count('probe'), rates(world)]).toEqual([[], 0, [20e6]]);
  });

  it('renews the lease at a third of it while a task runs, so that a link stays throttled for longer than one', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world, 60);
    await keeper.set(world.inventory.hosts, asPercent(20));
    await keeper.during(1_000_000, async () => {
      await world.clock.advance(19_999);
      expect(world.count('renew')).toBe(0);
      await world.clock.advance(1);
      expect(world.count('renew')).toBe(2);
      await world.clock.advance(280_000);
    });
    expect(world.count('renew')).toBe(30);
    expect(rates(world)).toEqual([20e6, 20e6]);
  });

  it('lets the lease run out when nothing is measured', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world, 60);
    await keeper.during(1_000_000, () => keeper.set(world.inventory.hosts, asPercent(20)).then(() => undefined));
    await world.clock.advance(61_000);
    expect([rates(world), world.count('renew'), world.clock.pending]).toEqual([[null, null], 0, 0]);
  });

  it('lets the lease run out when a task takes longer than it may', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world, 60);
    const stuck = keeper.during(100_000, async () => {
      await keeper.set(world.inventory.hosts, asPercent(20));
      return new Promise(() => undefined);
    });
    expect(stuck).toBeInstanceOf(Promise);
    await world.when('n2', 'show');
    await world.clock.advance(159_000);
    expect(rates(world)).toEqual([20e6, 20e6]);
    await world.clock.advance(3_000);
    expect([rates(world), world.count('n1 renew'), world.clock.pending]).toEqual([[null, null], 5, 0]);
  });

  it('ends its renewals with a task that fails', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world, 60);
    await keeper.set(world.inventory.hosts, asPercent(20));
    await expect(keeper.during(1e6, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(world.clock.pending).toBe(0);
  });

  it('does not renew before it has throttled anything', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world);
    await keeper.during(1e6, async () => {
      await keeper.set(world.inventory.hosts, asPercent(100));
      await world.clock.advance(200_000);
    });
    expect(world.count('renew')).toBe(0);
  });

  it.each([
    ['is lost', (world: FakeWorld) => world.host('n2').fate('renew', { kind: 'dies' })],
    ['finds that the lease has run out', (world: FakeWorld) => world.host('n2').link.run(['renew', '--lease', '0'])],
    [
      'can start no keeper',
      (world: FakeWorld) => Object.assign(world.host('n2').link, { keeper: false, keepless: true }),
    ],
  ])('doubts the level when a renewal %s', async (_, befall) => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world, 60);
    await keeper.set(world.inventory.hosts, asPercent(20));
    befall(world);
    await keeper.during(1e6, () => world.clock.advance(20_000));
    Object.assign(world.host('n2').link, { keepless: false });
    await keeper.set(world.inventory.hosts, asPercent(20));
    expect([world.count('probe'), rates(world)]).toEqual([4, [20e6, 20e6]]);
  });

  it('renews a proven level that is asked for again, and has dead keepers started', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world, 60);
    await keeper.set(world.inventory.hosts, asPercent(20));
    world.host('n1').link.keeper = false;
    await world.clock.advance(50_000);
    const { states } = await keeper.set(world.inventory.hosts, asPercent(20));
    expect([...states.values()].map(({ leaseEndsInS, keeper: lives }) => [leaseEndsInS, lives])).toEqual([
      [60, true],
      [60, true],
    ]);
    expect(world.count('probe')).toBe(2);
  });

  it('sets and proves a level anew whose lease ran out before it was asked for again', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world, 60);
    await keeper.set(world.inventory.hosts, asPercent(20));
    await world.clock.advance(61_000);
    expect(rates(world)).toEqual([null, null]);
    const { states } = await keeper.set(world.inventory.hosts, asPercent(20));
    expect([rates(world), world.count('probe')]).toEqual([[20e6, 20e6], 4]);
    expect([...states.values()].map(({ expired }) => expired)).toEqual([false, false]);
  });

  it('refuses a level where no keeper can be had, and its link is free', async () => {
    const world = new FakeWorld(2);
    world.host('n2').link.keepless = true;
    await expect(keeperOf(world).set(world.inventory.hosts, asPercent(20))).rejects.toMatchObject({
      ...{
        kind: 'infrastructure',
        host: 'n2',
        message: expect.stringMatching(/^n2: the lease watchdog did not start/),
      },
    });
    expect(rates(world)[1]).toBeNull();
  });

  it('lets a host restore its link when renewals stay away', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world, 60);
    await keeper.set(world.inventory.hosts, asPercent(20));
    world.host('n2').down = true;
    await keeper.during(1e6, () => world.clock.advance(61_000));
    expect(rates(world)).toEqual([20e6, null]);
  });

  it('clears everything at the release and renews no more', async () => {
    const world = new FakeWorld(4);
    const keeper = keeperOf(world);
    await keeper.set(first(world, 3), asPercent(20));
    await keeper.release();
    expect(rates(world)).toEqual([null, null, null, null]);
    expect([world.count('n4 clear'), world.clock.pending]).toEqual([0, 0]);
  });

  it('throttles nothing after the release', async () => {
    const world = new FakeWorld(2);
    const keeper = keeperOf(world);
    await keeper.release();
    const refused = keeper.set(world.inventory.hosts, asPercent(20));
    await expect(refused).rejects.toThrow('The links were released because the sweep ended.');
    expect(rates(world)).toEqual([null, null]);
  });

  it('takes off what a level sets that was under way at the release', async () => {
    const world = new FakeWorld(2);
    world.host('n2').fate('set', { kind: 'late', ms: 5_000 });
    const keeper = keeperOf(world);
    const refused = expect(keeper.set(world.inventory.hosts, asPercent(20))).rejects.toThrow('were released');
    await world.when('n2', 'set');
    await keeper.release();
    await world.clock.advance(5_000);
    await refused;
    expect(rates(world)).toEqual([null, null]);
  });

  it('also clears the hosts of a level that was set only in part', async () => {
    const world = new FakeWorld(2);
    world.host('n2').fate('set', { kind: 'dies' });
    const keeper = keeperOf(world);
    await expect(keeper.set(world.inventory.hosts, asPercent(20))).rejects.toMatchObject({ host: 'n2' });
    expect(rates(world)).toEqual([20e6, null]);
    await keeper.release();
    expect(rates(world)).toEqual([null, null]);
  });

  it('also clears what a level that was refused left behind', async () => {
    const world = new FakeWorld(2);
    world.host('n2').link.goodput = 0.3;
    const keeper = keeperOf(world);
    await expect(keeper.set(world.inventory.hosts, asPercent(20))).rejects.toThrow('could not be verified');
    expect(rates(world)).toEqual([20e6, 20e6]);
    await keeper.release();
    expect(rates(world)).toEqual([null, null]);
  });

  it('names each host that does not release', async () => {
    const world = new FakeWorld(3);
    const keeper = keeperOf(world);
    await keeper.set(world.inventory.hosts, asPercent(20));
    world.host('n1').down = true;
    world.host('n3').down = true;
    await expect(keeper.release()).rejects.toMatchObject({ kind: 'infrastructure', details: { hosts: ['n1', 'n3'] } });
    expect(rates(world)[1]).toBeNull();
  });
});
