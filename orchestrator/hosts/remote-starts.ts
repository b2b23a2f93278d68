import { randomBytes, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { dirname } from 'node:path/posix';
import { messageOf } from '../../base/errors.ts';
import { byLine } from '../../base/line-reader.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { type Host, headOf } from '../../inventory/inventory-schema.ts';
import { type DaemonStart, daemonStart, type LaunchedBy } from '../launchers/daemon.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import { within } from '../waiting.ts';
import type { Cluster } from './cluster.ts';
import { AGENT } from './deployment.ts';
import { hostFault, type RunningCommand } from './executor.ts';

/** For the head to be ready to pass requests on. */
const READY_MS = 20_000;
/** For what was started on hosts to end once its run has. */
const END_MS = 5_000;
/** For a launcher to end once one of its daemons has. */
const NOTICE_MS = 8_000;
const MOST_TEXT = 4_000;
/** Bytes of a request: a launcher names all hosts of the run in it. */
const LONGEST_LINE = 2 ** 20;

/**
 * predict's own way from the head to the other hosts, for a launcher that starts its daemons there: hosts need no SSH among each
 * other, and no key leaves this machine. `agent` takes ssh's place on the head (`agent [options] HOST COMMAND...`). Only the daemon of
 * this launcher passes, once on each host, and only for who knows the token, which `environment` gives the launcher alone. Close it
 * when the run has ended.
 */
interface RemoteStarts {
  /** Paths on the head: what takes ssh's place, and a file with what the launcher's environment needs, which is read once. */
  readonly agent: string;
  readonly environment: string;
  /** From now on requests are judged by these words of the launcher. */
  startedAs(argv: readonly string[]): void;
  /**
   * Aborted when a daemon ended and the launcher did not, as where it ends before it has told of itself: then the launcher waits for
   * ever. The reason is a sentence.
   */
  readonly lost: AbortSignal;
  close(): Promise<void>;
}

/** What a host's shell runs: the launcher's daemon, from beside the launcher or, where it is not there, from the PATH. */
const DAEMON = sh`
agent=$1 folder=$2 name=$3 libraries=$4; shift 4
program=$folder/$name
[ -x "$program" ] || program=$(command -v -- "$name") || { echo "there is no $name on $(hostname)" >&2; exit 127; }
PATH=$folder:$PATH
if [ -n "$libraries" ]; then
  LD_LIBRARY_PATH=$libraries/lib:$libraries/lib64\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi
export PATH
exec "$agent" guard --detached -- "$program" "$@"`;

/** What takes ssh's place on the head, a file of its own: passes a request to ASK's reader and waits for its answer. */
const ASK = sh`#!/bin/sh
cd -- "$(dirname -- "$0")" || exit 255
while :; do case $1 in -*) shift ;; *) break ;; esac; done
# Held open here, so that whoever answers never waits for a process that is gone.
mkfifo "$$.end" && exec 3<>"$$.end" || exit 255
printf '%s\0' "$PREDICT_START" "$@" | base64 | tr -d '\n' > "$$.words"
echo "$$" > ask
read -r code said <&3
printf %s "$said" | base64 -d >&2
exit "$code"
`;

/**
 * Runs on the head until its input ends. Arguments: a folder, ASK, the launcher. The first line of its input is the token. Tells where
 * the launcher is and what it is told by its environment; then each request that comes through the FIFO `ask`, and passes the answers
 * on. A request is the number of its process; its words are in a file of that name, its answer goes into a FIFO.
 */
const BROKER = sh`
umask 077
folder=$1
mkdir -- "$folder" || exit
trap 'cd / && rm -rf -- "$folder"; [ -z "$reader" ] || kill "$reader"' EXIT
trap exit TERM HUP INT
cd -- "$folder" && mkfifo ask && printf %s "$2" > start && chmod 700 start || exit
read -r token && echo "PREDICT_START=$token" > environment || exit
exec 3<>ask
(while read -r id <&3; do
  case $id in '' | *[!0-9]*) ;; *) printf 'ask %s %s\n' "$id" "$(tr -d '\n' < "$id.words")" ;; esac
done) & reader=$!
launcher=$(command -v -- "$3") && echo "launcher $(printf '%s\0' "$launcher" "$(readlink -f -- "$launcher")" | base64 | tr -d '\n')"
echo "parameters $(env | sed -n 's/^\(OMPI\|PRTE\|PMIX\)_MCA_//p' | tr '\n' '\0' | base64 | tr -d '\n')"
echo ready
while read -r id code said; do
  [ ! -p "$id.end" ] || echo "$code $said" 1<>"$id.end"
  rm -f -- "$id.end" "$id.words"
done`;

interface StartsOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Names the run's control groups. */
  readonly run: string;
  readonly noticeMs?: number;
}

