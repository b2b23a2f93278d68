import { describe, expect, it } from 'vitest';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { controllerName, lockHosts } from '../../../orchestrator/hosts/controller-lock.ts';
import { settled } from '../fake/clock.ts';
import { FakeWorld } from '../fake/world.ts';

const clusterOf = (world: FakeWorld): Cluster => new Cluster(world.inventory, world.open);
const owners = (world: FakeWorld) => world.hosts.map(({ lockedBy }) => lockedBy);

describe("the controllers' lock", () => {
  it('is held on every host until it is released', async () => {
    const world = new FakeWorld(3);
    const locks = await lockHosts(clusterOf(world), world.inventory.hosts, "ann's sweep");
    expect(owners(world)).toEqual(["ann's sweep", "ann's sweep", "ann's sweep"]);
    await locks.release();
    expect(owners(world)).toEqual([undefined, undefined, undefined]);
  });

  it('of another controller is a busy error that names host and holder, and lets the other hosts go', async () => {
    const world = new FakeWorld(3);
    world.host('n2').lockedBy = 'bob@head pid 7 (sweep nightly)';
    await expect(lockHosts(clusterOf(world), world.inventory.hosts, 'ann')).rejects.toMatchObject({
      kind: 'busy',
      host: 'n2',
      exitCode: 5,
      message: expect.stringMatching(/^n2 is in use by another controller: .*bob@head pid 7 \(sweep nightly\)/),
    });
    expect(owners(world)).toEqual([undefined, 'bob@head pid 7 (sweep nightly)', undefined]);
  });

  it('that cannot be taken for another reason is an infrastructure fault with what was said', async () => {
    const world = new FakeWorld(2);
    const stderr = 'predict-agent hold: cannot open the lock /run/lock/predict-controller (Permission denied)\n';
    world.host('n1').fate('hold', { kind: 'says', answer: { exitCode: 1, stderr } });
    await expect(lockHosts(clusterOf(world), world.inventory.hosts, 'ann')).rejects.toMatchObject({
      kind: 'infrastructure',
      host: 'n1',
      message: expect.stringContaining('Permission denied'),
    });
    expect(owners(world)).toEqual([undefined, undefined]);
  });

  it('is an infrastructure fault where the connection is lost before it is held', async () => {
    const world = new FakeWorld(2);
    world.host('n2').fate('hold', { kind: 'dies' });
    await expect(lockHosts(clusterOf(world), world.inventory.hosts, 'ann')).rejects.toMatchObject({
      kind: 'infrastructure',
      host: 'n2',
    });
    expect(owners(world)).toEqual([undefined, undefined]);
  });

  it('is free again the moment its connection is lost, and can still be released', async () => {
    const world = new FakeWorld(2);
    const locks = await lockHosts(clusterOf(world), world.inventory.hosts, 'ann');
    world.host('n1').loseConnections();
    await settled();
    expect(owners(world)).toEqual([undefined, 'ann']);
    await locks.release();
    expect(owners(world)).toEqual([undefined, undefined]);
  });

  it('is waited for where a host is slow', async () => {
    const world = new FakeWorld(2);
    world.host('n2').fate('hold', { kind: 'late', ms: 5_000 });
    const locking = lockHosts(clusterOf(world), world.inventory.hosts, 'ann');
    await world.when('n2', 'hold');
    await world.clock.advance(5_000);
    await (await locking).release();
    expect(world.count('hold')).toBe(2);
  });

  it('says who this controller is and what it does', () => {
    expect(controllerName('sweep first')).toMatch(new RegExp(`^.+@.+ pid ${process.pid} \\(sweep first\\)$`));
  });
});
