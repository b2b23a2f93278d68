import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { infrastructure, lastLines, messageOf, quote } from '../../base/index.ts';
import { type Host, headOf } from '../../inventory/index.ts';
import { within } from '../within.ts';
import type { Cluster } from './cluster.ts';
import type { RunningCommand } from './executor.ts';

/** For the head to be ready to pass requests on. */
const READY_MS = 20_000;
/** For what was started on hosts to end once its run has. */
const END_MS = 5_000;
const MOST_TEXT = 4_000;

/**
 * predict's own way from the head to the other hosts, for a launcher that starts its daemons there: hosts need no SSH among each
 * other, and no key leaves this machine. `agent` takes ssh's place on the head (`agent [options] HOST COMMAND...`); what it is asked
 * for runs on HOST over this controller's connection, in a shell that launchers write for. Close it when the run has ended.
 */
export interface RemoteStarts {
  /** A path on the head. */
  readonly agent: string;
  close(): Promise<void>;
}

/** Opens the way for a run on these hosts. */
export async function openRemoteStarts(
  cluster: Cluster,
  hosts: readonly Host[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<RemoteStarts> {
  const head = headOf(cluster.inventory);
  const folder = cluster.remotePath(`starts-${randomUUID()}`);
  const ending = new AbortController();
  // One for each host.
  setMaxListeners(0, ending.signal);
  const started: Promise<unknown>[] = [];
  let ready: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const answer = (id: string, { code, said }: Answer): void => {
    broker.write(`${id} ${code} ${Buffer.from(said.slice(-MOST_TEXT)).toString('base64')}\n`);
  };
  const take = (line: string): void => {
    if (line === 'ready') ready();
    const [, id, encoded] = /^ask (\d+) (\S+)$/.exec(line) ?? [];
    if (id === undefined || encoded === undefined) return;
    const [name = '', ...command] = Buffer.from(encoded, 'base64').toString().split('\0');
    const host = [...hosts, head].find((each) => each.name === name);
    const options = { timeoutMs, signal: AbortSignal.any([signal, ending.signal]) };
    const run = host
      ? runOn(cluster, host, { command: command.join(' '), options, ended: ending.signal })
      : Promise.resolve({ code: 255, said: `${name} is no host of this run\n` });
    started.push(run.then((end) => answer(id, end)));
  };
  // It ends with its input, also when this controller is gone.
  const broker = await cluster.on(head).start(script(folder), { timeoutMs, onStdout: byLine(take) });
  const close = async (): Promise<void> => {
    ending.abort();
    broker.end();
    await within<unknown>(END_MS, Promise.allSettled([...started, broker.done]), () => undefined);
  };
  const failed = broker.done.then(({ stderr }) => lastLines(stderr, 1), messageOf);
  const late = (): string => `no answer within ${READY_MS / 1000} s`;
  const why = await within<string | null>(READY_MS, Promise.race([isReady.then(() => null), failed]), late);
  if (why === null) return { agent: `${folder}/start`, close };
  await close();
  throw infrastructure(`${head.name}: the way to the other hosts could not be opened in ${folder}: ${why}.`, {
    host: head.name,
  });
}

interface Answer {
  readonly code: number;
  readonly said: string;
}

async function runOn(
  cluster: Cluster,
  host: Host,
  {
    command,
    options,
    ended,
  }: {
    readonly command: string;
    readonly options: { readonly timeoutMs: number; readonly signal: AbortSignal };
    readonly ended: AbortSignal;
  },
): Promise<Answer> {
  try {
    const running: RunningCommand = await cluster.on(host).start(inLaunchersShell(command), options);
    ended.addEventListener('abort', () => running.end(), { once: true });
    const { exitCode, stdout, stderr } = await running.done;
    return { code: exitCode ?? 255, said: `${stdout}${stderr}` };
  } catch (error) {
    return { code: 255, said: `${messageOf(error)}\n` };
  }
}

/** Launchers write for csh where that is the login shell, and for sh everywhere else: fish would end with 0 and have started nothing. */
function inLaunchersShell(command: string): string {
  return `case $SHELL in *csh) exec "$SHELL" -c ${quote(command)} ;; *) exec sh -c ${quote(command)} ;; esac`;
}

/**
 * Runs on the head until its input ends: says each request that comes through the FIFO `ask`, and passes the answers on. A request
 * is the number of its process; its words are in a file of that name, its answer goes into a FIFO.
 */
function script(folder: string): string {
  const agent = [
    '#!/bin/sh',
    'cd "$(dirname "$0")" || exit 255',
    'while :; do case $1 in -*) shift ;; *) break ;; esac; done',
    // Held open here, so that whoever answers never waits for a process that is gone.
    'mkfifo "$$.end" && exec 3<>"$$.end" || exit 255',
    'printf "%s\\0" "$@" | base64 | tr -d "\\n" > "$$.words"',
    'echo "$$" > ask',
    'read -r code said <&3',
    'printf %s "$said" | base64 -d >&2',
    'exit "$code"',
  ];
  return [
    'umask 077',
    `mkdir ${quote(folder)} && cd ${quote(folder)} && mkfifo ask || exit`,
    `printf '%s\\n' ${agent.map(quote).join(' ')} > start && chmod 700 start || exit`,
    'exec 3<>ask',
    '(while read -r id <&3; do echo "ask $id $(cat "$id.words")"; done) & reader=$!',
    `trap 'kill "$reader"; cd / && rm -rf ${folder}' EXIT; trap exit TERM HUP INT`,
    'echo ready',
    'while read -r id code said; do [ ! -p "$id.end" ] || echo "$code $said" 1<>"$id.end"; rm -f "$id.end" "$id.words"; done',
  ].join('\n');
}

/** Calls `take` with each whole line. */
function byLine(take: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  };
}