/** Opens the way for a run on these hosts. */
export async function openRemoteStarts(
  cluster: Cluster,
  hosts: readonly Host[],
  options: StartsOptions,
): Promise<RemoteStarts> {
  const starts = new Starts(cluster, hosts, options);
  const why = await starts.open();
  if (why === null) return starts;
  await starts.close();
  const { name } = headOf(cluster.inventory);
  throw hostFault(name, `remote starts on the other hosts could not be prepared in ${starts.folder}: ${why}.`);
}

/** What came of a request, for the launcher. */
interface Answer {
  readonly code: number;
  readonly said: string;
}

/** A request that may be met. */
interface Asked {
  readonly host: Host;
  readonly start: DaemonStart;
}

/** The way of one run: what was asked for and started so far, once on each host. */
class Starts implements RemoteStarts {
  readonly folder: string;
  readonly agent: string;
  readonly environment: string;
  readonly #cluster: Cluster;
  readonly #options: StartsOptions;
  readonly #token = randomBytes(16).toString('hex');
  /** Hosts that wait to be started. */
  readonly #left: Map<string, Host>;
  /** What requests are judged by. */
  readonly #launch: { -readonly [key in keyof LaunchedBy]: LaunchedBy[key] };
  readonly #ending = new AbortController();
  readonly #losing = new AbortController();
  readonly lost = this.#losing.signal;
  readonly #signal: AbortSignal;
  readonly #started: Promise<unknown>[] = [];
  #tellOpened: () => void = () => undefined;
  #isOpen = false;
  #broker: RunningCommand | undefined;
  #losingSoon: NodeJS.Timeout | undefined;

