import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scriptWords, sh } from '../../../base/shell.ts';
import { OutputFault } from '../../../orchestrator/hosts/executor.ts';
import { Session } from '../../../orchestrator/ssh/session.ts';
import { fetchFile } from '../../../orchestrator/ssh/transfer.ts';
import { tempFolder } from '../../experiments/make.ts';
import { sshServer, type TestServer } from './server.ts';

async function connected(
  change: (server: TestServer) => object = () => ({}),
): Promise<{ server: TestServer; session: Session }> {
  const server = await sshServer();
  const session = new Session({ ...server.target, ...change(server) });
  onTestFinished(() => session.close());
  return { server, session };
}

function keyOf({ target }: TestServer): string {
  const [key = ''] = target.identityFiles;
  return key;
}

function open644(server: TestServer): object {
  chmodSync(keyOf(server), 0o644);
  return {};
}

function withPassphrase(): object {
  const path = join(tempFolder(), 'locked');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'secret', '-f', path]);
  return { identityFiles: [path] };
}

function damaged(server: TestServer): object {
  writeFileSync(keyOf(server), readFileSync(keyOf(server), 'utf8').slice(0, 100));
  return {};
}

function isInstalled(program: string): boolean {
  return ['/bin', '/usr/bin', '/usr/local/bin'].some((folder) => existsSync(join(folder, program)));
}

/** Resolves with the first text that a command prints. */
function firstOutput(): { onStdout: (text: string) => void; printed: Promise<string> } {
  let onStdout: (text: string) => void = () => undefined;
  const printed = new Promise<string>((resolve) => {
    onStdout = resolve;
  });
  return { onStdout: (text) => onStdout(text), printed };
}

/** Whether a process lives; one that only waits to be reaped does not. */
function runs(id: string): boolean {
  const stat = `/proc/${id.trim()}/stat`;
  return existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'utf8'));
}

