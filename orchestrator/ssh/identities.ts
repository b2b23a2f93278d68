import { readFileSync, statSync } from 'node:fs';
import { getuid } from 'node:process';
import ssh2 from 'ssh2';
import { messageOf } from '../../base/errors.ts';
import { quote } from '../../base/shell.ts';
import { shortened } from '../../base/text.ts';

/** Private keys that may be offered, and a clause on each file that is none of them. */
interface Identities {
  readonly keys: readonly Buffer[];
  readonly problems: readonly string[];
}

/**
 * Reads private keys as ssh does: files that are not there and public keys (which pick one of the agent's) are passed over, and a
 * key of the user's own that others may read is not used.
 */
export function readIdentities(paths: readonly string[]): Identities {
  const keys: Buffer[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    const key = readIdentity(path);
    if (typeof key === 'string') problems.push(key);
    else if (key !== null) keys.push(key);
  }
  return { keys, problems };
}

function readIdentity(path: string): Buffer | string | null {
  try {
    const { mode, uid } = statSync(path);
    const key = readFileSync(path);
    const parsed = ssh2.utils.parseKey(key);
    if (parsed instanceof Error) {
      return /no passphrase given/.test(parsed.message)
        ? `${path} has a passphrase: give it to the agent with ssh-add ${quote(path)}`
        : `${path} is not a readable private key (${shortened(parsed.message)})`;
    }
    const isPrivate = (Array.isArray(parsed) ? parsed : [parsed]).some((one) => one.isPrivateKey());
    if (!isPrivate) return null;
    return uid === getuid?.() && (mode & 0o077) !== 0
      ? `${path} may be read by others (mode ${(mode & 0o777).toString(8)}), so it is not used: chmod 600 ${quote(path)}`
      : key;
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isAbsent ? null : `${path} cannot be read (${messageOf(error)})`;
  }
}