  constructor(cluster: Cluster, hosts: readonly Host[], options: StartsOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#left = new Map(hosts.map((host) => [host.name, host]));
    this.folder = cluster.remotePath(`starts-${randomUUID()}`);
    this.agent = `${this.folder}/start`;
    this.environment = `${this.folder}/environment`;
    this.#launch = { argv: [], folders: [], environment: [], agent: this.agent };
    this.#signal = AbortSignal.any([options.signal, this.#ending.signal]);
    // One for each host.
    setMaxListeners(0, this.#ending.signal, this.#signal);
  }

  startedAs(argv: readonly string[]): void {
    this.#launch.argv = argv;
  }

  /** Returns why the head is not ready to pass requests on; null once it is. */
  async open(): Promise<string | null> {
    const { inventory } = this.#cluster;
    const { command, launcher } = inventory.mpi;
    const words = scriptWords(BROKER, this.folder, ASK, command ?? LAUNCHERS[launcher].command);
    const onStdout = byLine((line) => this.#take(line), LONGEST_LINE);
    const opened = new Promise<null>((resolve) => {
      this.#tellOpened = () => resolve(null);
    });
    // It ends with its input, also when this controller is gone.
    const { timeoutMs } = this.#options;
    const broker = await this.#cluster.on(headOf(inventory)).start(words, { timeoutMs, onStdout });
    this.#broker = broker;
    broker.write(`${this.#token}\n`);
    const failed = broker.done.then(({ stderr }) => lastLines(stderr, 1), messageOf);
    const late = (): string => `no reply within ${READY_MS / 1000} s`;
    return await within<string | null>(READY_MS, Promise.race([opened, failed]), late);
  }

  async close(): Promise<void> {
    clearTimeout(this.#losingSoon);
    this.#ending.abort();
    this.#broker?.end();
    await within<unknown>(END_MS, Promise.allSettled([...this.#started, this.#broker?.done]), () => undefined);
  }

  /** A line of the broker: what describes the launcher comes before anything runs that could say it too, then requests. */
  #take(line: string): void {
    const [verb, id = '', encoded] = line.split(' ');
    if (!this.#isOpen) {
      if (verb === 'launcher') this.#launch.folders = decoded(id).map((path) => dirname(path));
      else if (verb === 'parameters') this.#launch.environment = decoded(id);
      else if (verb === 'ready') this.#tellOpened();
      this.#isOpen = verb === 'ready';
      return;
    }
    if (verb !== 'ask' || !/^\d{1,10}$/.test(id)) return;
    const asked = this.#judge(decoded(encoded));
    if ('problem' in asked) this.#answer(id, { code: 255, said: `${asked.problem}\n` });
    else this.#started.push(this.#start(id, asked));
  }

  /** `words` are the token, the host's name and the command. */
  #judge([token, name = '', ...command]: readonly string[]): Asked | { readonly problem: string } {
    if (token !== this.#token) return { problem: 'only the launcher of this run may start processes on other hosts' };
    const host = this.#left.get(name);
    if (!host) return { problem: `${name} is not a host of this run that waits to be started` };
    const { daemon } = LAUNCHERS[this.#cluster.inventory.mpi.launcher];
    if (daemon === null) return { problem: 'this launcher may not start processes on other hosts' };
    const start = daemonStart(command.join(' '), daemon, this.#launch);
    if ('problem' in start) return { problem: `${name}: ${start.problem}` };
    this.#left.delete(name);
    return { host, start };
  }

  #answer(id: string, { code, said }: Answer): void {
    this.#broker?.write(`${id} ${code} ${Buffer.from(said.slice(-MOST_TEXT)).toString('base64')}\n`);
  }

  /** Until the daemon has ended; the answer comes then, or as soon as it has gone into the background. */
  async #start(id: string, { host, start: { name, folder, wantsLibraries, words } }: Asked): Promise<void> {
    const ended = this.#ending.signal;
    const { timeoutMs, run } = this.#options;
    let isAnswered = false;
    const once = (end: Answer, why: string): void => {
      if (isAnswered) this.#lose(host, why);
      else this.#answer(id, end);
      isAnswered = true;
    };
    const onLine = (line: string): void => {
      if (line === 'detached') once({ code: 0, said: '' }, line);
    };
    const where = [this.#cluster.remotePath(AGENT), folder, name, wantsLibraries ? dirname(folder) : ''];
    const daemon = this.#cluster.inRun(host, run, scriptWords(DAEMON, ...where, ...words));
    try {
      const onStdout = byLine(onLine, LONGEST_LINE);
      const running = await this.#cluster.on(host).start(daemon, { timeoutMs, signal: this.#signal, onStdout });
      if (ended.aborted) running.end();
      ended.addEventListener('abort', () => running.end(), { once: true });
      const { exitCode, stdout, stderr } = await running.done;
      once({ code: exitCode ?? 255, said: `${stdout}${stderr}` }, `${name} ended`);
    } catch (error) {
      once({ code: 255, said: `${messageOf(error)}\n` }, messageOf(error).replace(/\.$/, ''));
    }
  }

  /** A daemon that had gone into the background is gone. */
  #lose({ name }: Host, why: string): void {
    if (this.#ending.signal.aborted) return;
    const text = `${name}: the launcher's daemon there ended before its run (${why}).`;
    this.#losingSoon ??= setTimeout(() => this.#losing.abort(text), this.#options.noticeMs ?? NOTICE_MS);
  }
}

/** Texts that end with a NUL each, in base64. */
function decoded(text = ''): string[] {
  return Buffer.from(text, 'base64').toString().split('\0').slice(0, -1);
}
