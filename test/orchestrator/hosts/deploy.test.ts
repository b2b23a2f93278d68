import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { deployFiles } from '../../../orchestrator/hosts/work-folder.ts';
import { tempFolder } from '../../experiments/make.ts';
import { FakeWorld } from '../fake/world.ts';

function localFiles(contents: Readonly<Record<string, string>>): string[] {
  const folder = tempFolder();
  return Object.entries(contents).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  });
}

describe('deploying files to a host', () => {
  it('puts them into the folder', async () => {
    const world = new FakeWorld(1);
    const files = localFiles({ 'predict-agent': 'agent 1', 'predict-graph500': 'graph 1' });
    expect(await deployFiles(world.host('n1'), files, '/srv/predict')).toEqual(['predict-agent', 'predict-graph500']);
    expect([...world.host('n1').files].map(([path, content]) => [path, content.toString()])).toEqual([
      ['/srv/predict/predict-agent', 'agent 1'],
      ['/srv/predict/predict-graph500', 'graph 1'],
    ]);
  });

  it('sends only what differs', async () => {
    const world = new FakeWorld(1);
    const files = localFiles({ 'predict-agent': 'agent 1', 'predict-graph500': 'graph 1' });
    await deployFiles(world.host('n1'), files, '/srv/predict');
    expect(await deployFiles(world.host('n1'), files, '/srv/predict')).toEqual([]);
    writeFileSync(files[1] ?? '', 'graph 2');
    expect(await deployFiles(world.host('n1'), files, '/srv/predict')).toEqual(['predict-graph500']);
    expect(world.host('n1').files.get('/srv/predict/predict-graph500')?.toString()).toBe('graph 2');
  });

  it('keeps a folder with spaces and quotes one folder', async () => {
    const world = new FakeWorld(1);
    const folder = "/home/ann's work";
    const files = localFiles({ 'predict-agent': 'agent 1' });
    await deployFiles(world.host('n1'), files, folder);
    expect(await deployFiles(world.host('n1'), files, folder)).toEqual([]);
    expect([...world.host('n1').files.keys()]).toEqual([`${folder}/predict-agent`]);
  });

  it('names host, folder and the key of the inventory where the folder cannot be used', async () => {
    const world = new FakeWorld(1);
    const stderr = 'mkdir: cannot create directory: Permission denied\n';
    world.host('n1').fate('deploy', { kind: 'says', answer: { exitCode: 1, stderr } });
    await expect(deployFiles(world.host('n1'), localFiles({ a: '1' }), '/srv/predict')).rejects.toMatchObject({
      kind: 'infrastructure',
      host: 'n1',
      message: expect.stringMatching(
        /^n1: the work folder \/srv\/predict cannot be used \(.*Permission denied\): set work.folder/,
      ),
    });
  });
});

describe('deploying to a cluster', () => {
  it('reaches every host, once each for the same files', async () => {
    const world = new FakeWorld(3);
    const cluster = new Cluster(world.inventory, world.open);
    const files = localFiles({ 'predict-agent': 'agent 1' });
    await cluster.deploy(world.inventory.hosts, files);
    await cluster.deploy(world.inventory.hosts, files);
    for (const host of ['n1', 'n2', 'n3']) {
      expect(world.asked.filter((asked) => asked.startsWith(host))).toEqual(
        ['look', 'deploy', 'send'].map((what) => `${host} ${what}`),
      );
    }
  });

  it('sends once where the work folder is shared', async () => {
    const world = new FakeWorld(3, 'work: {shared: true, folder: /shared}\n');
    const cluster = new Cluster(world.inventory, world.open);
    await cluster.deploy(world.inventory.hosts, localFiles({ 'predict-agent': 'agent 1' }));
    expect(world.asked).toEqual(['n1 look', 'n2 look', 'n3 look', 'n1 deploy', 'n1 send']);
    expect(world.host('n3').files.has('/shared/predict-agent')).toBe(true);
  });

  it('tries again after it failed', async () => {
    const world = new FakeWorld(1);
    const cluster = new Cluster(world.inventory, world.open);
    const files = localFiles({ 'predict-agent': 'agent 1' });
    world.host('n1').fate('deploy', { kind: 'dies' });
    await expect(cluster.deploy(world.inventory.hosts, files)).rejects.toMatchObject({ host: 'n1' });
    await cluster.deploy(world.inventory.hosts, files);
    expect(world.count('send')).toBe(1);
  });

  it('removes below the work folder only, once where it is shared', async () => {
    const world = new FakeWorld(2, 'work: {shared: true, folder: /shared}\n');
    world.host('n1').files.set('/shared/graphs/20', Buffer.from('x'));
    world.host('n1').files.set('/shared/predict-agent', Buffer.from('x'));
    await new Cluster(world.inventory, world.open).remove(world.inventory.hosts, 'graphs');
    expect([...world.host('n2').files.keys()]).toEqual(['/shared/predict-agent']);
    expect(world.count('remove')).toBe(1);
  });

  it('names the host on which something cannot be removed', async () => {
    const world = new FakeWorld(2);
    const cluster = new Cluster(world.inventory, world.open);
    const stderr = "rm: cannot remove '/srv/predict/cells': Read-only file system\n";
    world.host('n2').fate('remove', { kind: 'says', answer: { exitCode: 1, stderr } });
    const message = expect.stringMatching(/^n2: .*\/cells cannot be removed \(rm: .*Read-only file system\)\.$/);
    const removed = cluster.remove(world.inventory.hosts, 'cells');
    await expect(removed).rejects.toMatchObject({ kind: 'infrastructure', host: 'n2', message });
  });
});
