import { expect, it } from 'vitest';
import { asBitsPerSecond, asSeconds } from '../../../base/units.ts';
import { clearThrottle } from '../../../orchestrator/hosts/clear-throttle.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { throttleLinks } from '../../../orchestrator/hosts/throttle-hosts.ts';
import { FakeWorld } from '../fake/world.ts';

async function throttled() {
  const world = new FakeWorld(2);
  const cluster = new Cluster(world.inventory, world.open);
  const lease = { seconds: asSeconds(60), owner: 'bob' };
  await throttleLinks(cluster, world.inventory.hosts, asBitsPerSecond(20e6), lease);
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
