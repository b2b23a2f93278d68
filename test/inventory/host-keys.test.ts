import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkHostKey,
  fingerprint,
  type HostKeyVerdict,
  hostKeyMessage,
  hostKeyName,
  knownKeyTypes,
  readKnownHosts,
} from '../../inventory/host-keys.ts';
import type { SshTarget } from '../../inventory/ssh-target.ts';

const folder = mkdtempSync(join(tmpdir(), 'predict-host-keys-'));

interface Key {
  readonly line: string;
  readonly blob: Buffer;
  readonly path: string;
}

function makeKey(name: string, type: string): Key {
  const path = join(folder, name);
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', '', '-f', path]);
  const line = readFileSync(`${path}.pub`, 'utf8').trim();
  return { line, blob: Buffer.from(line.split(' ')[1] ?? '', 'base64'), path };
}

const ed = makeKey('ed', 'ed25519');
const other = makeKey('other', 'ed25519');
const rsa = makeKey('rsa', 'rsa');
const ecdsa = makeKey('ecdsa', 'ecdsa');

function check(text: string, { host = 'n1', port = 22, key = ed }: { host?: string; port?: number; key?: Key } = {}) {
  return checkHostKey({ files: [{ path: '/kh', text }], host, port, key: key.blob });
}

/** The lines as `ssh-keygen -H` writes them. */
function hashed(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'predict-hashed-')), 'known_hosts');
  writeFileSync(path, text);
  execFileSync('ssh-keygen', ['-q', '-H', '-f', path], { stdio: 'ignore' });
  return readFileSync(path, 'utf8');
}

describe('fingerprint', () => {
  test.each([ed, rsa, ecdsa])('is what ssh-keygen -lf prints', ({ blob, path }) => {
    expect(execFileSync('ssh-keygen', ['-lf', `${path}.pub`], { encoding: 'utf8' })).toContain(
      ` ${fingerprint(blob)} `,
    );
  });
});

describe('a name matches', () => {
  test.each([
    ['n1', 'n1', 22, true],
    ['N1', 'n1', 22, true],
    ['n1', 'N1', 22, true],
    ['n2', 'n1', 22, false],
    ['n10', 'n1', 22, false],
    ['a,n1,b', 'n1', 22, true],
    ['n?', 'n1', 22, true],
    ['n?', 'n', 22, false],
    ['*.cluster', 'n1.cluster', 22, true],
    ['*.cluster', 'n1xcluster', 22, false],
    ['n*,!n1', 'n1', 22, false],
    ['n*,!n1', 'n2', 22, true],
    ['!n1', 'n2', 22, false],
    ['[n1]:2222', 'n1', 2222, true],
    ['[n1]:2222', 'n1', 22, false],
    ['[n1]:2222', 'n1', 2223, false],
    ['[n*]:2222', 'n1', 2222, true],
    ['n1', 'n1', 2222, true],
    ['10.0.0.1', '10.0.0.1', 22, true],
    ['10.0.0.1', '10x0.0.1', 22, false],
  ])('%s for %s port %i: %s', (patterns, host, port, matches) => {
    expect(check(`${patterns} ${ed.line}\n`, { host, port }).verdict).toBe(matches ? 'known' : 'unknown');
  });

  test.each([
    ['n1', 'n1', 22],
    ['[n1]:2222', 'n1', 2222],
    ['10.0.0.1', '10.0.0.1', 22],
  ])('%s hashed by ssh-keygen -H', (name, host, port) => {
    const text = hashed(`${name} ${ed.line}\n`);
    expect(text).toMatch(/^\|1\|/);
    expect(check(text, { host, port }).verdict).toBe('known');
    expect(check(text, { host, port, key: other }).verdict).toBe('changed');
    expect(check(text, { host: 'n2', port }).verdict).toBe('unknown');
  });

  test('ssh-keygen -F finds the same lines', () => {
    const text = hashed(`n1 ${ed.line}\n[n1]:2222 ${ed.line}\nx,n3 ${ed.line}\n`);
    const path = join(folder, 'find');
    writeFileSync(path, text);
    for (const [name, host, port] of [
      ['n1', 'n1', 22],
      ['[n1]:2222', 'n1', 2222],
      ['n3', 'n3', 22],
      ['n4', 'n4', 22],
    ] as const) {
      const found = execFileSync('sh', ['-c', 'ssh-keygen -F "$1" -f "$2" || true', 'sh', name, path], {
        encoding: 'utf8',
      });
      expect(check(text, { host, port }).verdict).toBe(found.includes('found') ? 'known' : 'unknown');
    }
  });
});

