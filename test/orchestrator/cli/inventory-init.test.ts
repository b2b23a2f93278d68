import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { init } from '../../../orchestrator/cli/inventory-init.ts';
import { tell } from '../../../orchestrator/cli/print.ts';
import { tempFolder } from '../../experiments/make.ts';
import { sshServer } from '../ssh/server.ts';

/** A folder with the ssh_config of a host that answers and of one where nobody listens, and what is said to the terminal. */
async function site(): Promise<{ folder: string; config: string; said: () => string }> {
  const { target } = await sshServer();
  const folder = tempFolder();
  const config = join(folder, 'ssh_config');
  const [key, known] = [target.identityFiles[0], target.knownHostsFiles[0]];
  const all = [
    'Host *',
    '  HostName 127.0.0.1',
    '  User ann',
    `  IdentityFile "${key}"`,
    `  UserKnownHostsFile "${known}"`,
  ];
  writeFileSync(config, ['Host node01', `  Port ${target.port}`, 'Host laptop', '  Port 1', ...all, ''].join('\n'));
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true));
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return { folder, config, said: () => spies.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join('') };
}

test('hosts of ssh_config that do not answer are left out of the inventory, and said', async () => {
  const { folder, config, said } = await site();
  const out = join(folder, 'cluster.yaml');
  await tell(await init({ config, out }));
  expect(parse(readFileSync(out, 'utf8'))).toMatchObject({ hosts: ['node01'], ssh: { config } });
  expect(said()).toMatch(/cluster\.yaml: 1 host\n[\s\S]*left out: laptop \(127\.0\.0\.1 port 1\) cannot be reached/);
});

test('a host that was named must answer', async () => {
  const { folder, config } = await site();
  const out = join(folder, 'cluster.yaml');
  await expect(init({ config, out, hosts: 'node01,laptop' })).rejects.toMatchObject({ kind: 'infrastructure' });
  expect(existsSync(out)).toBe(false);
});
