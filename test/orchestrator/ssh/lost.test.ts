import { execFileSync } from 'node:child_process';
import { closeSync, fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildHostPrograms } from '../../../agents/build.ts';
import { scriptWords, sh } from '../../../base/shell.ts';
import type { SshTarget } from '../../../inventory/ssh-target.ts';
import { BOUNDS, type Bounds } from '../../../orchestrator/ssh/output.ts';
import { Session } from '../../../orchestrator/ssh/session.ts';
import { tempFolder } from '../../experiments/make.ts';
import { type Mute, sshServer, type TestServer } from './server.ts';

const SHORT: Bounds = {
  ...{ connectMs: 3_000, openMs: 2_000, graceMs: 500, closeMs: 500, transferMs: 2_000, aliveMs: 300 },
};

function sessionOf(target: SshTarget, bounds: Partial<Bounds> = {}): Session {
  const session = new Session(target, { ...SHORT, ...bounds });
  onTestFinished(() => session.close());
  return session;
}

function isOpenIn(folder: string, descriptor: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder);
  } catch {
    return false;
  }
}

/** How a call ended. What would end it without the bound that is tested comes after the end of the test itself. */
function outcomeOf<T>(call: Promise<T>): Promise<{ result?: T; error?: Error }> {
  return call.then(
    (result) => ({ result }),
    (error: Error) => ({ error }),
  );
}

/** The processes, below this one, whose command has a text. */
function children(text: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,stat,args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text) && !/^\s*\d+\s+\d+\s+Z/.test(line) && !line.includes('ps -eo'));
}

async function until(holds: () => boolean, ms: number): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; ) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return holds();
}

describe('a host that does not answer', () => {
  it('when it is connected is out of reach after the bound', async () => {
    const held: Socket[] = [];
    const silent = createServer((socket) => void held.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of held) socket.destroy();
      silent.close();
    });
    const { target } = await sshServer();
    const { port } = silent.address() as { port: number };
    const { error } = await outcomeOf(sessionOf({ ...target, port }, { connectMs: 300 }).exec(['true']));
    expect(error).toMatchObject({
      kind: 'infrastructure',
      host: 'n1',
      message: expect.stringMatching(/within 0\.3 s/),
    });
  });

  it.each<[string, Mute, (session: Session) => Promise<unknown>]>([
    ['to a login', 'login', (session) => session.exec(['true'])],
    ['to the opening of a channel', 'channel', (session) => session.exec(['true'])],
    ['to a command', 'exec', (session) => session.exec(['true'])],
    ['to the request for a file', 'exec', (session) => session.fetch('/etc/passwd')],
  ])('%s costs the connection, and the next call makes a new one', async (_, what, call) => {
    const server = await sshServer();
    const session = sessionOf(server.target);
    server.ignore(what);
    const { error } = await outcomeOf(call(session));
    expect(error).toMatchObject({ kind: 'infrastructure', host: 'n1' });
    server.ignore(undefined);
    expect(await session.exec(['echo', 'again'])).toMatchObject({ stdout: 'again\n' });
    expect(await until(() => server.connections === 1, 10_000)).toBe(true);
  });

  it('that a killed command has ended costs the connection', async () => {
    const server = await sshServer();
    const session = sessionOf(server.target);
    server.ignore('end');
    const { result } = await outcomeOf(session.exec(scriptWords(sh`echo half; sleep 900`), { timeoutMs: 2000 }));
    expect(result).toMatchObject({ timedOut: true, exitCode: null, stdout: 'half\n' });
    server.ignore(undefined);
    expect(await session.exec(['echo', 'again'])).toMatchObject({ stdout: 'again\n' });
  });

  it('does not keep a process that closes its session from ending', async () => {
    const server = await sshServer();
    server.ignore('login');
    const session = sessionOf(server.target, { connectMs: 900_000 });
    const asked = outcomeOf(session.exec(['true']));
    session.close();
    expect(await asked).toHaveProperty('error');
  });

  it('is not made again after its session was closed', async () => {
    const server = await sshServer();
    const session = sessionOf(server.target);
    await session.exec(['true']);
    session.close();
    await expect(session.exec(['true'])).rejects.toThrow('n1: the session was closed.');
    expect(await until(() => server.connections === 0, 10_000)).toBe(true);
  });

  it('can be asked again and again without a warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const server = await sshServer();
    const session = sessionOf(server.target, { openMs: 500 });
    await session.exec(['true']);
    server.ignore('channel');
    await Promise.allSettled(Array.from({ length: 25 }, () => session.exec(['true'])));
    expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([]);
  });
});

