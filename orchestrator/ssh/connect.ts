import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import ssh2, { type ConnectConfig, type ServerHostKeyAlgorithm } from 'ssh2';
import { infrastructure, messageOf, PredictError } from '../../base/index.ts';
import {
  checkHostKey,
  hostKeyMessage,
  hostKeyName,
  knownKeyTypes,
  readKnownHosts,
  type SshTarget,
} from '../../inventory/index.ts';
import { readIdentities } from './identities.ts';

// CommonJS: its names are not all visible as named exports.
const { Client } = ssh2;
type Client = ssh2.Client;

export interface Connection {
  readonly client: Client;
  /** Ends the connection and whatever carries it (jump hosts, a proxy command). */
  close(): void;
}

const READY_TIMEOUT_MS = 20_000;
const KEY_TYPES: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] satisfies ServerHostKeyAlgorithm[];

/**
 * Opens an authenticated connection. Host keys are checked strictly against known_hosts: an unknown or changed key is an
 * error with the fingerprint and what to do. Keys of the agent come first, then the identity files.
 */
export async function connect(target: SshTarget, signal?: AbortSignal): Promise<Connection> {
  const carrier = await openCarrier(target, signal);
  const client = new Client();
  const close = (): void => {
    client.end();
    carrier?.close();
  };
  try {
    await ready(client, target, carrier?.stream, signal);
  } catch (error) {
    close();
    throw error;
  }
  // Exec round trips are small packets both ways: without this each one waits for Nagle.
  client.setNoDelay(true);
  return { client, close };
}

interface Carrier {
  readonly stream: Duplex;
  close(): void;
}

async function openCarrier(target: SshTarget, signal?: AbortSignal): Promise<Carrier | undefined> {
  if (target.proxyCommand !== undefined) return throughCommand(target.proxyCommand);
  const jump = target.proxyJump?.at(-1);
  if (!jump) return undefined;
  const via = await connect({ ...jump, proxyJump: target.proxyJump?.slice(0, -1) ?? [] }, signal);
  const stream = await new Promise<Duplex>((resolve, reject) => {
    via.client.forwardOut('127.0.0.1', 0, target.address, target.port, (error, channel) =>
      error
        ? reject(unreachable(target, `the jump host ${jump.host} refused the connection: ${error.message}`))
        : resolve(channel),
    );
  });
  return { stream, close: via.close };
}

function throughCommand(command: string): Carrier {
  const child: ChildProcess = spawn('sh', ['-c', `exec ${command}`], { stdio: ['pipe', 'pipe', 'ignore'] });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('a proxy command without pipes');
  // A proxy that ends early shows as the end of the stream; the write error that follows adds nothing.
  stdin.on('error', () => undefined);
  child.on('error', () => stdout.destroy());
  const stream = Duplex.from({ writable: stdin, readable: stdout });
  return { stream, close: () => void child.kill('SIGTERM') };
}

function ready(client: Client, target: SshTarget, sock: Duplex | undefined, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let refusal: PredictError | undefined;
    const abort = (): void => {
      client.destroy();
      reject(new PredictError('interrupted', { kind: 'interrupted' }));
    };
    const done = (finish: () => void): void => {
      signal?.removeEventListener('abort', abort);
      finish();
    };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) return abort();
    client.once('ready', () => done(resolve));
    client.on('error', (error) => done(() => reject(refusal ?? explain(target, error))));
    client.once('close', () => done(() => reject(refusal ?? unreachable(target, 'the connection was closed'))));
    const files = readKnownHosts(target.knownHostsFiles);
    const known = { files, ...hostKeyName(target) };
    const config: ConnectConfig = {
      host: target.address,
      port: target.port,
      username: target.user,
      readyTimeout: READY_TIMEOUT_MS,
      keepaliveInterval: 5_000,
      keepaliveCountMax: 4,
      authHandler: authMethods(target),
      hostVerifier: (key: Buffer) => {
        const verdict = checkHostKey({ ...known, key });
        if (verdict.verdict === 'known') return true;
        refusal = infrastructure(hostKeyMessage(verdict, target), { host: target.host });
        return false;
      },
    };
    if (sock) config.sock = sock;
    // Asking for the key types on file keeps a host with several keys from looking unknown.
    const preferred = knownKeyTypes(known).filter((type) => KEY_TYPES.includes(type));
    if (preferred.length > 0) {
      const serverHostKey = [...new Set([...preferred, ...KEY_TYPES])] as ServerHostKeyAlgorithm[];
      config.algorithms = { serverHostKey };
    }
    client.connect(config);
  });
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
  return unreachable(target, messageOf(error));
}

function unreachable(target: SshTarget, why: string): PredictError {
  return infrastructure(`${target.host} (${target.address} port ${target.port}) cannot be reached over SSH: ${why}.`, {
    host: target.host,
  });
}