describe('verdicts', () => {
  test('the same key is known', () => {
    expect(check(`n1 ${ed.line} a comment\n`)).toEqual({
      verdict: 'known',
      fingerprint: fingerprint(ed.blob),
      keyType: 'ssh-ed25519',
    });
  });

  test('no entry: unknown, with the line that would make it known', () => {
    const verdict = check('', { port: 2222 });
    expect(verdict).toMatchObject({ verdict: 'unknown', fingerprint: fingerprint(ed.blob), keyType: 'ssh-ed25519' });
    expect(verdict.verdict === 'unknown' && check(verdict.entry, { port: 2222 }).verdict).toBe('known');
  });

  test('another key of the same type: changed, with what was expected and where', () => {
    expect(check(`# first\n\nn1 ${other.line}\n`)).toMatchObject({
      verdict: 'changed',
      expected: [fingerprint(other.blob)],
      file: '/kh',
      line: 3,
    });
  });

  test('only a key of another type: it may be a new key, or somebody in between', () => {
    expect(check(`# x\nn1 ${rsa.line}\n`)).toMatchObject({
      verdict: 'other-type',
      expected: [`ssh-rsa ${fingerprint(rsa.blob)}`],
      file: '/kh',
      line: 2,
    });
    expect(check(`@cert-authority * ${rsa.line}\n@revoked n1 ${rsa.line}\nn1 x\n`).verdict).toBe('unknown');
    expect(check(`n1 ${rsa.line}\nn1 ${other.line}\n`).verdict).toBe('changed');
  });

  test('one of several keys is enough, in any file', () => {
    const files = [other, ed].map((key, index) => ({ path: `/kh${index}`, text: `n1 ${key.line}` }));
    expect(checkHostKey({ files, host: 'n1', port: 22, key: ed.blob }).verdict).toBe('known');
  });

  test('a revoked key is revoked even where another line trusts it', () => {
    const text = `n1 ${ed.line}\n@revoked * ${ed.line}\n`;
    expect(check(text)).toMatchObject({ verdict: 'revoked', file: '/kh', line: 2 });
    expect(check(text, { port: 2222 }).verdict).toBe('revoked');
    expect(check(`@revoked * ${other.line}\n`).verdict).toBe('unknown');
  });

  test('a certificate authority neither trusts nor contradicts a key', () => {
    expect(check(`@cert-authority * ${ed.line}\n`).verdict).toBe('unknown');
    expect(check(`@cert-authority * ${other.line}\nn1 ${ed.line}\n`).verdict).toBe('known');
  });

  test('a different key under the plain name does not speak of another port', () => {
    expect(check(`n1 ${other.line}\n`, { port: 2222 }).verdict).toBe('unknown');
  });

  test('CRLF, tabs and damaged lines do no harm', () => {
    const damaged = `n1 ssh-ed25519\r\nn1 ssh-ed25519 !!!!\r\nn1 ssh-rsa ${ed.line.split(' ')[1]}\r\n|1|x n1\r\n@odd n1 ${other.line}\r\nn1 1024 35 123\r\n`;
    expect(check(`${damaged}n1\t${ed.line.replaceAll(' ', '\t')}\r\n`).verdict).toBe('known');
    expect(check(damaged).verdict).toBe('unknown');
  });

  test('a blob that is no key is unknown', () => {
    const files = [{ path: '/kh', text: `n1 ${ed.line}` }];
    for (const key of [Buffer.alloc(0), Buffer.from([0, 0, 0, 200, 65]), Buffer.alloc(40, 255)]) {
      expect(checkHostKey({ files, host: 'n1', port: 22, key })).toMatchObject({
        verdict: 'unknown',
        keyType: 'unknown',
      });
    }
  });
});

describe('knownKeyTypes', () => {
  const types = (text: string, port = 22): readonly string[] =>
    knownKeyTypes({ files: [{ path: '/kh', text }], host: 'n1', port });

  test('are the algorithms of the host, RSA by its SHA-2 signatures', () => {
    expect(types(`n1 ${rsa.line}\nn1 ${ecdsa.line}\nn2 ${ed.line}\nn1 ${rsa.line}\n@revoked n1 ${ed.line}\n`)).toEqual([
      'rsa-sha2-512',
      'rsa-sha2-256',
      'ecdsa-sha2-nistp256',
    ]);
  });

  test('fall back to the plain name on another port', () => {
    expect(types(`n1 ${ed.line}\n`, 2222)).toEqual(['ssh-ed25519']);
    expect(types(`n1 ${ed.line}\n[n1]:2222 ${ecdsa.line}\n`, 2222)).toEqual(['ecdsa-sha2-nistp256']);
  });
});

