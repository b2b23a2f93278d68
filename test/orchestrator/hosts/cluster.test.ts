import { describe, expect, it } from 'vitest';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import type { CommandOptions } from '../../../orchestrator/hosts/executor.ts';
import { settled } from '../fake/clock.ts';
import { FakeWorld } from '../fake/world.ts';

const clusterOf = (world: FakeWorld): Cluster => new Cluster(world.inventory, world.open);
const onAll = (world: FakeWorld, command: readonly string[], options: CommandOptions = {}) =>
  clusterOf(world).onEach(world.inventory.hosts, (executor) => executor.exec(command, options));

describe('a task on each host', () => {
  it('gives its results in the order of the hosts, whichever answers first', async () => {
    const world = new FakeWorld(3);
    world.host('n1').fate('privilege', { kind: 'late', ms: 900 });
    world.host('n2').privilege = 'sudo';
    const asking = onAll(world, ['sh', '-c', 'id -u']);
    await world.when('n1', 'privilege');
    await world.clock.advance(900);
    expect((await asking).map(({ host, stdout }) => [host, stdout])).toEqual([
      ['n1', 'root\n'],
      ['n2', 'sudo\n'],
      ['n3', 'root\n'],
    ]);
  });

  it('runs side by side, but on no more than 64 at once', async () => {
    const world = new FakeWorld(150);
    let [now, most] = [0, 0];
    const release: (() => void)[] = [];
    const running = clusterOf(world).onEach(world.inventory.hosts, async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((resolve) => release.push(resolve));
      now -= 1;
    });
    for (let freed = 0; freed < 150; freed += 1) {
      await settled();
      release[freed]?.();
    }
    expect(await running).toHaveLength(150);
    expect([most, now]).toEqual([64, 0]);
  });

  it('of one failing host is its error', async () => {
    const world = new FakeWorld(3);
    world.host('n2').down = true;
    await expect(onAll(world, ['true'])).rejects.toMatchObject({
      kind: 'infrastructure',
      host: 'n2',
      message: expect.stringMatching(/^n2 cannot be reached/),
    });
  });

  it('waits for the others and makes one error of many, a line and a name for each host', async () => {
    const world = new FakeWorld(4);
    world.host('n1').down = true;
    world.host('n3').fate('true', { kind: 'dies' });
    const failure = await onAll(world, ['true']).catch((error: Error) => error);
    expect(failure).toMatchObject({ kind: 'infrastructure', details: { hosts: ['n1', 'n3'] } });
    expect(String(failure)).toMatch(/n1 cannot be reached.*\nn3: the connection was lost/);
    expect(world.count('n4 true')).toBe(1);
  });

  it('turns what is thrown there into a fault of that host', async () => {
    const world = new FakeWorld(2);
    const failing = clusterOf(world).onEach(world.inventory.hosts, async (_, { name }) => {
      if (name === 'n2') throw new Error('no such luck');
    });
    await expect(failing).rejects.toMatchObject({ kind: 'infrastructure', host: 'n2', message: 'n2: no such luck' });
  });
});

describe('the ways to hosts', () => {
  it('are opened once each', () => {
    const world = new FakeWorld(2);
    const opened: string[] = [];
    const cluster = new Cluster(world.inventory, (host, inventory) => {
      opened.push(`${host.name} of ${inventory.cluster}`);
      return world.open(host, inventory);
    });
    for (const host of [...world.inventory.hosts, ...world.inventory.hosts]) cluster.on(host);
    expect(opened).toEqual(['n1 of fake', 'n2 of fake']);
  });

  it('end what runs on them when the cluster is closed', async () => {
    const world = new FakeWorld(1);
    const cluster = clusterOf(world);
    const [host] = world.inventory.hosts;
    const running = await cluster
      .on(host ?? { name: '', address: undefined })
      .start(['/w/predict-agent', 'sample', '--hz', '20']);
    cluster.close();
    await expect(running.done).rejects.toMatchObject({ kind: 'infrastructure', host: 'n1' });
  });

  it('opens no way to a host any more once it is closed', async () => {
    const world = new FakeWorld(2);
    const cluster = clusterOf(world);
    await cluster.onEach(world.inventory.hosts, (executor) => executor.exec(['true']));
    cluster.close();
    const asking = cluster.onEach(world.inventory.hosts, (executor) => executor.exec(['true']));
    await expect(asking).rejects.toMatchObject({ kind: 'infrastructure', details: { hosts: ['n1', 'n2'] } });
    expect(world.count('true')).toBe(2);
  });

  it('give up on a command that never answers after its time-out', async () => {
    const world = new FakeWorld(1);
    world.host('n1').fate('true', { kind: 'hangs' });
    const asking = onAll(world, ['true'], { timeoutMs: 3_000 });
    await world.clock.advance(3_000);
    expect(await asking).toMatchObject([{ host: 'n1', exitCode: null, timedOut: true, durationMs: 3_000 }]);
  });
});
