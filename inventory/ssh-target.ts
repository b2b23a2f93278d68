import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { badInput } from '../base/errors.ts';
import type { Host, Inventory } from './inventory-schema.ts';
import { readSshSettings, type SshSettings } from './ssh-config.ts';

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
  readonly home?: string;
  /** The local user. */
  readonly user?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Where and how to connect: the inventory's `ssh` section wins over ssh_config, which wins over ssh's defaults. On jump
 * hosts only ssh_config counts, but the inventory's key and known hosts are tried there too. Paths and commands still have
 * their tokens in what ssh says of its configuration: they are expanded here.
 */
export function resolveTarget(
  host: Host,
  inventory: Pick<Inventory, 'ssh'>,
  options: ResolveTargetOptions = {},
): SshTarget {
  const { home = homedir(), user = userInfo().username, env = process.env } = options;
  const { key } = inventory.ssh;
  if (key !== undefined && !existsSync(key)) {
    throw badInput(
      `There is no key file ${key}: correct ssh.key in the inventory, or make one with ssh-keygen -f ${key}.`,
    );
  }
  const { user: wantedUser, port, proxyCommand } = inventory.ssh;
  const request = { name: host.name, address: host.address, user: wantedUser, port, proxyCommand };
  return resolveRequest(request, { context: { ssh: inventory.ssh, home, localUser: user, env }, trail: [] });
}

interface Context {
  readonly ssh: Inventory['ssh'];
  readonly home: string;
  readonly localUser: string;
  readonly env: Readonly<Record<string, string | undefined>>;
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
  { context, trail }: { readonly context: Context; readonly trail: readonly string[] },
): SshTarget {
  const { name, chained = false } = request;
  const { ssh, home, localUser, env } = context;
  refuseUnusual({ address: request.address ?? name, user: request.user });
  const query = { host: name, hostName: request.address, user: request.user, file: ssh.config, home };
  const settings = readSshSettings(query);
  const one = (key: string): string | undefined => settings.get(key)?.[0];
  const address = request.address ?? one('hostname') ?? name;
  const user = request.user ?? one('user') ?? localUser;
  const port = request.port ?? portOf(one('port'), name);
  refuseUnusual({ address, user });

  const place = `${user}@${address}:${port}`;
  if (trail.includes(place) || trail.length > 16) {
    throw badInput(
      `The jump hosts of ${trail[0] ?? name} form a loop (${[...trail, place].join(' -> ')}): ` +
        `set 'ProxyJump none' for ${name} in the ssh_config.`,
    );
  }
  const tokens = { h: address, n: name, p: String(port), r: user };
  const path: ExpandPath = (text, what) =>
    expandPath(text, { tokens: { ...tokens, d: home, u: localUser }, what, home, env });
  return {
    host: name,
    address,
    port,
    user,
    identityFiles: identityFiles(settings, { request, ssh, path }),
    knownHostsFiles: knownHostsFiles(settings, { request, ssh, path }),
    hostKeyAlias: one('hostkeyalias'),
    ...(chained ? {} : proxyOf(settings, { request, tokens, context, trail: [...trail, place] })),
    useAgent: agentSocket(one('identityagent'), { env, path }),
    identitiesOnly: one('identitiesonly') === 'yes' || (ssh.key !== undefined && !request.jump),
  };
}

function portOf(text: string | undefined, host: string): number {
  const port = Number(text ?? 22);
  if (Number.isInteger(port) && port >= 1 && port <= 65535) return port;
  throw badInput(`Port '${text}' of host ${host} in the ssh_config is no port: use a number from 1 to 65535.`);
}