describe('an abort', () => {
  it('while the host is being reached ends the call at once', async () => {
    const server = await sshServer();
    server.ignore('login');
    const session = sessionOf(server.target, { connectMs: 900_000 });
    const controller = new AbortController();
    const asked = outcomeOf(session.exec(['true'], { signal: controller.signal }));
    controller.abort();
    const { error } = await asked;
    expect(error).toMatchObject({ kind: 'interrupted' });
  });

  it('between the request and its answer ends the command', async () => {
    const { target } = await sshServer();
    const session = sessionOf(target);
    await session.exec(['true']);
    const controller = new AbortController();
    const asked = outcomeOf(session.exec(['sleep', '900'], { signal: controller.signal, timeoutMs: 900_000 }));
    // The request is on its way; nothing of the command has come back.
    await Promise.resolve();
    controller.abort();
    const { result } = await asked;
    expect([result?.timedOut, result?.exitCode === 0]).toEqual([false, false]);
  });
});

/** A server behind a proxy, whose processes have a text of their own in their command. */
async function proxied(
  wrap: (relay: string, mark: string) => string,
  bounds?: Partial<Bounds>,
): Promise<{ server: TestServer; session: Session; mark: string }> {
  const { agent } = await buildHostPrograms();
  const server = await sshServer();
  const { address, port } = server.target;
  const mark = `proxy-${port}`;
  const session = sessionOf(
    { ...server.target, proxyCommand: wrap(`${agent} relay ${address} ${port}`, mark) },
    bounds,
  );
  return { server, session, mark };
}