describe('a command over SSH', () => {
  it('says what it printed and how it ended, apart', async () => {
    const { session } = await connected();
    const result = await session.exec(scriptWords(sh`echo out; echo err >&2; exit 3`));
    expect(result).toMatchObject({ host: 'n1', exitCode: 3, signal: null, stdout: 'out\n', stderr: 'err\n' });
    expect([result.timedOut, result.durationMs > 0]).toEqual([false, true]);
  });

  it('is told from what the login shell prints, with or without a line end, and can be stopped', async () => {
    const { server, session } = await connected();
    for (const end of ['', '\\n']) {
      server.greet(`printf 'welcome${end}'; printf 'last login${end}' >&2`);
      expect((await session.exec(scriptWords(sh`echo out; exit 3`))).stdout).toBe('out\n');
      expect((await session.exec(['sleep', '900'], { timeoutMs: 300 })).timedOut).toBe(true);
    }
  });

  it.each(['dash', 'bash', 'zsh', 'fish', 'tcsh'].filter(isInstalled))(
    'means the same under every login shell: %s',
    async (shell) => {
      const { server, session } = await connected();
      server.login(shell);
      const word = 'a\'b"c!d\\e\\\\f $HOME `id` %s\tend\nnext*';
      const script = sh`x=$(echo 3); printf '%s|' "$1"; { echo err >&2; }; read line; echo "$line"; exit $x`;
      const result = await session.exec(scriptWords(script, word), { input: 'in!put\n' });
      expect([result.stdout, result.stderr, result.exitCode]).toEqual([`${word}|in!put\n`, 'err\n', 3]);
      const stopped = await session.exec(scriptWords(sh`sleep 900 & sleep 900`), { timeoutMs: 300 });
      expect(stopped.timedOut).toBe(true);
    },
  );

  it('keeps all bytes of a long output', async () => {
    const { session } = await connected();
    const { stdout } = await session.exec(['seq', '200000']);
    expect(stdout.length).toBe(1_288_895);
    expect(stdout.endsWith('\n200000\n')).toBe(true);
  });

  it('is counted with what it printed and was given, over a jump host and after a new connection too', async () => {
    const { server, session } = await connected((far) => ({ proxyJump: [far.target] }));
    await session.exec(['true']);
    const first = session.traffic;
    await session.exec(['cat'], { input: 'x'.repeat(200_000) });
    server.cut();
    await session.exec(['head', '-c', '300000', '/dev/zero']).catch(() => undefined);
    await session.exec(['head', '-c', '300000', '/dev/zero']);
    const { sentBytes, receivedBytes, packets } = session.traffic;
    expect(sentBytes - first.sentBytes).toBeGreaterThan(200_000);
    expect(sentBytes - first.sentBytes).toBeLessThan(220_000);
    expect(receivedBytes - first.receivedBytes).toBeGreaterThan(500_000);
    expect(receivedBytes - first.receivedBytes).toBeLessThan(850_000);
    expect(packets - first.packets).toBeGreaterThan(700_000 / 1500);
  });

  it('that a signal ended has no exit code', async () => {
    const { session } = await connected();
    expect(await session.exec(scriptWords(sh`kill -KILL $$`))).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      timedOut: false,
    });
  });

  it('gets its input and its end', async () => {
    const { session } = await connected();
    expect((await session.exec(['cat'], { input: 'one\ntwo\n' })).stdout).toBe('one\ntwo\n');
  });

  it('that was started goes on until its input is ended', async () => {
    const { session } = await connected();
    const { onStdout, printed } = firstOutput();
    const running = await session.start(scriptWords(sh`echo held; cat >/dev/null; echo let go`), { onStdout });
    expect(await printed).toBe('held\n');
    running.end();
    expect(await running.done).toMatchObject({ exitCode: 0, stdout: 'held\nlet go\n' });
  });

  it('that takes too long is ended with all of its processes', async () => {
    const { session } = await connected();
    const result = await session.exec(scriptWords(sh`sleep 60 & echo $!; wait`), { timeoutMs: 300 });
    expect(result).toMatchObject({ timedOut: true, exitCode: null });
    expect(result.stdout).toMatch(/^\d+\n$/);
    expect(runs(result.stdout)).toBe(false);
  });

  it('is ended with all of its processes at an abort', async () => {
    const { session } = await connected();
    const controller = new AbortController();
    const { onStdout, printed } = firstOutput();
    const running = session.exec(scriptWords(sh`sleep 60 & echo $!; wait`), { signal: controller.signal, onStdout });
    const child = await printed;
    controller.abort();
    expect(await running).toMatchObject({ timedOut: false, exitCode: null });
    expect(runs(child)).toBe(false);
  });

  it('is not started after an abort', async () => {
    const { session } = await connected();
    await expect(session.exec(['true'], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      kind: 'interrupted',
    });
  });

  it('whose connection is lost is a fault of the host with what was printed; the next one connects anew', async () => {
    const { server, session } = await connected();
    const { onStdout, printed } = firstOutput();
    const running = session.exec(scriptWords(sh`echo half; cat; sleep 1`), { onStdout });
    await printed;
    server.drop();
    const fault = await running.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(fault).toBeInstanceOf(OutputFault);
    expect(fault).toMatchObject({ kind: 'infrastructure', host: 'n1', stdout: 'half\n' });
    expect(await session.exec(['echo', 'again'])).toMatchObject({ exitCode: 0, stdout: 'again\n' });
  });
});

