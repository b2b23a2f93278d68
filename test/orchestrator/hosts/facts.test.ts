import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../base/errors.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { probeHosts } from '../../../orchestrator/hosts/facts.ts';
import { FakeWorld } from '../fake/world.ts';

describe('the facts of hosts', () => {
  it('have the clock offset from the middle of the round trip, right within half of it', async () => {
    const world = new FakeWorld(1);
    world.host('n1').clockOffsetNs = 5_000_000n;
    const hostNs = BigInt(world.clock.ms) * 1_000_000n + 5_000_000n;
    // Asked 40 us before and answered 60 us after the host read its clock, which is 5 ms ahead.
    const readings = [hostNs - 5_000_000n - 40_000n, hostNs - 5_000_000n + 60_000n];
    const now = (): bigint => readings.shift() ?? 0n;
    const [probed] = await probeHosts(new Cluster(world.inventory, world.open), world.inventory.hosts, now);
    expect(probed).toMatchObject({ host: 'n1', clockOffsetNs: 4_990_000, clockErrorNs: 50_000 });
  });

  it('are negative offsets for a clock that is behind', async () => {
    const world = new FakeWorld(1);
    world.host('n1').clockOffsetNs = -7_000n;
    const now = (): bigint => BigInt(world.clock.ms) * 1_000_000n;
    const [probed] = await probeHosts(new Cluster(world.inventory, world.open), world.inventory.hosts, now);
    expect(probed).toMatchObject({ clockOffsetNs: -7_000, clockErrorNs: 0 });
  });

  it("are asked for on the inventory's interface", async () => {
    const world = new FakeWorld(2);
    const probed = await probeHosts(new Cluster(world.inventory, world.open), world.inventory.hosts);
    expect(probed.map(({ host, facts }) => [host, facts.dataAddress])).toEqual([
      ['n1', '10.0.0.1/24'],
      ['n2', '10.0.0.2/24'],
    ]);
    expect(world.commands).toHaveLength(2);
    for (const command of world.commands) expect(command).toContain('facts --interface eth0');
  });

  it('are asked for on the interface with its address in the network where both are known', async () => {
    const world = new FakeWorld(1);
    const network = { interface: 'eth0', cidr: '10.0.0.0/24', queue: 'fair', beside: [], blocking: true };
    await probeHosts(new Cluster({ ...world.inventory, network }, world.open), world.inventory.hosts);
    expect(world.commands).toEqual([expect.stringMatching(/ facts --interface eth0 --network 10\.0\.0\.0\/24$/)]);
  });

  it('name the host whose agent fails', async () => {
    const world = new FakeWorld(2);
    const stderr = 'predict-agent facts: cannot list the network interfaces\n';
    world.host('n2').fate('facts', { kind: 'says', answer: { exitCode: 1, stderr } });
    await expect(probeHosts(new Cluster(world.inventory, world.open), world.inventory.hosts)).rejects.toMatchObject({
      kind: 'infrastructure',
      host: 'n2',
      message: expect.stringMatching(/^n2: its facts could not be read: .*network interfaces/),
    });
  });

  it.each([
    ['', "'' is not JSON"],
    ['{"hostname": "n2"', `'{"hostname": "n2"' is not JSON`],
    ['{"hostname": 5}', 'hostname is wrong (expected string, received number)'],
    ['[1]', 'the whole reply is wrong (expected object, received array)'],
    [`{"hostname": ${'['.repeat(1e5)}`, 'is not JSON'],
  ])('%j of an agent is a sentence with the host', async (stdout, sentence) => {
    const world = new FakeWorld(2);
    world.host('n2').fate('facts', { kind: 'says', answer: { exitCode: 0, stdout } });
    const failed: unknown = await probeHosts(new Cluster(world.inventory, world.open), world.inventory.hosts).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ kind: 'infrastructure', host: 'n2' });
    expect(messageOf(failed)).toContain('n2: its facts could not be read: ');
    expect(messageOf(failed)).toContain(sentence);
    expect(messageOf(failed).length).toBeLessThan(250);
  });
});
