// Format: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT.
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { badInput, messageOf } from '../base/errors.ts';
import { fitsGlob, withoutEnd } from '../base/text.ts';

export interface KnownHostsFile {
  readonly path: string;
  readonly text: string;
}

/** One usable line of a known_hosts file. */
export interface KnownHostsEntry {
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
export function entriesFor(files: readonly KnownHostsFile[], name: string): readonly KnownHostsEntry[] {
  return files.flatMap(parseKnownHosts).filter((entry) => matchesName(entry.patterns, name.toLowerCase()));
}

/** A host as known_hosts names it: plain on port 22, else `[host]:port`. */
export function knownHostsName(host: string, port: number): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** As OpenSSH prints it: SHA256: and base64 without padding. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${withoutEnd(createHash('sha256').update(key).digest('base64'), '=')}`;
}

/** The type of a blob that names none. */
export const UNKNOWN_TYPE = 'unknown';

/** The type named in a public key blob: its first length-prefixed string (RFC 4253, 6.6). */
export function keyTypeOf(key: Buffer): string {
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
