import { describe, expect, it } from 'vitest';
import { asBitsPerSecond, asSeconds } from '../../../base/units.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import {
  clearLinks,
  clearThrottle,
  renewLinks,
  requireOwnLinks,
  showLinks,
  throttleLinks,
} from '../../../orchestrator/hosts/throttle-hosts.ts';
import { FakeWorld } from '../fake/world.ts';

const lease = { seconds: asSeconds(60), owner: 'ann' };
const at = (rateBps: number) => ({ rateBps: asBitsPerSecond(rateBps), latencyMs: 0 });
const FOREIGN = 'qdisc tbf 8001: root refcnt 2';

/** A cluster of fake hosts with what the functions take. */
function worldOf(count = 2): { world: FakeWorld; cluster: Cluster; hosts: FakeWorld['inventory']['hosts'] } {
  const world = new FakeWorld(count);
  return { world, cluster: new Cluster(world.inventory, world.open), hosts: world.inventory.hosts };
}

describe('the links of hosts', () => {
  it('are throttled, shown, renewed and cleared', async () => {
    const { world, cluster, hosts } = worldOf();
    expect((await throttleLinks(cluster, hosts, at(20e6), lease)).get('n2')).toMatchObject({
      ...{ state: 'throttled', rateBps: 20e6, owner: 'ann', leaseEndsInS: 60, expired: false },
    });
    await world.clock.advance(30_000);
    expect((await showLinks(cluster, hosts)).get('n1')).toMatchObject({ leaseEndsInS: 30 });
    expect((await renewLinks(cluster, hosts, lease)).get('n1')).toMatchObject({ leaseEndsInS: 60 });
    expect((await clearLinks(cluster, hosts)).get('n1')).toMatchObject({ state: 'free', rateBps: null });
  });

  it('get a latency where it is asked for, and say so when a kernel cannot add it', async () => {
    const { world, cluster, hosts } = worldOf();
    const late = { ...at(20e6), latencyMs: 0.5 };
    expect((await throttleLinks(cluster, hosts, late, lease)).get('n2')).toMatchObject({ latencyMs: 0.5 });
    expect((await throttleLinks(cluster, hosts, at(20e6), lease)).get('n2')).toMatchObject({ latencyMs: 0 });
    world.host('n2').link.netem = false;
    await expect(throttleLinks(cluster, hosts, late, lease)).rejects.toMatchObject({
      ...{ kind: 'infrastructure', host: 'n2' },
      message:
        'n2: latency cannot be added here: the kernel has no netem (module sch_netem); leave out --latency, or install its modules.',
    });
  });

  it('change their level without a gap in their counters', async () => {
    const { world, cluster, hosts } = worldOf(1);
    await throttleLinks(cluster, hosts, at(20e6), lease);
    world.host('n1').link.pass('out', 1_000);
    const states = await throttleLinks(cluster, hosts, at(50e6), lease);
    expect(states.get('n1')?.classes?.out).toMatchObject({ rateBps: 50e6, bytes: 1_000 });
  });

  it('that ran out of lease are free and say that a keeper had to act', async () => {
    const { world, cluster, hosts } = worldOf(1);
    await throttleLinks(cluster, hosts, at(20e6), lease);
    await world.clock.advance(61_000);
    expect((await renewLinks(cluster, hosts, lease)).get('n1')).toMatchObject({ state: 'free', expired: true });
  });

  it("that carry somebody else's qdisc are all named before anything is changed", async () => {
    const { world, cluster, hosts } = worldOf(3);
    world.host('n1').link.foreign = FOREIGN;
    world.host('n3').link.foreign = FOREIGN;
    await expect(requireOwnLinks(cluster, hosts)).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringMatching(
        /foreign qdisc on n1 eth0 \(qdisc tbf.*\), n3 eth0 \(qdisc tbf.*\), so nothing was changed/,
      ),
    });
    expect(world.count('set')).toBe(0);
  });

  it.each([
    ['is not ours', { exitCode: 21, stderr: 'eth0 is not ours\n' }, /^n2: eth0 is not ours; remove it yourself/],
    [
      'lacks a privilege',
      { exitCode: 1, stderr: 'sudo: a password is required\n' },
      /may not change qdiscs .*use root/,
    ],
    ['has no tc', { exitCode: 25, stderr: 'tc is missing here: install iproute2\n' }, /^n2: tc is missing here/],
    ['says nothing', { exitCode: 7, stderr: '' }, /^n2: the throttle command ended with exit code 7\.$/],
  ])('cannot be set where a host %s, and it says so', async (_, said, sentence) => {
    const { world, cluster, hosts } = worldOf();
    world.host('n2').fate('set', { kind: 'says', answer: said });
    await expect(throttleLinks(cluster, hosts, at(20e6), lease)).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringMatching(sentence),
    });
  });

  it('cannot be set on a host that never answers: that is said after a minute', async () => {
    const { world, cluster, hosts } = worldOf();
    world.host('n1').fate('set', { kind: 'hangs' });
    const refused = expect(throttleLinks(cluster, hosts, at(20e6), lease)).rejects.toThrow(
      'n1: the throttle command did not return in time.',
    );
    await world.when('n1', 'set');
    await world.clock.advance(60_000);
    await refused;
  });
});

async function throttled() {
  const world = new FakeWorld(2);
  const cluster = new Cluster(world.inventory, world.open);
  const lease = { seconds: asSeconds(60), owner: 'bob' };
  await throttleLinks(cluster, world.inventory.hosts, at(20e6), lease);
  const said: string[] = [];
  const clear = (force: boolean) =>
    clearThrottle(cluster, world.inventory.hosts, { force, say: (text) => said.push(text) });
  const links = () => world.hosts.map(({ link }) => link.throttle !== undefined);
  return { world, clear, links, said };
}

it('restores links under the locks and lets these go', async () => {
  const { world, clear, links } = await throttled();
  await clear(false);
  expect([links(), world.count('hold')]).toEqual([[false, false], 2]);
  expect(world.hosts.map(({ lockedBy }) => lockedBy)).toEqual([undefined, undefined]);
});

it('leaves the links of a sweep that runs alone', async () => {
  const { world, clear, links } = await throttled();
  world.host('n2').lockedBy = 'bob@head pid 7 (sweep nightly)';
  await expect(clear(false)).rejects.toMatchObject({ kind: 'busy', exitCode: 5, host: 'n2' });
  expect(links()).toEqual([true, true]);
});

it('restores them all the same when forced to, and says whose sweep that breaks', async () => {
  const { world, clear, links, said } = await throttled();
  world.host('n2').lockedBy = 'bob@head pid 7 (sweep nightly)';
  await clear(true);
  expect(links()).toEqual([false, false]);
  expect(said).toEqual([
    expect.stringMatching(/^n2 is in use by .*bob@head pid 7 \(sweep nightly\).*because of --force\.$/),
  ]);
});
