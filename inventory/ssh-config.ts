// Format: ssh_config(5).

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import SSHConfig from 'ssh-config';
import { badInput, messageOf } from '../base/errors.ts';
import { fitsGlob, shortened } from '../base/text.ts';

/** What ssh_config says about one host: lower-case keyword -> values, in the order in which they were first set. */
export type SshSettings = ReadonlyMap<string, readonly string[]>;

/** Which host is asked for. */
interface Query {
  /** The name as given on a command line. */
  readonly host: string;
  /** Set before the file is read, as by `-o`: they win over it and take part in Match. */
  readonly hostName?: string | undefined;
  readonly user?: string | undefined;
}

interface SshSettingsOptions extends Query {
  /** The ssh_config text, its Include lines already followed. */
  readonly text: string;
}

/** Host and Match sections for one host. `Match exec` never matches: no command is run to read a file. */
export function sshSettings({ text, host, hostName, user }: SshSettingsOptions): SshSettings {
  refuseLoneKeywords(text, host);
  refuseNegatedMatch(text, host);
  try {
    const config = SSHConfig.parse(hostName === undefined ? text : `HostName ${hostName}\n${text}`);
    normalizeCase(config);
    const query = user === undefined ? { Host: host } : { Host: host, User: user };
    const result = config.compute(query, { ignoreCase: true, matchExec: false });
    return new Map(Object.entries(result).map(([key, value]) => [key, Array.isArray(value) ? value : [value]]));
  } catch (error) {
    throw badInput(
      `The ssh_config for host ${host} cannot be read: ${messageOf(error)}. Check it with ssh -G ${host}.`,
    );
  }
}

/** The hosts that a file names in its Host lines, without patterns, in its order; those through which others are reached are left out. */
export function sshConfigHosts(text: string): readonly string[] {
  const words = (keyword: string): string[] =>
    text
      .split('\n')
      .flatMap((line) => settingOf(line, keyword) ?? [])
      .flatMap((value) => value.replaceAll('"', '').split(/[\s,]+/));
  const jumps = new Set(words('ProxyJump').map((jump) => jump.replace(/^.*@|:\d+$/g, '')));
  const names = words('Host').filter((name) => name !== '' && !/[*?!]/.test(name) && !jumps.has(name));
  return [...new Set(names)];
}

/** What a line sets a keyword to; undefined for a line of another keyword. */
function settingOf(line: string, keyword: string): string | undefined {
  const text = line.trimStart();
  if (text.slice(0, keyword.length).toLowerCase() !== keyword.toLowerCase()) return undefined;
  const rest = text.slice(keyword.length);
  const value = rest.trimStart();
  if (value.startsWith('=')) return value.slice(1).trimStart();
  return value.length < rest.length ? value : undefined;
}

