import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { sudoersText } from '../../../orchestrator/hosts/sudoers.ts';
import { tempFolder } from '../../experiments/make.ts';

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
