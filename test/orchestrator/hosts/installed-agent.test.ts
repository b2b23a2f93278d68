import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../../agents/build.ts';
import {
  installAgent,
  installedAgent,
  lacksPrivilege,
  rootCommand,
  sudoersText,
} from '../../../orchestrator/hosts/installed-agent.ts';
import { tempFolder } from '../../experiments/make.ts';
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

const agent = { path: '/var/lib/predict/agent-0123456789abcdef/predict-agent', sha256: 'ab'.repeat(32) };

it('names the commands that run as root, one rule each, and nothing else', () => {
  const text = sudoersText({ user: 'ann' }, { source: '/home/ann/.predict/predict-agent', agent });
  const rules = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(rules).toEqual([
    `Cmnd_Alias PREDICT_INSTALL = sha256:${agent.sha256} /home/ann/.predict/predict-agent install`,
    'ann ALL=(root) NOPASSWD: PREDICT_INSTALL',
    `Cmnd_Alias PREDICT_LINK = ${agent.path} link *`,
    'ann ALL=(root) NOPASSWD: PREDICT_LINK',
    `Cmnd_Alias PREDICT_HOLD = ${agent.path} hold *`,
    'ann ALL=(root) NOPASSWD: PREDICT_HOLD',
    `Cmnd_Alias PREDICT_GROUP = ${agent.path} group *`,
    'ann ALL=(root) NOPASSWD: PREDICT_GROUP',
  ]);
});

it('is refused for a path that has another meaning there', () => {
  for (const home of ['/home/*', '/home/a?', '/home/[x]', "/home/ann's", '/home/!x', '/home/a\\b', '/home/a\nb']) {
    expect(() => sudoersText({ user: 'ann' }, { source: `${home}/x`, agent })).toThrow(/sudo's rules cannot name/);
  }
});

it.skipIf(!existsSync('/usr/sbin/visudo'))('is sudoers whatever the names (needs sudo)', async () => {
  const file = join(tempFolder(), 'rules');
  for (const [user, home] of [
    ['ann', '/home/ann'],
    ['DOM\\ann.b', '/home/ann work, all=of:it#1'],
    ['ann@site', '/home/ann@site/a+b~c'],
  ] as const) {
    writeFileSync(file, sudoersText({ user }, { source: `${home}/predict-agent`, agent }));
    const { exitCode, stdout } = await execa('/usr/sbin/visudo', ['-cf', file], { reject: false, all: true });
    expect([user, exitCode, stdout]).toEqual([user, 0, expect.stringContaining('parsed OK')]);
  }
});
