import { describe, expect, it } from 'vitest';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { LostHosts } from '../../../orchestrator/hosts/lost-hosts.ts';
import { FakeWorld } from '../fake/world.ts';

function trial(world = new FakeWorld(3)): { world: FakeWorld; lost: LostHosts; of: (name: string) => boolean } {
  const lost = new LostHosts(new Cluster(world.inventory, world.open), { signMs: 50 });
  return { world, lost, of: (name) => lost.has({ name, address: undefined }) };
}

describe('hosts out of reach', () => {
  it('are those that give no sign of life, whether they refuse or are silent', async () => {
    const { world, lost, of } = trial();
    world.host('n2').down = true;
    world.host('n3').fate('true', { kind: 'hangs' });
    const found = await lost.find(world.inventory.hosts);
    expect(found).toMatchObject({ kind: 'infrastructure', host: 'n2', isHead: false });
    expect(found?.message).toMatch(/^n2 cannot be reached/);
    expect(['n1', 'n2', 'n3'].map(of)).toEqual([false, true, true]);
  });

  it('are asked again before each cell that needs them, and no others are', async () => {
    const { world, lost } = trial();
    world.host('n3').down = true;
    const found = await lost.find(world.inventory.hosts);
    if (found) lost.note(found);
    const before = world.count('true');
    await expect(lost.refuse(world.inventory.hosts)).rejects.toMatchObject({ host: 'n3' });
    await lost.refuse(world.inventory.hosts.slice(0, 2));
    expect(world.count('true')).toBe(before + 1);
  });

  it('are lost no more once they answer', async () => {
    const { world, lost, of } = trial();
    world.host('n3').down = true;
    const found = await lost.find(world.inventory.hosts);
    if (found) lost.note(found);
    expect(of('n3')).toBe(true);
    world.host('n3').down = false;
    await lost.refuse(world.inventory.hosts);
    expect(of('n3')).toBe(false);
  });

  it('refuse no cell before they have cost one', async () => {
    const { world, lost } = trial();
    world.host('n3').down = true;
    await lost.find(world.inventory.hosts);
    await lost.refuse(world.inventory.hosts);
  });

  it('end everything when one of them starts every run', async () => {
    const { world, lost } = trial();
    world.host('n1').down = true;
    expect(await lost.find(world.inventory.hosts)).toMatchObject({ host: 'n1', isHead: true });
  });
});
