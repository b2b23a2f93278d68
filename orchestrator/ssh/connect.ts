import { spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { Duplex } from 'node:stream';
import type { ServerHostKeyAlgorithm } from 'ssh2';
import ssh2 from 'ssh2';
import { infrastructure, messageOf, type PredictError } from '../../base/errors.ts';
import { checkHostKey, hostKeyMessage, hostKeyName, knownKeyTypes, readKnownHosts } from '../../inventory/host-keys.ts';
import type { SshTarget } from '../../inventory/ssh-target.ts';
import { after, Loss, onAbort, unless } from '../waiting.ts';
import { readIdentities } from './identities.ts';
import type { Bounds } from './output.ts';
import type { TrafficMeter } from './traffic-meter.ts';

// CommonJS: its names are not all visible as named exports.
const { Client } = ssh2;
type Client = ssh2.Client;

/** An authenticated connection with everything that carries it. */
export interface Connection {
  readonly client: Client;
  /** Calls back with the reason once the connection is gone, at once if it is; what is returned takes the call back. */
  whenLost(task: (why: string) => void): () => void;
  /** Ends the connection and whatever carries it (jump hosts, a proxy command), however far it came. */
  close(why: string): void;
}

const KEY_TYPES: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] satisfies ServerHostKeyAlgorithm[];

interface ConnectOptions {
  readonly bounds: Bounds;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** Counts what the connection to the target itself moves. */
  readonly meter?: TrafficMeter;
}

/**
 * Opens an authenticated connection. Host keys are checked strictly against known_hosts: an unknown or changed key is an
 * error with the fingerprint and what to do. Keys of the agent come first, then the identity files.
 */
export async function connect(target: SshTarget, options: ConnectOptions): Promise<Connection> {
  const carrier = await openCarrier(target, options);
  const client = new Client();
  try {
    await ready(client, target, carrier.stream, options);
  } catch (error) {
    client.end();
    carrier.close();
    throw error;
  }
  // Exec round trips are small packets both ways: without this each one waits for Nagle.
  client.setNoDelay(true);
  return held(client, carrier);
}

function held(client: Client, carrier: Carrier): Connection {
  const loss = new Loss<string>();
  const close = (why: string): void => {
    if (loss.reason !== undefined) return;
    client.end();
    carrier.close();
    loss.happened(why);
  };
  client.on('error', (error) => close(messageOf(error)));
  client.once('close', () => close('the connection was closed'));
  return { client, close, whenLost: (task) => loss.when(task) };
}

async function openCarrier(target: SshTarget, options: ConnectOptions): Promise<Carrier> {
  if (target.proxyCommand !== undefined) return throughCommand(target.proxyCommand);
  const jump = target.proxyJump?.at(-1);
  if (!jump) return overTcp(target.address, target.port);
  const { bounds, signal } = options;
  const via = await connect({ ...jump, proxyJump: target.proxyJump?.slice(0, -1) ?? [] }, { bounds, signal });
  try {
    const stream = await forwarded(via, target, options);
    return { stream, close: () => via.close('it is no longer needed') };
  } catch (error) {
    via.close('forwarding was refused');
    throw error;
  }
}

function forwarded(via: Connection, target: SshTarget, { bounds, signal }: ConnectOptions): Promise<Duplex> {
  const { host } = target.proxyJump?.at(-1) ?? target;
  const channel = new Promise<Duplex>((resolve, reject) => {
    via.client.forwardOut('127.0.0.1', 0, target.address, target.port, (error, stream) => {
      if (error) reject(unreachable(target, `the jump host ${host} refused the connection: ${error.message}`));
      else resolve(stream);
    });
  });
  const late = `the jump host ${host} did not connect it within ${bounds.openMs / 1000} s`;
  return unless(
    channel,
    after(bounds.openMs, () => unreachable(target, late)),
    onAbort(signal, () => unreachable(target, 'the attempt was ended')),
    (fail) => via.whenLost((why) => fail(unreachable(target, `the jump host ${host} was lost: ${why}`))),
  );
}

function ready(
  client: Client,
  target: SshTarget,
  sock: Duplex,
  { bounds, signal, meter }: ConnectOptions,
): Promise<void> {
  const ended = (): PredictError => unreachable(target, 'the attempt was ended');
  if (signal.aborted) return Promise.reject(ended());
  let refusal: PredictError | undefined;
  const login = new Promise<void>((resolve, reject) => {
    client.once('ready', () => resolve());
    client.on('error', (error) => reject(refusal ?? explain(target, error)));
    client.once('close', () => reject(refusal ?? unreachable(target, 'the connection was closed')));
    client.connect({
      sock,
      username: target.user,
      readyTimeout: 0,
      keepaliveInterval: bounds.aliveMs,
      keepaliveCountMax: 4,
      authHandler: authMethods(target),
      ...checkingHostKey(target, (why) => {
        refusal = infrastructure(why, { host: target.host });
      }),
    });
    meter?.watch(sock);
  });
  const late = `no login within ${bounds.connectMs / 1000} s`;
  return unless(
    login,
    after(bounds.connectMs, () => unreachable(target, late)),
    onAbort(signal, ended),
  );
}

