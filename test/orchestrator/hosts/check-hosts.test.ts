import { describe, expect, it } from 'vitest';
import { checkHosts, withoutSystemd } from '../../../orchestrator/hosts/check-hosts.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { fakePrograms } from '../fake/programs.ts';
import { FakeWorld } from '../fake/world.ts';
import type { FakeHost } from '../fake-host.ts';

const check = (world: FakeWorld) =>
  checkHosts(new Cluster(world.inventory, world.open), world.inventory.hosts, { programs: fakePrograms() });

describe('checking hosts', () => {
  it('finds nothing wrong with a good one and says what it is', async () => {
    const [row] = await check(new FakeWorld(1));
    expect(row).toMatchObject({
      ...{ host: 'n1', reached: true, kernel: '6.1.0', cores: 2, interface: 'eth0', address: '10.0.0.1/24' },
      ...{ link: 'free', privilege: 'root', mpi: '4.1.4', systemd: true, problems: [] },
    });
    expect(row?.clockErrorNs).toBeGreaterThanOrEqual(0);
  });

  it('finds nothing wrong with one that allows nothing as root where links are to stay as they are', async () => {
    const world = new FakeWorld(2);
    Object.assign(world.host('n2'), { privilege: 'none' });
    const options = { programs: fakePrograms(), orAsUser: true };
    const rows = await checkHosts(new Cluster(world.inventory, world.open), world.inventory.hosts, options);
    expect(rows.map(({ privilege, link, problems }) => [privilege, link, problems])).toEqual([
      ['root', 'free', []],
      ['none', 'free', []],
    ]);
  });

  it.each<[string, (host: FakeHost) => void, RegExp]>([
    ['has no privilege', (host) => Object.assign(host, { privilege: 'none' }), /^links cannot be throttled, /],
    ['lacks the launcher', (host) => Object.assign(host, { mpi: null }), /^the launcher openmpi is not installed\.$/],
    [
      "carries somebody else's qdisc",
      ({ link }) => Object.assign(link, { foreign: 'qdisc tbf 8001: root refcnt 2' }),
      /^eth0 has a foreign qdisc \(qdisc tbf 8001: root refcnt 2\)\.$/,
    ],
    [
      'has no address in the data network',
      (host) => Object.assign(host, { facts: { dataAddress: null } }),
      /^it has no address on eth0\.$/,
    ],
    ['cannot be reached', (host) => Object.assign(host, { down: true }), /^n2 cannot be reached over SSH: /],
    [
      'has a full disk',
      (host) => host.fate('deploy', { kind: 'says', answer: { exitCode: 1, stderr: 'No space left on device' } }),
      /^the work folder \/srv\/predict cannot be used \(No space left on device\)/,
    ],
    ['dies while it is looked at', (host) => host.fate('facts', { kind: 'dies' }), /^the connection was lost/],
  ])('says in a sentence that a host %s, and checks the others', async (_, harm, sentence) => {
    const world = new FakeWorld(3);
    harm(world.host('n2'));
    const rows = await check(world);
    expect(rows.map(({ host }) => host)).toEqual(['n1', 'n2', 'n3']);
    expect(rows[1]?.problems).toEqual([expect.stringMatching(sentence)]);
    expect([rows[0]?.problems, rows[2]?.problems]).toEqual([[], []]);
  });

  it('says once of all hosts without systemd that a link may stay throttled, where links can be throttled', async () => {
    const world = new FakeWorld(3);
    const rowsWithout = async (...names: readonly string[]) => {
      for (const name of names) world.host(name).facts = { systemd: false };
      return check(world);
    };
    expect(withoutSystemd(await rowsWithout())).toBeNull();
    const some = await rowsWithout('n2', 'n3');
    expect(some.map(({ systemd, problems }) => [systemd, problems])).toEqual([
      [true, []],
      [false, []],
      [false, []],
    ]);
    expect(withoutSystemd(some)).toMatch(
      /^There is no systemd on n2 and n3: a link there stays throttled if all processes /,
    );
    expect(withoutSystemd(await rowsWithout('n1'))).toMatch(/^There is no systemd on these hosts: /);
    expect(withoutSystemd(some.map((row) => ({ ...row, privilege: 'none' })))).toBeNull();
  });

  it('asks the launcher that the inventory names, one word for the shell whatever its path', async () => {
    const world = new FakeWorld(1, 'mpi: {command: "/opt/open mpi/bin/mpirun; id"}\n');
    await check(world);
    expect(world.commands.filter((command) => command.includes('--version'))).toEqual([
      "n1: '/opt/open mpi/bin/mpirun; id' --version",
    ]);
  });

  it('tells a host out of reach from one with a problem', async () => {
    const world = new FakeWorld(2);
    world.host('n1').down = true;
    world.host('n2').mpi = null;
    expect((await check(world)).map(({ reached }) => reached)).toEqual([false, true]);
  });
});