describe('hostKeyMessage', () => {
  const target: SshTarget = {
    host: 'node01',
    address: 'n1',
    port: 2222,
    user: 'me',
    identityFiles: [],
    knownHostsFiles: ['/home/me/known hosts'],
    useAgent: undefined,
  };
  function message(verdict: HostKeyVerdict, where: SshTarget = target): string {
    if (verdict.verdict === 'known') throw new Error('is known');
    return hostKeyMessage(verdict, where);
  }

  test('unknown: the fingerprint, how to compare and the command to add it', () => {
    expect(message(check('', { port: 2222 }))).toBe(
      `Host node01 showed a key that is not in known_hosts (ssh-ed25519 ${fingerprint(ed.blob)}), so it was not trusted.
On the host, ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub must print the same fingerprint; if it does, add the key:
  ssh-keyscan -t ed25519 -p 2222 n1 >> '/home/me/known hosts'`,
    );
  });

  test('unknown behind a proxy or with an alias: the line itself, as ssh-keyscan does not reach it', () => {
    const path = join(folder, 'added hosts');
    for (const where of [
      { ...target, knownHostsFiles: [path], proxyCommand: 'nc' },
      { ...target, knownHostsFiles: [path], hostKeyAlias: 'same' },
    ]) {
      const { host, port } = hostKeyName(where);
      const command = message(check('', { host, port }), where).split('\n').at(-1) ?? '';
      expect(command).toContain('echo ');
      execFileSync('sh', ['-c', command]);
      expect(checkHostKey({ files: readKnownHosts([path]), host, port, key: ed.blob }).verdict).toBe('known');
    }
  });

  test('unknown with no file to add to: says to name one in the inventory', () => {
    const text = message(check('', { port: 2222 }), { ...target, knownHostsFiles: ['/dev/null'] });
    expect(text).toMatch(/ >> known_hosts {3}# and name that file in the inventory: ssh\.knownHosts$/);
  });

  test('changed: both fingerprints, the place, and a command that works on hashed files too', () => {
    const path = join(folder, 'old');
    writeFileSync(path, hashed(`[n1]:2222 ${other.line}\nn9 ${ed.line}\n`));
    const verdict = checkHostKey({
      files: readKnownHosts([path, '/nonexistent']),
      host: 'n1',
      port: 2222,
      key: ed.blob,
    });
    const text = message(verdict);
    expect(text).toContain(`Host node01 showed another key (ssh-ed25519 ${fingerprint(ed.blob)}) than ${path}:1 holds`);
    expect(text).toContain(`(${fingerprint(other.blob)})`);
    const command = text.split('\n').at(-1) ?? '';
    expect(command).toBe(`  ssh-keygen -R '[n1]:2222' -f ${path}`);
    execFileSync('sh', ['-c', command], { stdio: 'ignore' });
    expect(checkHostKey({ files: readKnownHosts([path]), host: 'n1', port: 2222, key: ed.blob }).verdict).toBe(
      'unknown',
    );
  });

  test('of another type: both keys, the place, and the command that adds this one', () => {
    const text = message(check(`[n1]:2222 ${rsa.line}\n`, { port: 2222 }));
    expect(text).toBe(
      `Host node01 showed a key of another type (ssh-ed25519 ${fingerprint(ed.blob)}) than /kh:1 holds (ssh-rsa ${fingerprint(rsa.blob)}): the host has a new key, or somebody stands in between.
On the host, ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub must print ${fingerprint(ed.blob)}; if it does, add the key:
  ssh-keyscan -t ed25519 -p 2222 n1 >> '/home/me/known hosts'`,
    );
  });

  test('revoked: never', () => {
    expect(message(check(`@revoked n1 ${ed.line}\n`))).toContain('/kh:1 marks as revoked');
  });
});

describe('readKnownHosts', () => {
  test('passes over files that do not exist and refuses what cannot be read', () => {
    expect(readKnownHosts(['/nonexistent/a'])).toEqual([]);
    expect(() => readKnownHosts([folder])).toThrow(/^The known hosts file .* cannot be read/);
  });
});
