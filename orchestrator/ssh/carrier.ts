import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';

/** The bytes to and from a host's sshd. */
export interface Carrier {
  readonly stream: Duplex;
  /** Ends the stream and what carries it. */
  close(): void;
}

/** Between TERM and KILL of a proxy. */
const PROXY_GRACE_MS = 1_000;

export function overTcp(address: string, port: number): Carrier {
  const stream = connect({ host: address, port });
  return { stream, close: () => void stream.destroy() };
}

/** Through the standard streams of a shell command (ssh_config's ProxyCommand), which lives as long as the stream. */
export function throughCommand(command: string): Carrier {
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
