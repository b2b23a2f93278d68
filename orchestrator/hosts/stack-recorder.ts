import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../base/errors.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { joinWords, lastLines } from '../../base/text.ts';
import type { StackProfile } from '../../experiments/records.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from './cluster.ts';
import { AGENT } from './deployment.ts';
import { type CommandResult, type Executor, endWatcher, startWatcher } from './executor.ts';

/** What a host's recorder left of a run. */
export interface RecordedStacks {
  readonly host: string;
  /** Rank by process. */
  readonly ranks: ReadonlyMap<number, number>;
  /** What `perf script` printed (experiments/stacks/perf-script.ts), gzip; null where nothing was recorded. */
  readonly script: Buffer | null;
  /** What is missing, a sentence without its host; null where nothing is. */
  readonly problem: string | null;
}

/** Bytes of a stack that each sample keeps: enough for nearly all chains of calls of a program under MPI. */
const STACK_BYTES = 8192;
/** Of a wall-clock recording every so many-th switch has a stack; the times of all are there. */
const SWITCHES_PER_STACK = 4;
/** A recording that grows beyond it ends: some 15,000 stacks a rank. */
const MEBIBYTES_PER_RANK = 128;
/** Text of a host, bytes. */
const MOST_TEXT = 2 ** 29;
const SCRIPT_MS = 10 * 60_000;
/** For perf to write its last block. */
const GOODBYE_S = 20;

/** perf's words for one kind of profile, without whom it is of. Its stamps are those of the trace: CLOCK_REALTIME. */
function recordWords({ kind, hz }: StackProfile): string[] {
  const switches = ['-e', `context-switches/period=${SWITCHES_PER_STACK}/`];
  return [
    ...['perf', 'record', '--no-buildid', '--no-buildid-cache', '--timestamp', '--clockid', 'CLOCK_REALTIME'],
    // DWARF, because MPI libraries as they are shipped have no frame pointers; nothing is written to the user's cache.
    ...['--call-graph', `dwarf,${STACK_BYTES}`, '-e', `cpu-clock/freq=${hz}/`],
    ...(kind === 'wall' ? [...switches, '--switch-events', '--no-inherit', '--per-thread'] : []),
  ];
}

/** Arguments: perf's words. */
const TRY = sh`
command -v perf >/dev/null || { echo "perf is not installed there (on Debian: linux-perf)"; exit 1; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf -- "$folder"' EXIT
"$@" -o "$folder/data" -- true >"$folder/said" 2>&1 && exit 0
echo "the SSH user may not record with perf there: kernel.perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid), which must be 1 or less, or perf needs the capability cap_perfmon ($(grep -v "^$" "$folder/said" | head -n 1))"
exit 1`;

/**
 * Why call stacks cannot be recorded on these hosts, in one sentence; null where they can. perf runs as the SSH user: nothing
 * of it is done as root.
 */
export async function stacksProblem(
  cluster: Cluster,
  hosts: readonly Host[],
  profile: StackProfile,
): Promise<string | null> {
  const command = scriptWords(TRY, ...recordWords(profile));
  const said = await cluster.onEach(hosts, async (executor) => {
    const { exitCode, stdout, stderr } = await executor.exec(command, { timeoutMs: 60_000 });
    return exitCode === 0 ? null : lastLines(stdout || stderr, 1);
  });
  const [first] = said.filter((problem) => problem !== null);
  if (first === undefined) return null;
  const where = hosts.filter((_, index) => said[index] !== null).map(({ name }) => name);
  const names = where.length > 3 ? `${where.length} hosts, ${where[0]} among them` : joinWords(where);
  return `${names}: ${first}`;
}

interface StackRecorders {
  /** What was recorded. It does not fail: what is missing is said. */
  stop(): Promise<readonly RecordedStacks[]>;
  /** Ends them without looking at what they recorded. */
  discard(): Promise<void>;
}

/**
 * Arguments: a name that nobody guesses, the agent, ranks on the host, what says whom perf is of, seconds of patience at its end, perf's
 * words. The folder is the host's own: what is written there is no traffic. What an earlier recording left is removed.
 *
 * perf reads the kernel's symbols four times when it starts, some 0.15 s of a processor: ranks stand still meanwhile (30 s at most),
 * before they have begun, so that no search shares the processors with it. A perf older than 5.8 cannot say when it is ready.
 */
