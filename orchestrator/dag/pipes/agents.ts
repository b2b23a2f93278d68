import { randomUUID } from 'node:crypto';
import { execa } from 'execa';
import { buildProgram } from '../../../agents/build.ts';
import { infrastructure, messageOf } from '../../../base/errors.ts';
import { LineReader } from '../../../base/line-reader.ts';
import { lastLines } from '../../../base/text.ts';
import type { Host } from '../../../inventory/inventory-schema.ts';
import type { Cluster } from '../../hosts/cluster.ts';
import { AGENT, agentOn } from '../../hosts/deployment.ts';
import { StatusFilter, withStatuses } from './pipeline-status.ts';

/** What is watched on a host: a shell command that is started there, processes that run already, both or neither. */
export interface HostTask {
  readonly command: string | null;
  /** Where the command runs; by default where its shell begins. */
  readonly folder?: string;
  readonly pids: readonly number[];
}

export interface AgentOptions extends HostTask {
  readonly hz: number;
  readonly sliceS: number;
  readonly onLine: (line: string) => void;
  /** What the command says. */
  readonly onPrinted: (text: string) => void;
  /** How each command of its last pipeline ended; never comes where the host's shell does not know. */
  readonly onStatuses: (codes: readonly number[]) => void;
}

/** An agent that watches a host. */
export interface RunningAgent {
  readonly host: string;
  /** Why it ended other than by being told to or with its command; null for a good end. */
  readonly done: Promise<string | null>;
  /** Its command ends first. */
  readonly stop: () => void;
  /** Who holds this connection there belongs to the job. */
  readonly follow: (connection: string) => void;
}

/** For an agent and its command to end once they are told to: the guard's patience and some more. */
const GOODBYE_MS = 8_000;
/** Bytes of a line of the agent's: a process with 10,000 open ends of pipes and sockets has half of them. */
const LONGEST_LINE = 2 ** 20;

/** Starts the agent on this machine. `name` is what its tasks are said to run on. */
export async function startLocalAgent(name: string, options: AgentOptions): Promise<RunningAgent> {
  const agent = await buildProgram('agent');
  // A group of its own: Ctrl-C of a terminal is ours to pass on.
  const mark = randomUUID();
  const child = execa(agent, agentWords(options, mark), {
    ...{ detached: true, buffer: false, reject: false, stdio: 'pipe', forceKillAfterDelay: false },
  });
  const said = new Tail();
  const lines = linesFor(options);
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.add(text));
  const printed = printedBy(options, { mark, said });
  child.stderr.setEncoding('utf8').on('data', (text: string) => printed.add(text));
  child.stdin.on('error', () => undefined);
  const done = child.then(({ exitCode, signal, failed, cause }) => {
    printed.end();
    if (!failed) return null;
    const how = signal === undefined ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
    return `${name}: the agent ${exitCode === undefined && signal === undefined ? `cannot be started (${messageOf(cause)})` : how}: ${said.line()}`;
  });
  return {
    host: name,
    done,
    stop: () => {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), GOODBYE_MS);
      void done.finally(() => clearTimeout(timer));
    },
    follow: (connection) => void child.stdin.write(`follow ${connection}\n`),
  };
}

/** Starts the agent on a host of an inventory, as the ssh user: it sees what that user may see. */
export async function startRemoteAgent(cluster: Cluster, host: Host, options: AgentOptions): Promise<RunningAgent> {
  await cluster.deploy([host], async ({ machine }, name) => [await agentOn(name, machine)]);
  const lines = linesFor(options);
  const kill = new AbortController();
  const said = new Tail();
  const mark = randomUUID();
  const printed = printedBy(options, { mark, said });
  const words = [cluster.remotePath(AGENT), ...agentWords(options, mark)];
  const running = await cluster.on(host).start(words, {
    timeoutMs: Number.POSITIVE_INFINITY,
    signal: kill.signal,
    endBytes: 4096,
    onStdout: (text) => lines.add(text),
    onStderr: (text) => printed.add(text),
  });
  const done = running.done.then(
    ({ exitCode, signal, printedTooMuch }) => {
      printed.end();
      if (exitCode === 0) return null;
      if (printedTooMuch) return `${host.name}: the agent sent more output than allowed.`;
      return `${host.name}: the agent ended with ${signal ?? `exit code ${exitCode}`}: ${said.line()}`;
    },
    (error: unknown) => messageOf(error),
  );
  return {
    host: host.name,
    done,
    stop: () => {
      running.end();
      const timer = setTimeout(() => kill.abort(), GOODBYE_MS);
      void done.finally(() => clearTimeout(timer));
    },
    follow: (connection) => running.write(`follow ${connection}\n`),
  };
}

function printedBy(
  { onPrinted, onStatuses }: AgentOptions,
  { mark, said }: { mark: string; said: Tail },
): StatusFilter {
  const onText = (text: string): void => {
    said.add(text);
    onPrinted(text);
  };
  return new StatusFilter(mark, { onText, onStatuses });
}

function agentWords({ hz, sliceS, pids, command, folder }: AgentOptions, mark: string): string[] {
  return [
    ...['pipes', '--hz', String(hz), '--slice', String(sliceS)],
    ...pids.flatMap((pid) => ['--pid', String(pid)]),
    ...(command === null ? [] : ['--', ...withStatuses(command, { mark, folder })]),
  ];
}

/** A line that is too long is passed over, as every line is that is none of the agent's. */
function linesFor({ onLine }: AgentOptions): LineReader {
  return new LineReader({ onLine, mostLineBytes: LONGEST_LINE });
}

/** The end of what was said. */
class Tail {
  #text = '';

  add(text: string): void {
    this.#text = (this.#text + text).slice(-2000);
  }

  line(): string {
    return lastLines(this.#text, 1) || 'no message';
  }
}

/** Errors: `infrastructure` with what the agent said. */
export function agentFailed(why: string): Error {
  return infrastructure(`${why}.`.replace(/\.\.$/, '.'));
}
