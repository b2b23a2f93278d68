// Format of known_hosts: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT.
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { assertNever, badInput, messageOf } from '../base/errors.ts';
import { quote, quoteAll } from '../base/shell.ts';
import { fitsGlob, withoutEnd } from '../base/text.ts';
import type { SshTarget } from './ssh-target.ts';

interface Presented {
  readonly fingerprint: string;
  readonly keyType: string;
}

/** What known_hosts says about a key that a host presented. Only `known` may be trusted. */
export type HostKeyVerdict = (Presented & { readonly verdict: 'known' }) | RefusedKey;

type RefusedKey =
  /** No key is on record. `entry` is the line that would make it known. */
  | (Presented & { readonly verdict: 'unknown'; readonly entry: string })
  /** Another key of this type is on record, at `file:line`. */
  | (Presented & {
      readonly verdict: 'changed';
      readonly expected: readonly string[];
      readonly file: string;
      readonly line: number;
    })
  /** Only keys of other types are on record, the first at `file:line`. `entry` is the line that would make this one known. */
  | (Presented & {
      readonly verdict: 'other-type';
      readonly entry: string;
      /** Type and fingerprint of each. */
      readonly expected: readonly string[];
      readonly file: string;
      readonly line: number;
    })
  /** The key is marked `@revoked` at `file:line`. */
  | (Presented & { readonly verdict: 'revoked'; readonly file: string; readonly line: number });

interface CheckHostKeyOptions {
  readonly files: readonly KnownHostsFile[];
  /** The name looked up: `hostKeyName(target)`. */
  readonly host: string;
  readonly port: number;
  /** The public key blob. */
  readonly key: Buffer;
}

/**
 * Judges a host's key. With a port other than 22 a matching key under the plain name is good too, as in ssh.
 * `@cert-authority` lines are passed over and certificates are `unknown`: host certificates are not supported.
 */
export function checkHostKey({ files, host, port, key }: CheckHostKeyOptions): HostKeyVerdict {
  const name = knownHostsName(host, port);
  const presented = { fingerprint: fingerprint(key), keyType: keyTypeOf(key) };
  const entries = entriesFor(files, name);
  const plain = port === 22 ? [] : entriesFor(files, host);

  const revoked = [...entries, ...plain].find((entry) => entry.marker === 'revoked' && entry.key.equals(key));
  if (revoked !== undefined) return { verdict: 'revoked', ...presented, file: revoked.file, line: revoked.line };
  const trusted = entries.filter(isTrusted);
  if ([...trusted, ...plain.filter(isTrusted)].some((entry) => entry.key.equals(key))) {
    return { verdict: 'known', ...presented };
  }
  const others = trusted.filter((entry) => entry.keyType === presented.keyType);
  const [first] = others;
  if (first !== undefined) {
    const expected = [...new Set(others.map((entry) => fingerprint(entry.key)))];
    return { verdict: 'changed', ...presented, expected, file: first.file, line: first.line };
  }
  const entry = `${name} ${presented.keyType} ${key.toString('base64')}`;
  const [another] = trusted;
  if (another === undefined || presented.keyType === UNKNOWN_TYPE) return { verdict: 'unknown', ...presented, entry };
  const expected = [...new Set(trusted.map((each) => `${each.keyType} ${fingerprint(each.key)}`))];
  return { verdict: 'other-type', ...presented, entry, expected, file: another.file, line: another.line };
}

/**
 * The host key algorithms whose keys are on record for the host, in the order of the files, for the client to prefer; RSA
 * keys stand for their SHA-2 signatures. The client drops names that it does not know.
 */
export function knownKeyTypes({ files, host, port }: Omit<CheckHostKeyOptions, 'key'>): readonly string[] {
  const named = entriesFor(files, knownHostsName(host, port)).filter(isTrusted);
  const entries = named.length > 0 || port === 22 ? named : entriesFor(files, host).filter(isTrusted);
  return [
    ...new Set(
      entries.flatMap(({ keyType }) => (keyType === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [keyType])),
    ),
  ];
}

function isTrusted({ marker }: KnownHostsEntry): boolean {
  return marker === undefined;
}

/** The name and port to look a target up with in known_hosts: its HostKeyAlias, else its address. */
export function hostKeyName(target: Pick<SshTarget, 'address' | 'port' | 'hostKeyAlias'>): {
  host: string;
  port: number;
} {
  // ssh looks an alias up without a port.
  return target.hostKeyAlias === undefined
    ? { host: target.address, port: target.port }
    : { host: target.hostKeyAlias, port: 22 };
}

/** Why the key is refused, its fingerprint, and the exact commands that put it right. */
export function hostKeyMessage(verdict: RefusedKey, target: SshTarget): string {
  const { fingerprint, keyType } = verdict;
  const { host, port } = hostKeyName(target);
  const key = `${keyType} ${fingerprint}`;
  switch (verdict.verdict) {
    case 'unknown':
      return [
        `Host ${target.host} showed a key that is not in known_hosts (${key}), so it was not trusted.`,
        `On the host, ${ownKeyCommand(keyType)} must print the same fingerprint; if it does, add the key:`,
        `  ${addCommand(verdict.entry, target)}`,
      ].join('\n');
    case 'changed': {
      const name = quote(knownHostsName(host, port));
      return [
        `Host ${target.host} showed another key (${key}) than ${verdict.file}:${verdict.line} holds ` +
          `(${verdict.expected.join(' or ')}): the host was set up anew, or somebody stands in between.`,
        `On the host, ${ownKeyCommand(keyType)} must print ${fingerprint}; if it does, forget the old key and try again:`,
        `  ssh-keygen -R ${name} -f ${quote(verdict.file)}`,
      ].join('\n');
    }
    case 'other-type':
      return [
        `Host ${target.host} showed a key of another type (${key}) than ${verdict.file}:${verdict.line} holds ` +
          `(${verdict.expected.join(' or ')}): the host has a new key, or somebody stands in between.`,
        `On the host, ${ownKeyCommand(keyType)} must print ${fingerprint}; if it does, add the key:`,
        `  ${addCommand(verdict.entry, target)}`,
      ].join('\n');
    case 'revoked':
      return (
        `Host ${target.host} showed a key (${key}) that ${verdict.file}:${verdict.line} marks as revoked: ` +
        'ask the administrator for a host with a new key. Never accept this one.'
      );
    default:
      return assertNever(verdict);
  }
}

