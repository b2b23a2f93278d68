import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PredictError } from '../../base/errors.ts';
import { quoteAll } from '../../base/shell.ts';
import {
  type CommandOptions,
  type CommandResult,
  type Executor,
  OutputFault,
  type RunningCommand,
} from '../../orchestrator/hosts/executor.ts';
import { runAgent } from './fake/agent.ts';
import { type Answer, answer, refusal } from './fake/answer.ts';
import type { FakeLink } from './fake/link.ts';
import type { FakeWorld } from './fake/world.ts';

/** What may befall one command: its connection is lost, it never ends, it ends late, or it says something else. */
export type Fate =
  | { readonly kind: 'dies'; readonly after?: string }
  | { readonly kind: 'hangs' }
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'says'; readonly answer: Partial<Answer> };

/** A command that has not ended. */
export interface Running {
  readonly verb: string;
  readonly options: CommandOptions;
  /** Its input was ended, or a time-out, an abort or a lost connection ended it. */
  readonly ended: Promise<void>;
  /** Whether somebody still waits for its answer. */
  readonly alive: () => boolean;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly lose: () => void;
}

const MINUTE_MS = 60_000;

/**
 * A host that exists only in this process: it does what predict's commands and scripts ask for, on a link, files and a lock
 * of its own, and nothing passes on it but the fake clock's time.
 */
export class FakeHost implements Executor {
  readonly host: string;
  readonly sshPort = 22;
  readonly address: string;
  readonly link: FakeLink;
  readonly files: Map<string, Buffer>;
  /** Says no to every connection. */
  down = false;
  privilege: 'root' | 'sudo' | 'none' = 'root';
  /** What the launcher prints as its version; null where it is not installed. */
  mpi: string | null = 'mpirun (Open MPI) 4.1.4';
  /** Its clock minus the others', ns. */
  clockOffsetNs = 0n;
  /** Changes to what predict-agent says about it. */
  facts: Readonly<Record<string, unknown>> = {};
  /** What is said of the libraries of a program. */
  lacks = '';
  lockedBy: string | undefined;
  /** Cores that others than the ranks use. */
  burnt = 0;
  /** What the kernel says of processes that it ended for want of memory. */
  killed = 'oom_kill 0\n';
  readonly world: FakeWorld;
  readonly #fates: { readonly verb: string; readonly fate: Fate }[] = [];
  readonly #running = new Set<Running>();

  constructor(
    world: FakeWorld,
    place: {
      readonly name: string;
      readonly address: string;
      readonly link: FakeLink;
      readonly files: Map<string, Buffer>;
    },
  ) {
    this.world = world;
    this.host = place.name;
    this.address = place.address;
    this.link = place.link;
    this.files = place.files;
  }

  /** What befalls the next commands of this verb, one fate each; see `verbOf` for the verbs. */
  fate(verb: string, ...fates: readonly Fate[]): void {
    this.#fates.push(...fates.map((fate) => ({ verb, fate })));
  }