const RECORD = sh`
name=$1 agent=$2 count=$3 whom=$4 grace=$5; shift 5
prefix=\${TMPDIR:-/tmp}/predict-stacks-$(id -u)
for old in "$prefix"-*; do [ -L "$old" ] || [ ! -O "$old" ] || rm -rf -- "$old"; done
folder=$prefix-$name
mkdir -m 700 -- "$folder" && cd -- "$folder" || exit 1
"$agent" ranks --count "$count" >ranks || exit 1
set -- "$@" -o data "$whom" "$(cut -f 2 ranks | paste -s -d , -)"
if perf record -h 2>&1 | grep -q -e '--control'; then
  mkfifo -m 600 ask answer || exit 1
  ranks=$(cut -f 2 ranks)
  kill -STOP $ranks
  (timeout 30 sh -c 'echo enable >ask && read -r _ <answer'; kill -CONT $ranks) </dev/null >/dev/null 2>&1 &
  set -- "$@" --control fifo:ask,answer
fi
exec "$agent" guard --grace "$grace" -- "$@"`;

/** Argument: the name. Symbols are looked up where the programs are. */
const TEXT = sh`
cd -- "\${TMPDIR:-/tmp}/predict-stacks-$(id -u)-$1" || exit 1
cat ranks
[ -s data ] || exit 3
unset DEBUGINFOD_URLS
perf script -i data --ns -F pid,tid,time,event,ip,sym,dso --show-switch-events --show-lost-events --no-inline 2>said |
  head -c "$2" | gzip -1 >script.gz
echo "text $(gzip -dc script.gz | wc -c)"
pwd`;

const REMOVE = sh`rm -rf -- "\${TMPDIR:-/tmp}/predict-stacks-$(id -u)-$1"`;

/** Begins to record the ranks that are about to run, so many on each host. Either way of ending it leaves nothing on the hosts. */
export async function startStackRecorders(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    profile,
    ranksPerNode,
    timeoutMs,
  }: { readonly profile: StackProfile; readonly ranksPerNode: number; readonly timeoutMs: number },
): Promise<StackRecorders> {
  const name = randomUUID();
  const command = scriptWords(
    RECORD,
    ...[
      name,
      cluster.remotePath(AGENT),
      String(ranksPerNode),
      profile.kind === 'wall' ? '-t' : '-p',
      String(GOODBYE_S),
    ],
    ...recordWords(profile),
    ...['--max-size', `${MEBIBYTES_PER_RANK * ranksPerNode}M`],
  );
  const started = await cluster.onEach(hosts, (executor) =>
    startWatcher(executor, command, { timeoutMs }).catch(() => null),
  );
  const finish = <T>(task: (executor: Executor, ended: CommandResult | null) => Promise<T>): Promise<T[]> =>
    cluster.onEach(hosts, async (executor, host) => {
      const recorder = started[hosts.indexOf(host)];
      try {
        return await task(executor, recorder ? await endWatcher(recorder, (GOODBYE_S + 10) * 1000) : null);
      } finally {
        await executor.exec(scriptWords(REMOVE, name)).catch(() => undefined);
      }
    });
  return {
    stop: () =>
      finish((executor, ended) =>
        fetchStacks(executor, { name, ended }).catch((error: unknown) => {
          return { host: executor.host, ranks: new Map(), script: null, problem: messageOf(error) };
        }),
      ),
    discard: async () => void (await finish(async () => undefined).catch(() => undefined)),
  };
}

async function fetchStacks(
  executor: Executor,
  { name, ended }: { readonly name: string; readonly ended: CommandResult | null },
): Promise<RecordedStacks> {
  const { host } = executor;
  const none = (why: string): RecordedStacks => ({ host, ranks: new Map(), script: null, problem: why });
  if (ended === null) return none('the recorder could not be started');
  const said = lastLines(ended.stderr, 1);
  const script = scriptWords(TEXT, name, String(MOST_TEXT));
  const { exitCode, stdout } = await executor.exec(script, { timeoutMs: SCRIPT_MS });
  if (exitCode !== 0) return none(`nothing was recorded${said === '' ? '' : ` (${said})`}`);
  const ranks = new Map(
    [...stdout.matchAll(/^(\d{1,9})\t(\d{1,9})$/gm)].map(([, rank, pid]) => [Number(pid), Number(rank)]),
  );
  const folder = stdout.trimEnd().split('\n').at(-1) ?? '';
  const packed = await executor.fetch(`${folder}/script.gz`);
  if (packed === null) return none('the recording is missing');
  const isFull = ended.stderr.includes('size limit reached') || Number(/^text (\d+)$/m.exec(stdout)?.[1]) >= MOST_TEXT;
  return {
    host,
    ranks,
    script: packed,
    problem: isFull ? 'the recording grew too large, so its later part is missing (use a lower --profile-hz)' : null,
  };
}

/** The text of a recording piece by piece, no more than hosts may send. Errors: whatever zlib has against damaged data. */
export async function* textOf(script: Buffer): AsyncGenerator<string> {
  let left = MOST_TEXT;
  const unpacked: AsyncIterable<string> = Readable.from([script]).pipe(createGunzip()).setEncoding('utf8');
  for await (const piece of unpacked) {
    yield piece;
    left -= piece.length;
    if (left <= 0) return;
  }
}
