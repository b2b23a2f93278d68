import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { onTestFinished } from 'vitest';
import type { SshTarget } from '../../../inventory/ssh-target.ts';
import { tempFolder } from '../../experiments/make.ts';

const { Server, utils } = ssh2;
export interface TestServer {
  /** How to reach it, with a key that it accepts and its host key on file. */
  readonly target: SshTarget;
  /** Another key, which it refuses. */
  readonly strangerKey: string;
  /** Ends every connection, saying so. */
  drop(): void;
  /** Cuts every connection without a word, as the death of a session does. */
  cut(): void;
  /** What its shell does before a command, as a profile makes it. */
  greet(script: string): void;
  /** The login shell of the user, `sh` at first. */
  login(shell: string): void;
  /** From now on it does not respond this. */
  ignore(what: Mute | undefined): void;
  /** Logins that are open. */
  readonly connections: number;
}

/** What a server may leave unanswered: a login, the opening of a channel, an exec, the end of a command. */
export type Mute = 'login' | 'channel' | 'exec' | 'end';

/** An SSH server inside this process, as the user of the test: commands run in sh, each in a process group of its own. */
export async function sshServer(): Promise<TestServer> {
  let mute: Mute | undefined;
  let greeting = '';
  let shell = 'sh';
  const folder = tempFolder();
  const [hostKey, userKey, stranger] = [0, 1, 2].map(() => utils.generateKeyPairSync('ecdsa', { bits: 256 }));
  const allowed = utils.parseKey(userKey?.public ?? '');
  if (allowed instanceof Error) throw allowed;
  const clients = new Set<Connection>();
  const server = new Server({ hostKeys: [hostKey?.private ?? ''] }, (client) => {
    clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => clients.delete(client));
    client.on('authentication', (context) => {
      if (mute === 'login') return;
      const known = context.method === 'publickey' && context.key.data.equals(allowed.getPublicSSH());
      if (known) context.accept();
      else context.reject(['publickey']);
    });
    client.on('session', (accept) => {
      if (mute === 'channel') return;
      const session = accept();
      session.on('exec', (acceptExec, _, { command }) => {
        if (mute !== 'exec') run([shell, '-c', `${greeting}${command}`], acceptExec(), mute !== 'end');
      });
    });
    client.on('tcpip', (accept, _, { destIP, destPort }) => {
      const way = connect(destPort, destIP);
      const channel = accept();
      way.on('error', () => channel.close());
      channel.pipe(way).pipe(channel);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const drop = (): void => {
    for (const client of clients) client.end();
  };
  onTestFinished(() => {
    drop();
    server.close();
  });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const strangerKey = file('stranger', stranger?.private ?? '');
  const target = {
    ...{ host: 'n1', address: '127.0.0.1', port, user: 'ann', useAgent: undefined },
    identityFiles: [file('key', userKey?.private ?? '')],
    knownHostsFiles: [file('known_hosts', `[127.0.0.1]:${port} ${hostKey?.public}\n`)],
  };
  return {
    ...{ target, strangerKey, drop },
    cut: () => {
      for (const client of clients) (client as unknown as { readonly _sock: Socket })._sock.destroy();
    },
    greet: (script) => {
      greeting = `${script}; `;
    },
    login: (program) => {
      shell = program;
    },
    ignore: (what) => {
      mute = what;
    },
    get connections() {
      return clients.size;
    },
  };
}

function run([program = '', ...args]: readonly string[], channel: ServerChannel, tellsEnd = true): void {
  const child = spawn(program, args, { detached: true });
  child.stdin.on('error', () => undefined);
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on('close', (code, signal) => {
    if (!tellsEnd) return;
    if (code === null) channel.exit(signal?.replace('SIG', '') ?? 'TERM');
    else channel.exit(code);
    channel.end();
  });
}