/** ssh refuses a keyword without a value; the library reads on into the next line, or stumbles. */
function refuseLoneKeywords(text: string, host: string): void {
  const lone = text.split('\n').find((line) => /^(?!#)[^\s="]+\s*=?$|^=/.test(line.trim()));
  if (lone === undefined) return;
  const keyword = shortened(lone.trim());
  throw badInput(`The ssh_config for host ${host} has no value behind '${keyword}': give one, or remove the line.`);
}

/** ssh knows `Match !host bar`; the library passes over such a section. `!exec` never matches, as `exec` does not. */
function refuseNegatedMatch(text: string, host: string): void {
  const negated = text.split('\n').find((line) => {
    const words = settingOf(line, 'Match')?.match(/"[^"]*"|\S+/g) ?? [];
    for (let at = 0; at < words.length; at += /^!?(all|canonical|final)$/i.test(words[at] ?? '') ? 1 : 2) {
      if (words[at]?.startsWith('!')) return words[at]?.toLowerCase() !== '!exec';
    }
    return false;
  });
  if (negated === undefined) return;
  const line = shortened(negated.trim());
  throw badInput(
    `The ssh_config for host ${host} has '${line}', whose ! is not understood: write it as a pattern, as in Match host !NAME,*, or give another file as ssh.config in the inventory.`,
  );
}

interface ReadSshConfigOptions extends Query {
  readonly home: string;
  /** One file instead of ~/.ssh/config and /etc/ssh/ssh_config; `none` for no file at all. */
  readonly file?: string | undefined;
}

/** The ssh_config text that applies: the one file, or the user's followed by the system's; Include lines are followed. */
export function readSshConfig({ file, ...query }: ReadSshConfigOptions): string {
  const userFolder = join(query.home, '.ssh');
  if (file === 'none') return '';
  if (file !== undefined) {
    const text = readIfPresent(file);
    if (text === undefined) {
      throw badInput(`There is no ssh_config file ${file}: correct ssh.config in the inventory or remove it.`);
    }
    return followIncludes(text, { ...query, folder: userFolder });
  }
  const user = followIncludes(readIfPresent(join(userFolder, 'config')) ?? '', { ...query, folder: userFolder });
  const system = followIncludes(readIfPresent('/etc/ssh/ssh_config') ?? '', { ...query, folder: '/etc/ssh' });
  return `${user}\nHost *\n${system}`;
}

interface FollowIncludesOptions extends Omit<ReadSshConfigOptions, 'file'> {
  /** What relative Include paths start from: ~/.ssh, or /etc/ssh for the system's file. */
  readonly folder: string;
}

/**
 * Puts included files in the place of their Include lines. One inside a section counts only if the section matches the
 * host, as its own Host lines would otherwise escape from it.
 */
export function followIncludes(text: string, options: FollowIncludesOptions): string {
  const lines: string[] = [];
  append(text, { ...options, lines, depth: 0 });
  return lines.join('\n');
}

function append(text: string, options: FollowIncludesOptions & { lines: string[]; depth: number }): void {
  const { lines, folder, home, depth } = options;
  if (depth > 16) throw badInput('ssh_config files include each other more than 16 deep: look for a loop of Include.');
  let section: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const include = settingOf(line, 'Include');
    if (include === undefined) {
      if (/^\s*(Host|Match)[\s=]/i.test(line)) section = line;
      lines.push(line);
      continue;
    }
    if (section !== undefined && !isActive(section, options)) continue;
    for (const [, quoted, plain] of include.replace(/\s#.*$/s, '').matchAll(/"([^"]*)"|(\S+)/g)) {
      for (const file of matchingFiles(quoted ?? plain ?? '', { folder, home })) {
        append(readIfPresent(file) ?? '', { ...options, depth: depth + 1 });
        // The included file may end in a section that does not match; what surrounds it is known to be active.
        lines.push('Host *');
      }
    }
  }
}

function isActive(section: string, { lines, ...query }: FollowIncludesOptions & { lines: string[] }): boolean {
  return sshSettings({ ...query, text: [...lines, section, '  PredictProbe yes'].join('\n') }).has('predictprobe');
}

/** Files for one Include pattern; wildcards are understood in the last part of the path. */
function matchingFiles(pattern: string, { folder, home }: { folder: string; home: string }): readonly string[] {
  const expanded = pattern.startsWith('~/') ? join(home, pattern.slice(2)) : pattern;
  const path = isAbsolute(expanded) ? expanded : join(folder, expanded);
  if (!/[*?]/.test(path)) return [path];
  const parent = dirname(path);
  const name = path.slice(parent.length).replace(/^\//, '');
  try {
    return readdirSync(parent)
      .filter((file) => fitsGlob(name, file) && !file.startsWith('.'))
      .sort()
      .map((file) => join(parent, file));
  } catch {
    return [];
  }
}

/** The library compares these two by their exact spelling; ssh_config does not care about case. */
function normalizeCase(config: SSHConfig): void {
  for (const line of config) {
    if (!('param' in line)) continue;
    if (/^hostname$/i.test(line.param)) line.param = 'HostName';
    if (/^user$/i.test(line.param)) line.param = 'User';
    if ('config' in line) normalizeCase(line.config);
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw badInput(`The ssh_config file ${path} cannot be read: ${messageOf(error)}.`, error);
  }
}