describe('a connection that cannot be made', () => {
  it.each<[string, (server: TestServer) => object, RegExp]>([
    ['nobody listens', () => ({ port: 1 }), /cannot be reached over SSH: .*ECONNREFUSED/],
    ['the key is refused', ({ strangerKey }) => ({ identityFiles: [strangerKey] }), /the login as ann was refused/],
    [
      'others may read the key',
      open644,
      /the login as ann was refused .*\/key may be read by others \(mode 644\), so it is not used: chmod 600 /,
    ],
    [
      'the key has a passphrase',
      withPassphrase,
      /the login as ann was refused .*\/locked has a passphrase: give it to the agent with ssh-add /,
    ],
    ['the key is damaged', damaged, /the login as ann was refused .*\/key is not a readable private key \(/],
    ['the host key is unknown', () => ({ knownHostsFiles: ['/dev/null'] }), /showed a key that i/],
  ])('where %s is an infrastructure fault that says so', async (_, change, sentence) => {
    const { session } = await connected(change);
    await expect(session.exec(['true'])).rejects.toMatchObject({
      kind: 'infrastructure',
      host: 'n1',
      message: expect.stringMatching(sentence),
    });
  });
});

describe('keys of an agent', () => {
  /** An agent that holds the key which the server accepts. */
  function agentWith(key: string): string {
    const socket = join(tempFolder(), 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    onTestFinished(() => void agent.kill());
    const added = sh`for i in $(seq 100); do [ -S "$SSH_AUTH_SOCK" ] && break; sleep 0.05; done; exec ssh-add -q "$0"`;
    execFileSync('sh', ['-c', added, key], { env: { ...process.env, SSH_AUTH_SOCK: socket }, stdio: 'ignore' });
    return socket;
  }

  it.each([
    ['are tried first', {}, true],
    ['are not tried where only named keys may be', { identitiesOnly: true }, false],
    ['are tried where the public half of one is named', { identitiesOnly: true, named: 'key.pub' }, true],
  ])('%s', async (_, { named, ...change }: { identitiesOnly?: boolean; named?: string }, isAccepted) => {
    const { session } = await connected((server) => ({
      ...{ ...change, useAgent: agentWith(keyOf(server)) },
      identityFiles: [server.strangerKey, ...(named === undefined ? [] : [join(tempFolder(), named)])],
    }));
    if (isAccepted) expect(await session.exec(['true'])).toMatchObject({ exitCode: 0 });
    else await expect(session.exec(['true'])).rejects.toThrow('the login as ann was refused');
  });
});

describe('files over SSH, without SFTP', () => {
  it('are sent whole, as executables, in place of an older one that is still open', async () => {
    const { session } = await connected();
    const [here, there] = [join(tempFolder(), 'program'), join(tempFolder(), 'program')];
    writeFileSync(here, 'x'.repeat(13_000_000));
    writeFileSync(there, 'old');
    const old = statSync(there).ino;
    await session.send(here, there);
    expect(readFileSync(there, 'utf8')).toBe('x'.repeat(13_000_000));
    expect([statSync(there).mode & 0o777, statSync(there).ino === old]).toEqual([0o755, false]);
  });

  it('are fetched, and null where there is none', async () => {
    const { session } = await connected();
    const path = join(tempFolder(), 'roots.csv');
    const content = Buffer.from(Array.from({ length: 300_001 }, (_, index) => (index * 7919) % 256));
    writeFileSync(path, content);
    expect((await session.fetch(path))?.equals(content)).toBe(true);
    expect(await session.fetch(`${path}.not`)).toBeNull();
  });

  it('are not fetched without end, whatever their size is said to be', async () => {
    const { session } = await connected();
    const fetched = fetchFile(session, '/dev/zero', { mostMib: 2 });
    await expect(fetched).rejects.toThrow('n1: /dev/zero could not be transferred: it is larger than 2 MiB');
    expect((await session.exec(['echo', 'again'])).stdout).toBe('again\n');
  });

  it('that cannot be put name the host and the path', async () => {
    const { session } = await connected();
    const here = join(tempFolder(), 'program');
    writeFileSync(here, 'x');
    await expect(session.send(here, '/not/there/program')).rejects.toMatchObject({
      kind: 'infrastructure',
      host: 'n1',
      message: expect.stringMatching(/^n1: \/not\/there\/program could not be transferred: /),
    });
  });
});
