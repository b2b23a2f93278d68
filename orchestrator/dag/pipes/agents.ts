import { randomUUID } from 'node:crypto';
import { execa } from 'execa';
import { buildProgram } from '../../../agents/build.ts';
import { messageOf } from '../../../base/errors.ts';
import { byLine } from '../../../base/line-reader.ts';
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

interface AgentOptions extends HostTask {
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
  /** Why it ended other than by being told to or with its command; null for a good end. */
  readonly done: Promise<string | null>;
  /** Its command ends first. */
  readonly stop: () => void;
  /** Who holds this connection there belongs to the job. */
  readonly follow: (connection: string) => void;
}

/** A process that an agent's words began. */
interface AgentProcess {
  /** How it ended, after `the agent`; null for a good end. Rejects where the way to it was lost. */
  readonly done: Promise<string | null>;
  readonly write: (text: string) => void;
  readonly end: () => void;
  readonly kill: () => void;
}

type LaunchAgent = (
  words: readonly string[],
  on: { readonly onStdout: (text: string) => void; readonly onStderr: (text: string) => void },
) => Promise<AgentProcess>;

/** For an agent and its command to end once they are told to: the guard's patience and some more. */
const GOODBYE_MS = 8_000;
/** Bytes of a line of the agent's: a process with 10,000 open ends of pipes and sockets has half of them. */
const LONGEST_LINE = 2 ** 20;
/** Characters of the end of what was printed. */
const KEPT = 2000;

/** Starts the agent of a host. */
export async function startAgent(host: string, options: AgentOptions, launch: LaunchAgent): Promise<RunningAgent> {
  const { hz, sliceS, pids, command, folder, onLine, onPrinted, onStatuses } = options;
  const mark = randomUUID();
  let said = '';
  const onText = (text: string): void => {
    said = (said + text).slice(-KEPT);
    onPrinted(text);
  };
  const printed = new StatusFilter(mark, { onText, onStatuses });
  const words = [
    ...['pipes', '--hz', String(hz), '--slice', String(sliceS)],
    ...pids.flatMap((pid) => ['--pid', String(pid)]),
    ...(command === null ? [] : ['--', ...withStatuses(command, { mark, folder })]),
  ];
  // A line that is too long is passed over, as every line is that is none of the agent's.
  const onStdout = byLine(onLine, LONGEST_LINE);
  const agent = await launch(words, { onStdout, onStderr: (text) => printed.add(text) });
  const done = agent.done.then((how) => {
    printed.end();
    return how === null ? null : `${host}: the agent ${how}: ${lastLines(said, 1) || 'no message'}`;
  }, messageOf);
  return {
    done,
    stop: () => {
      agent.end();
      const timer = setTimeout(agent.kill, GOODBYE_MS);
      void done.finally(() => clearTimeout(timer));
    },
    follow: (connection) => agent.write(`follow ${connection}\n`),
  };
}

/** On this machine. */
export const launchHere: LaunchAgent = async (words, { onStdout, onStderr }) => {
  // A group of its own: Ctrl-C of a terminal is ours to pass on.
  const child = execa(await buildProgram('agent'), words, {
    ...{ detached: true, buffer: false, reject: false, stdio: 'pipe', forceKillAfterDelay: false },
  });
  child.stdout.setEncoding('utf8').on('data', onStdout);
  child.stderr.setEncoding('utf8').on('data', onStderr);
  child.stdin.on('error', () => undefined);
  return {
    done: child.then(({ exitCode, signal, failed, cause }) => {
      if (!failed) return null;
      if (signal !== undefined) return `was ended by ${signal}`;
      return exitCode === undefined ? `cannot be started (${messageOf(cause)})` : `ended with exit code ${exitCode}`;
    }),
    write: (text) => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
  };
};

/** On a host of an inventory, as the ssh user: it sees what that user may see. */
export function launchOn(cluster: Cluster, host: Host): LaunchAgent {
  return async (words, { onStdout, onStderr }) => {
    await cluster.deploy([host], async (account, executor) => [await agentOn(executor, account)]);
    const stop = new AbortController();
    const running = await cluster.on(host).start([cluster.remotePath(AGENT), ...words], {
      ...{ timeoutMs: Number.POSITIVE_INFINITY, signal: stop.signal, endBytes: 4096, onStdout, onStderr },
    });
    return {
      done: running.done.then(({ exitCode, signal, printedTooMuch }) => {
        if (exitCode === 0) return null;
        return printedTooMuch ? 'sent more output than allowed' : `ended with ${signal ?? `exit code ${exitCode}`}`;
      }),
      write: (text) => running.write(text),
      end: () => running.end(),
      kill: () => stop.abort(),
    };
  };
}