describe('a connection through a proxy command', () => {
  const open = (relay: string, mark: string): string => `sh -c '${relay}; exec cat >/dev/null' ${mark}`;

  it('that is lost is seen at once, though the proxy stays open; the next command connects anew', async () => {
    // The way back ends; the proxy waits for the end of its input. No question is asked whether the other end lives.
    const { server, session } = await proxied((relay) => relay, { aliveMs: 900_000 });
    await session.exec(['true']);
    const running = await session.start(scriptWords(sh`echo half; sleep 900`), { timeoutMs: 900_000 });
    const ended = outcomeOf(running.done);
    server.cut();
    const { error } = await ended;
    expect(error).toMatchObject({ kind: 'infrastructure', host: 'n1' });
    expect(await session.exec(['echo', 'again'])).toMatchObject({ stdout: 'again\n' });
    const { address, port } = server.target;
    expect(await until(() => children(`relay ${address} ${port}`).length === 1, 10_000)).toBe(true);
  });

  it('leaves no proxy behind, also one that is deaf to TERM', async () => {
    const { session, mark } = await proxied((relay, name) => `sh -c 'trap "" TERM; ${relay}; sleep 60' ${name}`);
    await session.exec(['true']);
    expect(children(mark)).toHaveLength(1);
    session.close();
    expect(await until(() => children(mark).length === 0, 10_000)).toBe(true);
  });

  it('whose host went silent is lost when it does not respond for a while', async () => {
    const { session, mark } = await proxied(open);
    await session.exec(['true']);
    const ended = outcomeOf(session.exec(['sleep', '900'], { timeoutMs: 900_000 }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const line of children('relay').filter((each) => each.includes(mark.replace('proxy-', '')))) {
      process.kill(Number(line.trim().split(/\s+/)[0]), 'SIGSTOP');
    }
    const { error } = await ended;
    expect(error).toMatchObject({ kind: 'infrastructure', host: 'n1' });
    expect(await until(() => children(mark).length === 0, 10_000)).toBe(true);
  });
});

describe('a connection through a jump host', () => {
  it('is lost with the jump host, and made anew through it', async () => {
    const [jump, server] = [await sshServer(), await sshServer()];
    const session = sessionOf({ ...server.target, proxyJump: [{ ...jump.target, host: 'jump' }] });
    await session.exec(['true']);
    const ended = outcomeOf(session.exec(['sleep', '900'], { timeoutMs: 900_000 }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    jump.drop();
    const { error } = await ended;
    expect(error).toMatchObject({ kind: 'infrastructure', host: 'n1' });
    expect(await session.exec(['echo', 'again'])).toMatchObject({ stdout: 'again\n' });
    session.close();
    expect(await until(() => jump.connections === 0, 10_000)).toBe(true);
  });
});

describe('a long output', () => {
  it('is kept whole in a file, and as whole lines of both ends in memory', async () => {
    const { target } = await sshServer();
    const outputFolder = tempFolder();
    const options = { outputFolder, endBytes: 100_000, timeoutMs: 20_000 };
    const { stdout, stdoutFile, stderr, stderrFile } = await sessionOf(target).exec(
      scriptWords(sh`seq 500000; echo e >&2`),
      options,
    );
    const whole = execFileSync('seq', ['500000'], { encoding: 'utf8', maxBuffer: 2 ** 24 });
    expect(readFileSync(stdoutFile ?? '', 'utf8') === whole).toBe(true);
    expect(stdoutFile?.startsWith(join(outputFolder, 'n1-'))).toBe(true);
    expect(stdout.length).toBeLessThan(400_000);
    const [first = '', last = '', ...more] = stdout.split(/\n\.\.\. \d+ bytes are omitted here \.\.\.\n/);
    expect([whole.startsWith(first), whole.endsWith(`\n${last}`), more]).toEqual([true, true, []]);
    expect([stderr, stderrFile]).toEqual(['e\n', undefined]);
  });

  it('loses its middle where nobody wants the whole', async () => {
    const { target } = await sshServer();
    const { stdout, stdoutFile } = await sessionOf(target).exec(['seq', '100000'], { endBytes: 10_000 });
    expect(stdout).toMatch(/^1\n2\n/);
    expect(stdout).toMatch(/\n100000\n$/);
    expect([stdout.length < 100_000, stdoutFile]).toEqual([true, undefined]);
  });

  it('whose file cannot be closed is refused, not kept in part', async () => {
    const { target } = await sshServer();
    const outputFolder = tempFolder();
    const options = { outputFolder, endBytes: 1_000, timeoutMs: 20_000 };
    const running = await sessionOf(target).start(scriptWords(sh`seq 10000; cat`), options);
    // The file's descriptor, taken from under the writer once all has been printed.
    const mine = (): string | undefined =>
      readdirSync('/proc/self/fd').find((fd) => isOpenIn(outputFolder, fd) && fstatSync(Number(fd)).size === 48_894);
    await vi.waitFor(() => expect(mine()).toBeDefined(), 5_000);
    closeSync(Number(mine()));
    running.end();
    await expect(running.done).rejects.toMatchObject({ kind: 'unwritable', message: expect.stringContaining('n1-') });
  });

  it('that cannot be kept ends the command', async () => {
    const { target } = await sshServer();
    const options = { outputFolder: join(tempFolder(), 'not-there'), endBytes: 1_000, timeoutMs: 20_000 };
    const mark = `flood-${process.pid}`;
    const { error } = await outcomeOf(
      sessionOf(target).exec(scriptWords(sh`while :; do seq 1000; done`, mark), options),
    );
    expect(error).toMatchObject({ kind: 'unwritable', message: expect.stringContaining('not-there') });
    const running = (): string => execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
    await vi.waitFor(() => expect(running()).not.toContain(`: ${mark};`), 5_000);
  });
});

it('the bounds leave the guard time to end what it guards', async () => {
  const { agent } = await buildHostPrograms();
  const help = execFileSync(agent, ['guard', '--help'], { encoding: 'utf8' });
  const graceMs = 1000 * Number(/--grace (\d+)/.exec(help)?.[1]);
  // A second more is what the guard takes to end what is deaf to TERM.
  expect(graceMs + 1_000).toBeLessThan(BOUNDS.graceMs);
});
