import { describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../../agents/build.ts';
import {
  installAgent,
  installedAgent,
  lacksPrivilege,
  rootCommand,
} from '../../../orchestrator/hosts/installed-agent.ts';
import { localShell } from './local-shell.ts';

const ROOT = { uid: 0, user: 'root', machine: 'x86_64', folder: '/' };
const OWN = 'mount -t tmpfs -o mode=755 tmpfs /var/lib';

describe.skipIf(process.getuid?.() !== 0)('the agent that runs as root (needs root)', () => {
  it('is installed where its content says, and run from there', async () => {
    const { agent: source } = await buildHostPrograms();
    const agent = installedAgent(source);
    const shell = localShell({ prepare: `${OWN}; ${source} install >/dev/null` });
    await installAgent(shell, { source: '/no/such/file', agent, account: ROOT });
    await installAgent(localShell({ prepare: OWN }), { source, agent, account: ROOT });
    for (const uid of [0, undefined]) {
      const { stdout, exitCode } = await shell.exec(rootCommand(agent, uid, ['hold', '--help']));
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('predict-agent hold --token')]);
    }
  });

  it.each([
    ['a file that others may write', 'chmod o+w "$p"', 'predict-agent'],
    ['a file of a stranger', 'chown nobody "$p"', 'predict-agent'],
    ['a folder that a group may write', 'chmod g+w "$(dirname "$p")"', 'agent-'],
    ['a parent of a stranger', 'chown nobody /var/lib/predict', '/var/lib/predict'],
    ['a link', 'mv "$p" /var/lib/x; ln -s /var/lib/x "$p"', 'predict-agent'],
    ['nothing there', 'rm "$p"', 'No such file'],
  ])('is not run from %s', async (_, harm, named) => {
    const { agent: source } = await buildHostPrograms();
    const shell = localShell({ prepare: `${OWN}; p=$(${source} install); ${harm}` });
    const { exitCode, stdout, stderr } = await shell.exec(rootCommand(installedAgent(source), 0, ['hold', '--help']));
    expect([exitCode, stdout]).toEqual([27, '']);
    expect(stderr).toMatch(/is gone or not root's alone \(.*\): remove what others put there/);
    expect(stderr.slice(stderr.indexOf('('))).toContain(named);
  });

  it('is told from one that the user may not run as root', async () => {
    const { agent: source } = await buildHostPrograms();
    const account = { uid: 65534, user: 'nobody', machine: 'x86_64', folder: '/' };
    const installing = installAgent(localShell({ uid: 65534, prepare: OWN }), {
      source,
      agent: installedAgent(source),
      account,
    });
    await expect(installing).rejects.toThrow(
      /^here: links cannot be throttled, because nobody may not run.*inventory init --sudoers/,
    );
    await expect(installing).rejects.toSatisfy(lacksPrivilege);
    const stranger = localShell({ prepare: `${OWN}; install -d -o nobody /var/lib/predict` });
    const refused = installAgent(stranger, { source, agent: installedAgent(source), account: ROOT });
    await expect(refused).rejects.toThrow(/belongs to user 65534/);
    await expect(refused).rejects.not.toSatisfy(lacksPrivilege);
  });
});
