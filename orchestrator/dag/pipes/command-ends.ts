import { capital } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import type { TeamHost } from './agent-team.ts';
import { type StageFailure, stageFailure } from './pipeline-status.ts';

interface CommandEndsOptions {
  /** All that is watched is on this machine, whose name need not be said. */
  readonly isHere: boolean;
  readonly onSaid: (text: string) => void;
  /** Commands that still run should be ended. */
  readonly onGraceOver: () => void;
}

/** After one host's command has failed, those of others have so long to come to their own end. */
const GRACE_MS = 10_000;

/** How the commands of all hosts ended. */
export class CommandEnds {
  /** The greatest of their shells; null before the first end. */
  exitCode: number | null = null;
  /** Whether commands are told to end: how they end says nothing of them. */
  isStopping = false;
  readonly #hosts: readonly TeamHost[];
  readonly #options: CommandEndsOptions;
  #failed: (StageFailure & { readonly host: TeamHost }) | null = null;
  #grace: NodeJS.Timeout | undefined;
  /** When the last command was started and the last one ended, ms. */
  #begunMs = Number.NaN;
  #endedMs = Number.NaN;

  constructor(hosts: readonly TeamHost[], options: CommandEndsOptions) {
    this.#hosts = hosts;
    this.#options = options;
  }

  /** Of the job: what failed first, also where its shell itself ended well. */
  get code(): number | null {
    return this.#failed?.code ?? this.exitCode;
  }

  /** A sentence; null where nothing failed. */
  get failure(): string | null {
    if (this.#failed === null) return null;
    const { words, host } = this.#failed;
    return this.#options.isHere ? `${capital(words)}.` : `${host.watch.host}: ${words}.`;
  }

  /** From the start of the last command to the end of the last; null where none ended. */
  get seconds(): number | null {
    return Number.isNaN(this.#endedMs) ? null : (this.#endedMs - this.#begunMs) / 1000;
  }

  begin(): void {
    this.#begunMs = performance.now();
  }

  takeExit(host: TeamHost, code: number): void {
    this.#endedMs = performance.now();
    this.exitCode = Math.max(this.exitCode ?? 0, code);
    this.takeCodes(host, [code]);
  }

  /** The exit codes of what a command consists of. If it failed and others run on, they are ended after a grace. */
  takeCodes(host: TeamHost, codes: readonly number[]): void {
    const failure = stageFailure(codes, [...host.watch.stages.values()]);
    if (failure === null || this.isStopping) return;
    // What the shell says of the parts of a command is more than how it ended itself.
    if (this.#failed === null || (this.#failed.host === host && codes.length > 1)) this.#failed = { ...failure, host };
    const others = this.#hosts.filter((one) => one !== host && one.hasCommand && !one.isOver);
    if (others.length === 0) return;
    const { onSaid, onGraceOver } = this.#options;
    onSaid(this.failure ?? '');
    this.#grace ??= setTimeout(() => {
      const names = others.filter(({ isOver }) => !isOver).map(({ watch }) => watch.host);
      onSaid(
        `These commands still ran ${formatSeconds(GRACE_MS / 1000)} after another one failed and were ended: ${names.join(', ')}.`,
      );
      onGraceOver();
    }, GRACE_MS);
  }

  close(): void {
    clearTimeout(this.#grace);
  }
}