/** Lets a connection go on only with a host whose key is on file; `refuse` hears why another is not trusted. */
function checkingHostKey(target: SshTarget, refuse: (why: string) => void) {
  const known = { files: readKnownHosts(target.knownHostsFiles), ...hostKeyName(target) };
  const hostVerifier = (key: Buffer): boolean => {
    const verdict = checkHostKey({ ...known, key });
    if (verdict.verdict === 'known') return true;
    refuse(hostKeyMessage(verdict, target));
    return false;
  };
  // Asking for the key types on file keeps a host with several keys from looking unknown.
  const preferred = knownKeyTypes(known).filter((type) => KEY_TYPES.includes(type));
  const serverHostKey = [...new Set([...preferred, ...KEY_TYPES])] as ServerHostKeyAlgorithm[];
  return preferred.length > 0 ? { hostVerifier, algorithms: { serverHostKey } } : { hostVerifier };
}

/** The ways to authenticate, in order; ssh2 takes the next one when the server refuses one. */
function authMethods(target: SshTarget): never[] {
  const methods: object[] = [];
  const username = target.user;
  const agentWanted = !target.identitiesOnly || target.identityFiles.some((path) => path.endsWith('.pub'));
  if (target.useAgent !== undefined && agentWanted) methods.push({ type: 'agent', username, agent: target.useAgent });
  for (const key of readIdentities(target.identityFiles).keys) methods.push({ type: 'publickey', username, key });
  return methods as never[];
}

function explain(target: SshTarget, error: Error & { level?: string; code?: string }): PredictError {
  if (error.level === 'client-authentication') {
    const tried = [...(target.useAgent === undefined ? [] : ['the ssh agent']), ...target.identityFiles];
    const { problems } = readIdentities(target.identityFiles);
    const help = problems.length > 0 ? problems.join('; ') : 'put a key that the host accepts into ssh.key';
    return unreachable(
      target,
      `the login as ${target.user} was refused (tried ${tried.join(', ') || 'nothing: no key and no agent'}); ${help}`,
    );
  }
  // Of several addresses that all refuse, the error has a code only.
  const { code = '' } = error;
  const why = WHY[code];
  return unreachable(target, why === undefined ? messageOf(error) || code || 'it refused' : `${why} (${code})`);
}

/** What the codes of getaddrinfo(3) and connect(2) mean to somebody who names a host. */
const WHY: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no machine has that name; give its address in the inventory or ssh_config',
  EAI_AGAIN: 'the name could not be looked up',
  ECONNREFUSED: 'nothing listens on that port',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no route to it',
  ETIMEDOUT: 'it does not respond',
};

function unreachable(target: SshTarget, why: string): PredictError {
  const address = target.address === target.host ? '' : `${target.address} `;
  return infrastructure(`${target.host} (${address}port ${target.port}) cannot be reached over SSH: ${why}.`, {
    host: target.host,
  });
}

/** The bytes to and from a host's sshd. */
interface Carrier {
  readonly stream: Duplex;
  /** Ends the stream and what carries it. */
  close(): void;
}

/** Between TERM and KILL of a proxy. */
const PROXY_GRACE_MS = 1_000;

function overTcp(address: string, port: number): Carrier {
  const stream = createConnection({ host: address, port });
  return { stream, close: () => void stream.destroy() };
}

/** Through the standard streams of a shell command (ssh_config's ProxyCommand), which lives as long as the stream. */
function throughCommand(command: string): Carrier {
  // A process group of its own: Ctrl-C in a terminal is for the controller, which needs its connections to restore links.
  const child = spawn('sh', ['-c', 'eval "exec $1"', 'predict', command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const stream = Duplex.from({ writable: child.stdin, readable: child.stdout });
  // The way back has ended: nobody is there any more, though the proxy may keep its own input open.
  stream.once('end', () => stream.destroy());
  stream.on('error', () => undefined);
  child.once('error', (error) => stream.destroy(error));
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // It ended this moment.
    }
  };
  stream.once('close', () => {
    signal('SIGTERM');
    const later = setTimeout(() => signal('SIGKILL'), PROXY_GRACE_MS);
    if (child.exitCode !== null || child.signalCode !== null) clearTimeout(later);
    child.once('exit', () => clearTimeout(later));
  });
  return { stream, close: () => void stream.destroy() };
}
