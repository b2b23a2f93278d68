import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { resolveTarget, type SshTarget } from '../../inventory/ssh-target.ts';

interface Setup {
  readonly config?: string;
  readonly ssh?: Inventory['ssh'];
  readonly address?: string;
  /** Files below the home folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

function home(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'predict-home-'));
  mkdirSync(join(folder, '.ssh'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Who ssh logs in as where nothing is said. */
const me = userInfo().username;

function resolve(name: string, { config = '', ssh = {}, address, files, env = {} }: Setup = {}): SshTarget {
  const folder = home({ ...files, config });
  const text = config.replaceAll('HOME', folder);
  writeFileSync(join(folder, 'config'), text);
  return resolveTarget({ name, address }, { ssh: { ...ssh, config: join(folder, 'config') } }, { home: folder, env });
}

/** A chain in one line. */
const chain = (target: SshTarget): readonly string[] =>
  (target.proxyJump ?? []).map((jump) => `${jump.user}@${jump.address}:${jump.port}`);

describe('without ssh_config', () => {
  test('ssh has its own defaults', () => {
    const folder = home({ '.ssh/id_rsa': '', '.ssh/id_ed25519': '', '.ssh/other': '' });
    const target = resolveTarget(
      { name: 'n1', address: undefined },
      { ssh: { config: 'none' } },
      { home: folder, user: 'me', env: { SSH_AUTH_SOCK: '/agent' } },
    );
    expect(target).toEqual({
      host: 'n1',
      address: 'n1',
      port: 22,
      user: 'me',
      identityFiles: [`${folder}/.ssh/id_ed25519`, `${folder}/.ssh/id_rsa`],
      knownHostsFiles: [`${folder}/.ssh/known_hosts`, '/etc/ssh/ssh_known_hosts'],
      hostKeyAlias: undefined,
      useAgent: '/agent',
      identitiesOnly: false,
    });
  });

  test('a machine without an ssh client has the defaults, unless there is a file that would count', () => {
    const path = process.env.PATH;
    process.env.PATH = '/nonexistent';
    try {
      const folder = home();
      const at = (): SshTarget =>
        resolveTarget({ name: 'n1', address: undefined }, { ssh: {} }, { home: folder, user: 'me', env: {} });
      expect(at()).toMatchObject({ address: 'n1', user: 'me', port: 22 });
      writeFileSync(join(folder, '.ssh/config'), 'Host n1\n  HostName other\n');
      expect(at).toThrow(`There is no ssh here to read ${folder}/.ssh/config: install OpenSSH's client`);
    } finally {
      process.env.PATH = path;
    }
  });

  test('a named file that does not exist is an error', () => {
    const at = (ssh: Inventory['ssh']) => () => resolveTarget({ name: 'n1', address: undefined }, { ssh });
    expect(at({ config: '/nonexistent/c' })).toThrow('There is no ssh_config file /nonexistent/c');
    expect(at({ key: '/nonexistent/k' })).toThrow('There is no key file /nonexistent/k');
  });
});

describe('the inventory wins over ssh_config', () => {
  const config = `Host *
  HostName wrong.example
  User wrong
  Port 1
  IdentityFile ~/.ssh/wrong
  UserKnownHostsFile ~/wrong
  ProxyJump wrong`;

  test('in each value', () => {
    const key = join(home({ '.ssh/k': '' }), '.ssh/k');
    const ssh = { user: 'hpc', port: 2222, key, knownHosts: '/kh', proxyCommand: 'relay %h %p %r 100%%' };
    expect(resolve('n1', { config, ssh, address: '10.0.0.1', files: { '.ssh/wrong': '' } })).toMatchObject({
      host: 'n1',
      address: '10.0.0.1',
      user: 'hpc',
      port: 2222,
      identityFiles: [key],
      identitiesOnly: true,
      knownHostsFiles: ['/kh'],
      proxyCommand: 'relay 10.0.0.1 2222 hpc 100%',
    });
  });

  test('and its user and address take part in Match', () => {
    const match = 'Match user hpc host 10.0.0.1\n  Port 7\n';
    expect(resolve('n1', { config: match, ssh: { user: 'hpc' }, address: '10.0.0.1' }).port).toBe(7);
    expect(resolve('n1', { config: match }).port).toBe(22);
  });

  test('proxyCommand: none switches a proxy off', () => {
    const target = resolve('n1', { config: 'ProxyJump login', ssh: { proxyCommand: 'none' } });
    expect(target.proxyJump).toBeUndefined();
    expect(target.proxyCommand).toBeUndefined();
  });

  test('its key and known hosts are tried last on jump hosts, its user and port are not used', () => {
    const key = join(home({ '.ssh/k': '' }), '.ssh/k');
    const files = { '.ssh/jump': '' };
    const config = 'Host n1\n  ProxyJump login\nHost login\n  IdentityFile ~/.ssh/jump';
    const target = resolve('n1', { config, files, ssh: { user: 'hpc', port: 9, key, knownHosts: '/kh' } });
    expect(chain(target)).toEqual([`${me}@login:22`]);
    expect(target.proxyJump?.[0]?.identityFiles).toEqual([expect.stringMatching(/\.ssh\/jump$/), key]);
    expect(target.proxyJump?.[0]?.knownHostsFiles.at(-1)).toBe('/kh');
  });
});

describe('the same as ssh -G', () => {
  test.each([
    ['Host names and patterns', 'Host node*\n  HostName %h.cluster\n  Port 2200\nHost *\n  User all\n  Port 1\n'],
    ['the first value counts', 'Host *\n  Port 5\nHost node1\n  Port 6\n'],
    ['negation', 'Host * !node1\n  Port 5\nHost *\n  Port 6\n'],
    ['lower-case keywords and =', 'host=node1\n  hostname=10.0.0.9\n  user = bob\n'],
    ['Match after HostName', 'host node1\n  hostname real\nmatch host real\n  port 77\n'],
    ['Match originalhost', 'Host node1\n  HostName real\nMatch originalhost node1\n  User orig\n'],
    ['Match all', 'Match all\n  User everyone\n'],
    ['a negated pattern in Match', 'Match host !other,*\n  Port 7\nMatch host !node1,*\n  Port 8\n'],
    ['ProxyJump', 'Host node1\n  ProxyJump a,bob@b:2200\n'],
    ['ProxyJump before ProxyCommand', 'Host node1\n  ProxyJump a\n  ProxyCommand nc %h %p\n'],
    ['ProxyCommand before ProxyJump', 'Host node1\n  ProxyCommand nc %h %p\n  ProxyJump a\n'],
    ['ProxyJump none', 'Host node1\n  ProxyJump none\nHost *\n  ProxyJump a\n'],
    ['ProxyCommand none', 'Host node1\n  ProxyCommand none\nHost *\n  ProxyCommand nc %h %p\n'],
    ['a quoted ProxyCommand', `Host node1\n  ProxyCommand sh -c 'exec ssh -o "A=b c" -W "[%h]:%p" login'\n`],
    ['several known hosts files', 'UserKnownHostsFile /a /b\nGlobalKnownHostsFile /c\n'],
    ['an alias', 'HostKeyAlias same\n'],
    ['CRLF', 'Host node1\r\n  Port 2200\r\n  User bob\r\n'],
    ['comments and tabs', '# top\nHost node1 # here\n\tPort\t2200\n\n  # more\n\tUser bob\n'],
  ])('%s', (_, config) => {
    const path = join(home(), 'config');
    writeFileSync(path, config);
    const output = execFileSync('ssh', ['-G', '-F', path, 'node1'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const said = new Map(
      output.split('\n').map((line) => [line.split(' ')[0] ?? '', line.split(' ').slice(1).join(' ')]),
    );
    const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
    const target = resolveTarget({ name: 'node1', address: undefined }, { ssh: { config: path } }, { user });

    expect(target.address).toBe(said.get('hostname'));
    expect(String(target.port)).toBe(said.get('port'));
    expect(target.user).toBe(said.get('user'));
    expect(target.hostKeyAlias).toBe(said.get('hostkeyalias'));
    const command = said.get('proxycommand')?.replaceAll('%h', target.address).replaceAll('%p', String(target.port));
    expect(target.proxyCommand).toBe(command === 'none' ? undefined : command);
    const jumps = said
      .get('proxyjump')
      ?.split(',')
      .map((jump) => jump.split('@').at(-1)?.split(':')[0]);
    expect(target.proxyJump?.map((jump) => jump.address)).toEqual(jumps);
    if (config.includes('KnownHosts')) {
      expect(target.knownHostsFiles.join(' ')).toBe(
        `${said.get('userknownhostsfile')} ${said.get('globalknownhostsfile')}`,
      );
    }
  });
});

describe('paths and tokens', () => {
  test('identity files expand and those that do not exist are dropped', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: ssh_config's own syntax.
    const config = 'IdentityFile ~/.ssh/%r_%n\nIdentityFile ~/.ssh/none\nIdentityFile "${KEYS}/my key"\nUser bob\n';
    const keys = home({ 'my key': '' });
    const target = resolve('n1', { config, files: { '.ssh/bob_n1': '', '.ssh/id_rsa': '' }, env: { KEYS: keys } });
    expect(target.identityFiles).toEqual([expect.stringMatching(/\.ssh\/bob_n1$/), `${keys}/my key`]);
  });

  test('an unknown token is an error naming the text', () => {
    expect(() => resolve('n1', { ssh: { proxyCommand: 'nc %x' } })).toThrow(
      "ProxyCommand 'nc %x' contains '%x', which has no meaning there: use %h, %n, %p, %r or %%.",
    );
  });

  test('shell characters in names do not reach a command', () => {
    expect(() => resolve('n1', { config: 'HostName a;reboot\n' })).toThrow("'a;reboot' is no usable host name");
    expect(() => resolve('n1', { ssh: { user: '$(reboot)' } })).toThrow("'$(reboot)' is no usable user name");
  });

  test.each([
    ['IdentityAgent none', undefined],
    ['IdentityAgent SSH_AUTH_SOCK', '/a'],
    ['IdentityAgent $OTHER', '/b'],
    ['IdentityAgent /run/%u.sock', `/run/${me}.sock`],
    ['', '/a'],
  ])('%s', (config, socket) => {
    expect(resolve('n1', { config, env: { SSH_AUTH_SOCK: '/a', OTHER: '/b' } }).useAgent).toBe(socket);
  });

  test('IdentitiesOnly is passed on', () => {
    expect(resolve('n1', { config: 'IdentitiesOnly yes' }).identitiesOnly).toBe(true);
  });

  test.each([
    ['Match !host bar\n  Port 5\n', 5],
    ['Match host n1 !exec "test -e /none"\n  Port 7\n', 7],
    ['Match exec true\n  Port 8\n', 8],
  ])('%s counts as for ssh', (config, port) => {
    expect(resolve('n1', { config }).port).toBe(port);
  });

  test('a file that cannot be parsed is an error', () => {
    expect(() => resolve('n1', { config: 'Port none\n' })).toThrow(
      /^The ssh_config for host n1 cannot be read: .*line 1/,
    );
  });
});

describe('ProxyJump', () => {
  test('a chain is in the order of connecting, with users and ports', () => {
    const config = 'Host n1\n  ProxyJump a,bob@b:2200,c@[::1]:23\nHost a\n  HostName a.example\n  User alice\n';
    expect(chain(resolve('n1', { config }))).toEqual(['alice@a.example:22', 'bob@b:2200', 'c@::1:23']);
  });

  test('the first host of a chain brings its own jump hosts, the others do not', () => {
    const config = 'Host n1\n  ProxyJump a,b\nHost a\n  ProxyJump x\nHost b\n  ProxyJump y\n';
    const target = resolve('n1', { config });
    expect(chain(target)).toEqual(['x', 'a', 'b'].map((name) => `${me}@${name}:22`));
    expect(target.proxyJump?.every((jump) => jump.proxyJump === undefined)).toBe(true);
  });

  test('the first host may have a ProxyCommand', () => {
    const config = 'Host n1\n  ProxyJump a\nHost a\n  ProxyCommand nc %h %p\n';
    expect(resolve('n1', { config }).proxyJump?.[0]?.proxyCommand).toBe('nc a 22');
  });

  test('one machine on two ports is no loop', () => {
    const config = 'Host n1\n  ProxyJump localhost:2201,localhost:2202\n';
    expect(chain(resolve('n1', { config }))).toEqual([`${me}@localhost:2201`, `${me}@localhost:2202`]);
  });

  test.each([
    ['through itself', 'Host *\n  ProxyJump bastion\n'],
    ['through each other', 'Host n1\n  ProxyJump a\nHost a\n  ProxyJump b\nHost b\n  ProxyJump a\n'],
    ['twice in a chain', 'Host n1\n  ProxyJump a,b,a\n'],
    ['back to the host', 'Host n1\n  ProxyJump n1\n'],
    ['through ever new names', 'Host *\n  ProxyJump x%h\n'],
  ])('a loop %s is refused', (_, config) => {
    expect(() => resolve('n1', { config })).toThrow(
      /^The jump hosts of .*n1.* form a loop \(\S+@n1:22 -> |^The ssh_config for host .* cannot be read: jumphost loop/,
    );
  });

  test('nonsense is an error', () => {
    expect(() => resolve('n1', { config: 'ProxyJump b:c:d' })).toThrow(
      /^The ssh_config for host n1 cannot be read: .*Invalid ProxyJump/,
    );
  });
});

describe('Include', () => {
  test('is followed, with wildcards', () => {
    const files = { 'one.conf': 'Host n1\n  Port 11\n', 'two.conf': 'Host n1\n  User two\n' };
    expect(resolve('n1', { config: 'Include HOME/*.conf HOME/missing\nHost n1\n  User late\n', files })).toMatchObject({
      port: 11,
      user: 'two',
    });
  });

  test('inside a section counts only for the hosts of the section', () => {
    const files = { inc: 'Port 11\nHost *\n  User inner\n' };
    const config = 'Host n1\n  Include "HOME/inc"\n  HostName real\n';
    expect(resolve('n1', { config, files })).toMatchObject({ port: 11, user: 'inner', address: 'real' });
    expect(resolve('n2', { config, files })).toMatchObject({ port: 22, user: me, address: 'n2' });
  });
});
