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
    const stderr = 'predict-agent hold: cannot open the lock /run/predict/lock (Permission denied)\n';
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

  it('is not what a noisy login shell prints', async () => {
    const world = new FakeWorld(2);
    const stderr = 'predict-agent hold: the lock is held by bob; wait for it to end, or end it\n';
    const stdout = 'welcome\nheld\nheld 0123456789abcdef\n';
    world.host('n1').fate('hold', { kind: 'says', answer: { exitCode: 3, stdout, stderr } });
    await expect(lockHosts(clusterOf(world), world.inventory.hosts, 'ann')).rejects.toMatchObject({ kind: 'busy' });
    const host = world.host('n2');
    const noisy = { ...host, host: 'n2', sshPort: 22 };
    const cluster = new Cluster(world.inventory, () => ({
      ...noisy,
      exec: (command, options) => host.exec(command, options),
      start: (command, options) => {
        options?.onStdout?.('welcome, held by nobody\nhe');
        options?.onStdout?.('ld ffffffff\nlast login: today\n');
        return host.start(command, options);
      },
      send: async () => undefined,
      fetch: async () => null,
      close: () => undefined,
    }));
    host.fate('hold', { kind: 'late', ms: 5_000 });
    let locked = false;
    const locking = lockHosts(cluster, world.inventory.hosts.slice(1), 'ann').then((locks) => {
      locked = true;
      return locks;
    });
    await world.when('n2', 'hold');
    await settled();
    expect(locked).toBe(false);
    await world.clock.advance(5_000);
    await (await locking).release();
  });

  it('that was lost with its connection is known at once, and is taken again', async () => {
    const world = new FakeWorld(3);
    const { hosts } = world.inventory;
    const locks = await lockHosts(clusterOf(world), hosts, 'ann');
    expect(locks.doubt()).toBeNull();
    world.host('n2').loseConnections();
    await settled();
    expect(locks.doubt()).toMatch(/lock of n2 was lost/);
    expect(locks.doubt(hosts.slice(0, 1))).toBeNull();
    await locks.ensure(hosts.slice(0, 1));
    expect(locks.doubt()).toMatch(/n2/);
    await locks.ensure();
    expect(locks.doubt()).toBeNull();
    expect([owners(world), world.count('hold')]).toEqual([['ann', 'ann', 'ann'], 4]);
    await locks.release();
    expect(owners(world)).toEqual([undefined, undefined, undefined]);
  });

  it('that another controller took meanwhile is a busy error', async () => {
    const world = new FakeWorld(2);
    const locks = await lockHosts(clusterOf(world), world.inventory.hosts, 'ann');
    world.host('n2').loseConnections();
    await settled();
    world.host('n2').lockedBy = 'bob';
    await expect(locks.ensure()).rejects.toMatchObject({ kind: 'busy', exitCode: 5 });
    await locks.release();
    expect(owners(world)).toEqual([undefined, 'bob']);
  });

  it('may be gone without where that is asked for, and whose it is is said', async () => {
    const world = new FakeWorld(2);
    world.host('n2').lockedBy = 'bob@head pid 7 (sweep nightly)';
    const said: string[] = [];
    const locks = await lockHosts(clusterOf(world), world.inventory.hosts, 'ann', { despite: (why) => said.push(why) });
    expect(said).toEqual([expect.stringMatching(/^n2 is in use by another controller: .*sweep nightly/)]);
    await locks.release();
    expect(owners(world)).toEqual([undefined, 'bob@head pid 7 (sweep nightly)']);
  });

  it('is released in bounded time, also where a holder does not end', async () => {
    const world = new FakeWorld(2);
    const cluster = new Cluster(world.inventory, (place) => {
      const host = world.host(place.name);
      const start: typeof host.start = async (command, options) => {
        const running = await host.start(command, options);
        return place.name === 'n1' ? { ...running, end: () => undefined } : running;
      };
      return Object.assign(Object.create(host), { host: place.name, start });
    });
    const locks = await lockHosts(cluster, world.inventory.hosts, 'ann', { releaseMs: 50 });
    await locks.release();
    expect(owners(world)).toEqual(['ann', undefined]);
  });

  it('says who this controller is and what it does', () => {
    expect(controllerName('sweep first')).toMatch(new RegExp(`^.+@.+ pid ${process.pid} \\(sweep first\\)$`));
  });
});