/** These are arguments of ssh, and are put into the proxy's shell command. */
function refuseUnusual({ address, user = '_' }: { readonly address: string; readonly user: string | undefined }): void {
  const refuse = (value: string, what: string): never => {
    throw badInput(`'${value}' is no usable ${what}: remove the unusual characters.`);
  };
  if (!/^[A-Za-z0-9_:][A-Za-z0-9_.:%-]*$/.test(address)) refuse(address, 'host name');
  if (!/^[^-\s'"`;&<>|(){}$\\][^\s'"`;&<>|(){}$\\]*$/.test(user)) refuse(user, 'user name');
}

/** Replaces what a path of ssh_config may have in it; `what` names the keyword in errors. */
type ExpandPath = (text: string, what: string) => string;

interface Parts {
  readonly request: Request;
  readonly ssh: Inventory['ssh'];
  readonly path: ExpandPath;
}

function identityFiles(settings: SshSettings, { request, ssh, path }: Parts): readonly string[] {
  if (ssh.key !== undefined && !request.jump) return [ssh.key];
  const listed = settings.get('identityfile') ?? ['id_ed25519', 'id_ecdsa', 'id_rsa'].map((name) => `~/.ssh/${name}`);
  const files = listed.filter((file) => !isNone(file)).map((file) => path(file, 'IdentityFile'));
  return [...new Set(ssh.key === undefined ? files : [...files, ssh.key])].filter((file) => existsSync(file));
}

/** An inventory's own file stands alone: a lab's node01 must not meet another node01 of the system's list. */
function knownHostsFiles(settings: SshSettings, { request, ssh, path }: Parts): readonly string[] {
  if (ssh.knownHosts !== undefined && !request.jump) return [ssh.knownHosts];
  const [user = '~/.ssh/known_hosts'] = settings.get('userknownhostsfile') ?? [];
  const [system = '/etc/ssh/ssh_known_hosts'] = settings.get('globalknownhostsfile') ?? [];
  // ssh prints several in one line without quotes: a blank inside a path stands before no slash.
  const files = [user, system].flatMap((line) => line.split(/ (?=[/~])/)).filter((file) => !isNone(file));
  const all = files.map((file) => path(file, 'A known hosts file'));
  return ssh.knownHosts === undefined ? all : [...all, ssh.knownHosts];
}

function isNone(value: string): boolean {
  return value.trim().toLowerCase() === 'none';
}

function agentSocket(
  agent: string | undefined,
  { env, path }: { readonly env: Context['env']; readonly path: ExpandPath },
): string | undefined {
  if (agent !== undefined && isNone(agent)) return undefined;
  const named = agent === undefined ? 'SSH_AUTH_SOCK' : /^\$?([A-Z_][A-Z0-9_]*)$/.exec(agent)?.[1];
  return named === undefined ? path(agent ?? '', 'IdentityAgent') : env[named] || undefined;
}

interface ProxyParts {
  readonly request: Request;
  readonly tokens: SshTokens;
  readonly context: Context;
  readonly trail: readonly string[];
}

/** Of ProxyCommand and ProxyJump ssh keeps the one that was set first; `none` switches both off. */
function proxyOf(settings: SshSettings, { request, tokens, context, trail }: ProxyParts): Partial<SshTarget> {
  const command = request.proxyCommand ?? settings.get('proxycommand')?.[0];
  const jumpList = settings.get('proxyjump')?.[0];
  if (command !== undefined) {
    return isNone(command) ? {} : { proxyCommand: expandTokens(command, { tokens, what: 'ProxyCommand' }) };
  }
  if (jumpList === undefined || isNone(jumpList)) return {};
  const jumps: SshTarget[] = [];
  let visited = trail;
  for (const spec of expandTokens(jumpList, { tokens, what: 'ProxyJump' }).split(',')) {
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

/** A path as ssh_config allows it: `~/`, `${VARIABLE}` and tokens. */
function expandPath(
  text: string,
  { tokens, what, home, env }: Pick<Context, 'home' | 'env'> & { readonly tokens: SshTokens; readonly what: string },
): string {
  const withHome = text === '~' || text.startsWith('~/') ? home + text.slice(1) : text;
  const withVariables = withHome.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = env[name];
    if (value === undefined)
      throw badInput(`${what} '${text}' uses the environment variable ${name}, which is not set.`);
    return value.replaceAll('%', '%%');
  });
  return expandTokens(withVariables, { tokens, what });
}
