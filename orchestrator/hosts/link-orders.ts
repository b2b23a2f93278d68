import { within } from '../waiting.ts';
import { type CommandResult, hostFault, OutputFault, type RunningCommand } from './executor.ts';

/** The agent ends what takes longer than 50 s; beyond this it says nothing any more. */
const ANSWER_MS = 70_000;

type Answer = Pick<CommandResult, 'exitCode' | 'stdout' | 'stderr' | 'timedOut'>;

/**
 * A host's link by the holder of its lock (agents/host/hold-orders.c): who holds the lock may change the link, and a command takes
 * neither a login nor sudo, which cost a host several times what the change itself does. One order at a time.
 */
export class LinkOrders {
  readonly #host: string;
  readonly #holder: RunningCommand;
  #printed = { stdout: '', stderr: '' };
  #answer: (answer: Answer) => void = () => undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isLate = false;

  constructor(host: string, holder: RunningCommand) {
    this.#host = host;
    this.#holder = holder;
  }

  /** Takes a line that the holder printed. */
  hear(line: string): void {
    const [mark, text] = [line.at(0), `${line.slice(1)}\n`];
    if (mark === '|') this.#printed.stdout += text;
    else if (mark === '!') this.#printed.stderr += text;
    else {
      const code = /^done (\d+)$/.exec(line)?.[1];
      if (code === undefined && line !== 'late') return;
      const printed = this.#printed;
      this.#printed = { stdout: '', stderr: '' };
      this.#answer({ ...printed, exitCode: code === undefined ? null : Number(code), timedOut: code === undefined });
    }
  }

  /**
   * Has these words of `link` done, like a command of their own; null where an order cannot say them. Errors: `OutputFault` where the
   * holder ends meanwhile.
   */
  give(words: readonly string[]): Promise<CommandResult> | null {
    if (this.#isLate || words.some((word) => word === '' || /[\t\n]/.test(word))) return null;
    const done = this.#last.then(() => this.#give(words));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #give(words: readonly string[]): Promise<CommandResult> {
    const started = performance.now();
    const answered = new Promise<Answer>((resolve) => {
      this.#answer = resolve;
    });
    this.#holder.write(`${words.join('\t')}\n`);
    const ended = this.#holder.done.then(
      (): never => {
        throw hostFault(this.#host, 'the lock was lost while the link was changed.');
      },
      (): never => {
        const why = `${this.#host}: the connection was lost while a command ran.`;
        throw new OutputFault(why, { host: this.#host, stdout: '', stderr: '' });
      },
    );
    const late = (): Answer => {
      this.#isLate = true;
      return { exitCode: null, stdout: '', stderr: '', timedOut: true };
    };
    const answer = await within<Answer>(ANSWER_MS, Promise.race([answered, ended]), late);
    const durationMs = performance.now() - started;
    return { host: this.#host, signal: null, printedTooMuch: false, durationMs, ...answer };
  }
}
