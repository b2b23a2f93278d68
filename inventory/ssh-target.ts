import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { badInput } from '../base/errors.ts';
import type { Host, Inventory } from './inventory-schema.ts';
import { followIncludes, readSshConfig, type SshSettings, sshSettings } from './ssh-config.ts';

/** All that a connection needs. */
export interface SshTarget {
  /** The name shown to people. */
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** Files that exist, in the order to try; one may be a public key (.pub), which picks a key of the agent. */
  readonly identityFiles: readonly string[];
  /** Files to look the host's key up in (they may not exist); the first is where a new key is added. */
  readonly knownHostsFiles: readonly string[];
  /** Looked up in known_hosts instead of the address, without a port. */
  readonly hostKeyAlias?: string | undefined;
  /** A shell command whose standard streams lead to the host; %h, %p and %r are filled in. */
  readonly proxyCommand?: string | undefined;
  /** Hosts to pass through, the first to connect to first; only the first may have a proxyCommand of its own. */
  readonly proxyJump?: readonly SshTarget[] | undefined;
  /** Socket of the SSH agent, if it may be used. */
  readonly useAgent: string | undefined;
  /** True: of the agent's keys, offer only those of `identityFiles`. */
  readonly identitiesOnly?: boolean;
}

interface ResolveTargetOptions {
  /** ssh_config text to use instead of any file. */
  readonly configText?: string;
  readonly home?: string;
  /** The local user. */
  readonly user?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Where and how to connect: the inventory's `ssh` section wins over ssh_config, which wins over ssh's defaults. On jump
 * hosts only ssh_config counts, but the inventory's key and known hosts are tried there too.
 */
export function resolveTarget(
  host: Host,
  inventory: Pick<Inventory, 'ssh'>,
  options: ResolveTargetOptions = {},
): SshTarget {
  const { home = homedir(), user = userInfo().username, env = process.env, configText } = options;
  const context: Context = { ssh: inventory.ssh, home, localUser: user, env, configText };
  const { key } = inventory.ssh;
  if (key !== undefined && !existsSync(key)) {
    throw badInput(
      `There is no key file ${key}: correct ssh.key in the inventory, or make one with ssh-keygen -f ${key}.`,
    );
  }
  const { user: wantedUser, port, proxyCommand } = inventory.ssh;
  const request = { name: host.name, address: host.address, user: wantedUser, port, proxyCommand };
  return resolveRequest(request, { context, trail: [] });
}

interface Context {
  readonly ssh: Inventory['ssh'];
  readonly home: string;
  readonly localUser: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configText: string | undefined;
}

interface Request {
  readonly name: string;
  readonly address?: string | undefined;
  readonly user?: string | undefined;
  readonly port?: number | undefined;
  readonly proxyCommand?: string | undefined;
  readonly jump?: true;
  /** Reached through the hosts before it in a chain: its own proxy settings do not count. */
  readonly chained?: boolean;
}

/** `trail`: the names on the way here, to find loops. */
function resolveRequest(
  request: Request,
  { context, trail }: { context: Context; trail: readonly string[] },
): SshTarget {
  const { name, chained = false } = request;
  const { home, localUser, env } = context;
  const settings = settingsOf(request, context);
  const one = (key: string): string | undefined => settings.get(key)?.[0];

  const address = expandTokens(request.address ?? one('hostname') ?? name, { tokens: { h: name }, what: 'HostName' });
  const user = request.user ?? one('user') ?? localUser;
  const port = request.port ?? portOf(one('port'), name);
  refuseShellCharacters(address, 'host name', /^[A-Za-z0-9_:][A-Za-z0-9_.:%-]*$/);
  refuseShellCharacters(user, 'user name', /^[^-\s'"`;&<>|(){}$\\][^\s'"`;&<>|(){}$\\]*$/);

  const place = `${user}@${address}:${port}`;
  if (trail.includes(place) || trail.length > 16) {
    throw badInput(
      `The jump hosts of ${trail[0] ?? name} form a loop (${[...trail, place].join(' -> ')}): ` +
        `set 'ProxyJump none' for ${name} in the ssh_config.`,
    );
  }
  const tokens = { h: address, n: name, p: String(port), r: user };
  const paths = { tokens: { ...tokens, d: home, u: localUser }, home, env };
  return {
    host: name,
    address,
    port,
    user,
    identityFiles: identityFiles(settings, { request, context, paths }),
    knownHostsFiles: knownHostsFiles(settings, { request, context, paths }),
    hostKeyAlias: one('hostkeyalias'),
    ...(chained ? {} : proxyOf(settings, { request, tokens, context, trail: [...trail, place] })),
    useAgent: agentSocket(one('identityagent'), { ...paths, what: 'IdentityAgent' }),
    identitiesOnly: one('identitiesonly')?.toLowerCase() === 'yes' || (context.ssh.key !== undefined && !request.jump),
  };
}

function settingsOf({ name, address, user }: Request, { ssh, home, configText }: Context): SshSettings {
  const query = { host: name, hostName: address, user, home };
  const text =
    configText === undefined
      ? readSshConfig({ ...query, file: ssh.config })
      : followIncludes(configText, { ...query, folder: join(home, '.ssh') });
  return sshSettings({ ...query, text });
}

function portOf(text: string | undefined, host: string): number {
  const port = Number(text ?? 22);
  if (Number.isInteger(port) && port >= 1 && port <= 65535) return port;
  throw badInput(`Port '${text}' of host ${host} in the ssh_config is no port: use a number from 1 to 65535.`);
}

/** These values are put into the proxy's shell command. */
function refuseShellCharacters(value: string, what: string, allowed: RegExp): void {
  if (!allowed.test(value)) throw badInput(`'${value}' is no usable ${what}: remove the unusual characters.`);
}

interface Parts {
  readonly request: Request;
  readonly context: Context;
  readonly paths: { readonly tokens: SshTokens; readonly home: string; readonly env: Context['env'] };
}

function identityFiles(settings: SshSettings, { request, context: { ssh, home }, paths }: Parts): readonly string[] {
  if (ssh.key !== undefined && !request.jump) return [ssh.key];
  const listed = settings.get('identityfile')?.filter((file) => file.toLowerCase() !== 'none');
  const files =
    listed?.map((file) => expandPath(file, { ...paths, what: 'IdentityFile' })) ??
    ['id_ed25519', 'id_ecdsa', 'id_rsa'].map((file) => join(home, '.ssh', file));
  return [...new Set(ssh.key === undefined ? files : [...files, ssh.key])].filter((file) => existsSync(file));
}

/** An inventory's own file stands alone: a lab's node01 must not meet another node01 of the system's list. */
function knownHostsFiles(settings: SshSettings, { request, context: { ssh }, paths }: Parts): readonly string[] {
  if (ssh.knownHosts !== undefined && !request.jump) return [ssh.knownHosts];
  const files = (key: string, fallback: string): readonly string[] =>
    (settings.get(key) ?? [fallback])
      .filter((file) => file.toLowerCase() !== 'none')
      .map((file) => expandPath(file, { ...paths, what: 'A known hosts file' }));
  const all = [
    ...files('userknownhostsfile', '~/.ssh/known_hosts'),
    ...files('globalknownhostsfile', '/etc/ssh/ssh_known_hosts'),
  ];
  return ssh.knownHosts === undefined ? all : [...all, ssh.knownHosts];
}

function agentSocket(agent: string | undefined, options: Parameters<typeof expandPath>[1]): string | undefined {
  if (agent?.toLowerCase() === 'none') return undefined;
  const named = agent === undefined ? 'SSH_AUTH_SOCK' : /^\$?([A-Z_][A-Z0-9_]*)$/.exec(agent)?.[1];
  return named === undefined ? expandPath(agent ?? '', options) : options.env[named] || undefined;
}

interface ProxyParts {
  readonly request: Request;
  readonly tokens: SshTokens;
  readonly context: Context;
  readonly trail: readonly string[];
}

/** Of ProxyCommand and ProxyJump the one set first counts; `none` switches both off. */
function proxyOf(settings: SshSettings, { request, tokens, context, trail }: ProxyParts): Partial<SshTarget> {
  const first = [...settings.keys()].find((key) => key === 'proxycommand' || key === 'proxyjump');
  const value = request.proxyCommand ?? (first === undefined ? 'none' : settings.get(first)?.join(' ')) ?? 'none';
  if (value.trim().toLowerCase() === 'none') return {};
  if (request.proxyCommand !== undefined || first === 'proxycommand') {
    return { proxyCommand: expandTokens(value, { tokens, what: 'ProxyCommand' }) };
  }
  const jumps: SshTarget[] = [];
  let visited = trail;
  for (const spec of expandTokens(value, { tokens, what: 'ProxyJump' }).split(',')) {
    const jump = resolveRequest({ ...parseJump(spec), chained: jumps.length > 0 }, { context, trail: visited });
    const { proxyJump: before = [], ...last } = jump;
    jumps.push(...before, last);
    visited = [...trail, ...jumps.map((each) => `${each.user}@${each.address}:${each.port}`)];
  }
  return { proxyJump: jumps };
}

/** `[user@]host[:port]` or `ssh://...`; an IPv6 address stands in brackets. */
function parseJump(spec: string): Request {
  const place = spec.trim().replace(/^ssh:\/\//, '');
  const at = place.lastIndexOf('@');
  const match = /^(?:\[([^\]]+)\]|([^:@[\]/]+))(?::(\d+))?\/?$/.exec(place.slice(at + 1));
  const name = match?.[1] ?? match?.[2];
  if (name === undefined || at === 0) {
    throw badInput(`ProxyJump '${spec.trim()}' is no jump host: write host, user@host or user@host:port.`);
  }
  const user = at < 0 ? undefined : place.slice(0, at);
  return { name, user, port: match?.[3] === undefined ? undefined : portOf(match[3], name), jump: true };
}

/** Values for `%` tokens by letter (ssh_config(5), TOKENS). */
type SshTokens = Readonly<Record<string, string>>;

/** Replaces %h, %p, ... and %%. A token that has no value here is an error naming the text, as in ssh. */
function expandTokens(text: string, { tokens, what }: { tokens: SshTokens; what: string }): string {
  return text.replace(/%(.?)/g, (whole, letter: string) => {
    if (letter === '%') return '%';
    const value = Object.hasOwn(tokens, letter) ? tokens[letter] : undefined;
    if (value === undefined) {
      const known = Object.keys(tokens).map((key) => `%${key}`);
      throw badInput(
        `${what} '${text}' contains '${whole}', which has no meaning there: use ${known.join(', ')} or %%.`,
      );
    }
    return value;
  });
}

interface ExpandPathOptions {
  readonly tokens: SshTokens;
  readonly what: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A path as ssh_config allows it: `~/`, `${VARIABLE}` and tokens. */
function expandPath(text: string, { tokens, what, home, env }: ExpandPathOptions): string {
  const withHome = text === '~' || text.startsWith('~/') ? home + text.slice(1) : text;
  const withVariables = withHome.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = env[name];
    if (value === undefined)
      throw badInput(`${what} '${text}' uses the environment variable ${name}, which is not set.`);
    return value.replaceAll('%', '%%');
  });
  return expandTokens(withVariables, { tokens, what });
}