const FAMILIES: ReadonlyMap<string, string> = new Map([
  ['ssh-ed25519', 'ed25519'],
  ['ssh-rsa', 'rsa'],
  ['ssh-dss', 'dsa'],
]);

function familyOf(keyType: string): string | undefined {
  return FAMILIES.get(keyType) ?? (keyType.startsWith('ecdsa-sha2-') ? 'ecdsa' : undefined);
}

function ownKeyCommand(keyType: string): string {
  return `ssh-keygen -lf /etc/ssh/ssh_host_${familyOf(keyType) ?? keyType}_key.pub`;
}

/** ssh-keyscan reaches neither hosts behind a proxy nor aliases: there the line itself is written. */
function addCommand(entry: string, target: SshTarget): string {
  const usable = target.knownHostsFiles.find((path) => path !== '/dev/null');
  const file = usable ?? 'known_hosts';
  const then = usable === undefined ? '   # and name that file in the inventory: ssh.knownHosts' : '';
  const family = familyOf(entry.split(' ')[1] ?? '');
  const direct = target.proxyCommand === undefined && (target.proxyJump ?? []).length === 0;
  const scan = direct && target.hostKeyAlias === undefined && family !== undefined;
  const words = scan ? ['ssh-keyscan', '-t', family, '-p', String(target.port), target.address] : ['echo', entry];
  return `${quoteAll(words)} >> ${quote(file)}${then}`;
}

interface KnownHostsFile {
  readonly path: string;
  readonly text: string;
}

/** One usable line of a known_hosts file. */
interface KnownHostsEntry {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly marker: 'revoked' | 'cert-authority' | undefined;
  /** The first field: patterns, or one hashed name. */
  readonly patterns: string;
  readonly keyType: string;
  readonly key: Buffer;
}

/** Reads the files that exist. */
export function readKnownHosts(paths: readonly string[]): readonly KnownHostsFile[] {
  return paths.flatMap((path) => {
    try {
      return [{ path, text: readFileSync(path, 'utf8') }];
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
      throw badInput(`The known hosts file ${path} cannot be read: ${messageOf(error)}.`, error);
    }
  });
}

/** Comments, damaged lines and lines with unknown markers are passed over, as ssh does. */
function parseKnownHosts({ path, text }: KnownHostsFile): readonly KnownHostsEntry[] {
  return text.split(/\r?\n/).flatMap((content, index) => {
    const fields = content.trim().split(/[ \t]+/);
    if (content.trim() === '' || content.trim().startsWith('#')) return [];
    const marker = fields[0]?.startsWith('@') ? fields.shift() : undefined;
    const [patterns, keyType, base64] = fields;
    if (patterns === undefined || keyType === undefined || base64 === undefined) return [];
    if (marker !== undefined && marker !== '@revoked' && marker !== '@cert-authority') return [];
    const key = Buffer.from(base64, 'base64');
    if (keyTypeOf(key) !== keyType) return [];
    const meaning = marker === '@revoked' ? 'revoked' : marker === undefined ? undefined : 'cert-authority';
    return [{ file: path, line: index + 1, marker: meaning, patterns, keyType, key }];
  });
}

/** The entries that speak of `name`: a host name, or `[host]:port`. */
function entriesFor(files: readonly KnownHostsFile[], name: string): readonly KnownHostsEntry[] {
  return files.flatMap(parseKnownHosts).filter((entry) => matchesName(entry.patterns, name.toLowerCase()));
}

/** A host as known_hosts names it: plain on port 22, else `[host]:port`. */
function knownHostsName(host: string, port: number): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** As OpenSSH prints it: SHA256: and base64 without padding. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${withoutEnd(createHash('sha256').update(key).digest('base64'), '=')}`;
}

/** The type of a blob that names none. */
const UNKNOWN_TYPE = 'unknown';

/** The type named in a public key blob: its first length-prefixed string (RFC 4253, 6.6). */
function keyTypeOf(key: Buffer): string {
  if (key.length < 4) return UNKNOWN_TYPE;
  const length = key.readUInt32BE(0);
  const name = key.toString('latin1', 4, 4 + length);
  return name.length === length && /^[\x21-\x7e]{1,100}$/.test(name) ? name : UNKNOWN_TYPE;
}

function matchesName(patterns: string, name: string): boolean {
  if (patterns.startsWith('|')) {
    const [, version, salt, hash] = patterns.split('|');
    if (version !== '1' || salt === undefined || hash === undefined) return false;
    const wanted = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest();
    return wanted.equals(Buffer.from(hash, 'base64'));
  }
  const list = patterns.toLowerCase().split(',');
  const negated = list.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  if (negated.some((pattern) => fitsGlob(pattern, name))) return false;
  return list.some((pattern) => !pattern.startsWith('!') && fitsGlob(pattern, name));
}
