import { assertNever } from '../base/errors.ts';
import { quote, quoteAll } from '../base/shell.ts';
import type { RefusedKey } from './check-host-key.ts';
import { knownHostsName } from './known-hosts.ts';
import type { SshTarget } from './ssh-target.ts';

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
