// Format: ssh_config(5).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { badInput, messageOf } from '../base/errors.ts';
import { lastLines } from '../base/text.ts';

/** What ssh_config says about one host: lower-case keyword -> its values. */
export type SshSettings = ReadonlyMap<string, readonly string[]>;

interface Query {
  /** The name as given on a command line. */
  readonly host: string;
  /** These win over what is read and take part in Match. */
  readonly hostName?: string | undefined;
  readonly user?: string | undefined;
  /** One file instead of ~/.ssh/config and /etc/ssh/ssh_config; `none` for no file at all. */
  readonly file?: string | undefined;
  readonly home: string;
}

/** Longest wait for `ssh -G`: a `Match exec` runs a command, and canonical names may be looked up. */
const READ_MS = 20_000;

/**
 * What OpenSSH itself makes of ssh_config for one host (`ssh -G`), its defaults included; nothing where no file is to be read.
 * Without an ssh client a file that would count is an error: its host might be somebody else's machine.
 */
export function readSshSettings({ host, hostName, user, file, home }: Query): SshSettings {
  if (file === 'none') return new Map();
  if (file !== undefined && !existsSync(file)) {
    throw badInput(`There is no ssh_config file ${file}: correct ssh.config in the inventory or remove it.`);
  }
  const words = [
    '-G',
    ...(file === undefined ? [] : ['-F', file]),
    ...(hostName === undefined ? [] : ['-o', `HostName=${hostName}`]),
    ...(user === undefined ? [] : ['-l', user]),
    ...['--', host],
  ];
  const { error, status, stdout, stderr } = spawnSync('ssh', words, { encoding: 'utf8', timeout: READ_MS });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') {
    const unread = file ?? join(home, '.ssh', 'config');
    if (!existsSync(unread)) return new Map();
    throw badInput(
      `There is no ssh here to read ${unread}: install OpenSSH's client, or set 'config: none' under ssh in the inventory.`,
    );
  }
  if (error !== undefined || status !== 0) {
    const why = error === undefined ? lastLines(stderr, 2) : messageOf(error);
    throw badInput(`The ssh_config for host ${host} cannot be read: ${why}. Check it with ssh -G ${host}.`);
  }
  return parseSettings(stdout);
}

/** Lines `keyword value`. */
function parseSettings(text: string): SshSettings {
  const settings = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [, keyword, value] = /^(\S+) (.*)$/.exec(line) ?? [];
    if (keyword === undefined || value === undefined) continue;
    settings.set(keyword, [...(settings.get(keyword) ?? []), value]);
  }
  return settings;
}

/** The hosts that a file names in its Host lines, without patterns, in its order; those through which others are reached are left out. */
export function sshConfigHosts(text: string): readonly string[] {
  const words = (keyword: string): string[] =>
    [...text.matchAll(new RegExp(`^[ \\t]*${keyword}(?:[ \\t]*=[ \\t]*|[ \\t]+)(.*)$`, 'gim'))].flatMap(
      ([, value = '']) => value.replaceAll('"', '').split(/[\s,]+/),
    );
  const jumps = new Set(words('ProxyJump').map((jump) => jump.replace(/^.*@|:\d+$/g, '')));
  const names = words('Host').filter((name) => name !== '' && !/[*?!]/.test(name) && !jumps.has(name));
  return [...new Set(names)];
}