  /** The verbs of what has not ended. */
  get running(): readonly string[] {
    return [...this.#running].map(({ verb }) => verb);
  }

  /** Every connection to the host is lost; the next command opens a new one unless the host is down. */
  loseConnections(): void {
    for (const running of this.#running) running.lose();
  }

  /** One kind of command is lost, as when its process is killed. */
  lose(verb: string): void {
    for (const running of this.#running) if (running.verb === verb) running.lose();
  }

  async exec(command: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    const running = await this.start(command, options);
    running.end();
    return running.done;
  }

  async start(command: readonly string[], options: CommandOptions = {}): Promise<RunningCommand> {
    if (options.signal?.aborted) throw new PredictError('interrupted', { kind: 'interrupted' });
    const verb = verbOf(command);
    this.world.note(this, verb, quoteAll(command));
    if (this.down) {
      const why = `${this.host} cannot be reached over SSH: connect EHOSTUNREACH.`;
      throw new PredictError(why, { kind: 'infrastructure', host: this.host });
    }
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const done = this.#run({ verb, command, options, ended, end });
    done.catch(() => undefined);
    const write = (text: string): void => {
      if (verb === 'orders') this.world.fifo(`${command.at(-1)}/orders`).write(text);
      if (verb === 'hold') void this.#order(text.trimEnd().split('\t'));
    };
    return { done, end, write };
  }

  /** As agents/host/hold-orders.c does: words of link are a command like any other. */
  async #order(words: readonly string[]): Promise<void> {
    const { stdout, stderr, exitCode, timedOut } = await this.exec(['/predict-agent', ...words]);
    const lines = (mark: string, text: string): string => text.replace(/^(?=.)|\n(?=.)/g, (end) => `${end}${mark}`);
    const said = timedOut ? 'late\n' : `done ${exitCode}\n`;
    const holder = [...this.#running].find(({ verb }) => verb === 'hold');
    holder?.print(`${lines('|', stdout)}${lines('!', stderr)}${said}`);
  }

  #run(asked: {
    verb: string;
    command: readonly string[];
    options: CommandOptions;
    ended: Promise<void>;
    end: () => void;
  }): Promise<CommandResult> {
    const { verb, command, options } = asked;
    const { clock } = this.world;
    const startedMs = clock.ms;
    return new Promise((resolve, reject) => {
      let [printed, printedError] = ['', ''];
      const finish = (settle: () => void): void => {
        if (!this.#running.delete(running)) return;
        asked.end();
        stopTimer();
        options.signal?.removeEventListener('abort', abort);
        settle();
      };
      const result = (end: Answer, timedOut = false): CommandResult => ({
        ...{ host: this.host, signal: end.exitCode === null ? 'TERM' : null, ...end },
        ...{
          stdout: printed + end.stdout,
          stderr: printedError + end.stderr,
          durationMs: clock.ms - startedMs,
          timedOut,
          printedTooMuch: false,
        },
      });
      const ends = (end: Answer): void => finish(() => resolve(result(end)));
      const abort = (): void => ends({ exitCode: null, stdout: '', stderr: '' });
      const running: Running = {
        verb,
        options,
        ended: asked.ended,
        alive: () => this.#running.has(running),
        print: (text) => {
          printed += text;
          options.onStdout?.(text);
        },
        printError: (text) => {
          printedError += text;
          options.onStderr?.(text);
        },
        lose: () => {
          const why = `${this.host}: the connection was lost while a command ran.`;
          finish(() => reject(new OutputFault(why, { host: this.host, stdout: printed, stderr: printedError })));
        },
      };
      const timeoutMs = options.timeoutMs ?? MINUTE_MS;
      const stopTimer = clock.after(timeoutMs, () =>
        finish(() => resolve(result({ exitCode: null, stdout: '', stderr: '' }, true))),
      );
      options.signal?.addEventListener('abort', abort, { once: true });
      this.#running.add(running);
      const fate = this.#nextFate(verb);
      switch (fate?.kind) {
        case 'hangs':
          return;
        case 'dies':
          if (fate.after !== undefined) running.print(fate.after);
          return this.loseConnections();
        case 'says':
          return ends({ ...answer(), ...fate.answer });
        case 'late':
          clock.after(fate.ms, () => void this.#perform(verb, command, running).then(ends, reject));
          return;
        default:
          this.#perform(verb, command, running).then(ends, reject);
      }
    });
  }

  async #perform(verb: string, list: readonly string[], running: Running): Promise<Answer> {
    switch (verb) {
      case 'set':
      case 'renew':
      case 'clear':
      case 'show':
        // Anybody may read a link.
        if (this.privilege === 'none' && verb !== 'show') return refusal(1, 'sudo: a password is required');
        return this.link.run(list.slice(list.indexOf('link') + 1));
      case 'deploy':
        return answer(
          argumentsOf(list)
            .slice(1)
            .map((path) => this.#sum(path))
            .join(''),
        );
      case 'remove':
        for (const path of this.files.keys()) if (path.startsWith(`${list.at(-1)}/`)) this.files.delete(path);
        return answer();
      case 'privilege':
        return answer(`${this.privilege}\n`);
      case 'version':
        return this.mpi === null ? refusal(127, 'sh: mpirun: not found') : answer(`${this.mpi}\n`);
      case 'kills':
        return answer(this.killed);
      case 'look':
        return answer(this.#look(list));
      case 'starts':
      case 'orders':
        running.print('ready\n');
        await running.ended;
        return answer();
      case 'perf':
        return { ...answer('perf is not installed there (on Debian: linux-perf)\n'), exitCode: 1 };
      case 'program':
        return answer(this.lacks);
      case 'true':
      case 'group':
      case 'mkdir':
        return answer();
      default:
        return runAgent(this, { verb, words: list, running });
    }
  }

  async send(path: string, remote: string): Promise<void> {
    this.world.note(this, 'send', remote);
    this.files.set(remote, readFileSync(path));
  }

  async fetch(path: string): Promise<Buffer | null> {
    this.world.note(this, 'fetch', path);
    return this.files.get(path) ?? null;
  }

  close(): void {
    this.loseConnections();
  }

  /** Who the ssh user is, where his work folder is, and that it is his alone. */
  #look(list: readonly string[]): string {
    const uid = this.privilege === 'root' ? 0 : 1000;
    const [configured = ''] = argumentsOf(list);
    const folder = configured || '/home/ann/.predict';
    const names = folder.split('/').slice(1);
    const steps = ['/', ...names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`)];
    const parts = steps.map((path) => `@predict part ${path === folder ? uid : 0} 41ed ${path}`);
    const user = uid === 0 ? 'root' : 'ann';
    return [
      `@predict uid ${uid}`,
      `@predict user ${user}`,
      '@predict machine x86_64',
      ...['asked', 'folder'].map((name) => `@predict ${name} ${Buffer.from(folder).toString('base64')}`),
      ...parts,
      '',
    ].join('\n');
  }

  #sum(path: string): string {
    const content = this.files.get(path);
    return content ? `${createHash('sha256').update(content).digest('hex')}  ${path}\n` : '';
  }

  #nextFate(verb: string): Fate | undefined {
    const index = this.#fates.findIndex((each) => each.verb === verb);
    return index < 0 ? undefined : this.#fates.splice(index, 1)[0]?.fate;
  }
}

/** What is behind a script and its name. */
function argumentsOf(words: readonly string[]): readonly string[] {
  return words.slice(4);
}

/** What a command is about, as tests name it. */
function verbOf(words: readonly string[]): string {
  const link = words[words.indexOf('link') + 1] ?? '';
  if (words.includes('link') && ['show', 'set', 'renew', 'clear'].includes(link)) return link;
  const [, , what = '', asked = '', ...command] = argumentsOf(words);
  if (words[2]?.includes(' install >')) return what === 'run' ? asked : what === 'enter' ? verbOf(command) : what;
  const agent = words[words.findLastIndex((word) => word.endsWith('/predict-agent')) + 1] ?? '';
  if (['facts', 'probe', 'hold', 'sample', 'guard'].includes(agent)) return agent;
  const [program = '', , script = ''] = words;
  if (program === 'rm') return 'remove';
  if (program === 'true') return 'true';
  if (words.includes('--version')) return 'version';
  const [verb] = SCRIPTS.find(([, part]) => script.includes(part)) ?? [];
  if (program === 'sh' && verb !== undefined) return verb;
  throw new Error(`no fake host knows this command: ${quoteAll(words)}`);
}

/** What tells predict's scripts apart. */
const SCRIPTS = [
  ['perf', 'command -v perf'],
  ['starts', 'mkfifo ask'],
  ['orders', 'mkfifo -- "$1/orders"'],
  ['program', '@absent'],
  ['look', '@predict '],
  ['deploy', 'sha256sum'],
  ['mkdir', 'mkdir -p '],
  ['kills', 'dmesg'],
  ['privilege', 'id -u'],
] as const;
