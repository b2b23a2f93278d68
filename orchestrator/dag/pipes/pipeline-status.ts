import { constants } from 'node:os';
import { scriptWords, sh } from '../../../base/index.ts';

// sh says nothing of a command in the middle of a pipeline that fails. bash knows how each of them ended (PIPESTATUS), and says it on standard
// error as it ends, in a line that nobody else prints.

/** Runs its first argument in bash where there is one, else its second in sh, with the other arguments. */
const EITHER_SHELL = sh`
bash=$1 sh=$2; shift 2
command -v bash >/dev/null && exec bash --posix -c "$bash" predict "$@"
exec sh -c "$sh" predict "$@"`;
/** Arguments: a folder, a command, a mark. A command that exits by itself comes to the trap with what its shell knows last. */
const IN_BASH = sh`
predict_command=$2 predict_mark=$3
trap 'printf "\n%s %s\n" "$predict_mark" "\${predict_codes-\${PIPESTATUS[*]}}" >&2' EXIT
cd -- "$1" || exit 1
set --
eval "$predict_command
"'predict_status=$? predict_codes="\${PIPESTATUS[*]}"; exit $predict_status'`;
const IN_SH = sh`
predict_command=$2
cd -- "$1" || exit 1
set --
eval "$predict_command"`;

const SIGNALLED = 128;
/** How a command ends whose reader has had enough, such as `yes | head`: no failure. */
const BROKEN_PIPE = SIGNALLED + constants.signals.SIGPIPE;

/**
 * Words that run a shell's command in a folder and have it say how the commands of its last pipeline ended. `mark` is a word that
 * nobody guesses.
 */
export function withStatuses(
  command: string,
  { mark, folder = '.' }: { readonly mark: string; readonly folder?: string | undefined },
): string[] {
  return scriptWords(EITHER_SHELL, IN_BASH, IN_SH, folder, command, mark);
}

/** Takes that line out of what a command prints. */
export class StatusFilter {
  readonly #mark: string;
  readonly #onText: (text: string) => void;
  readonly #onStatuses: (codes: readonly number[]) => void;
  #rest = '';

  constructor(
    mark: string,
    { onText, onStatuses }: { onText: (text: string) => void; onStatuses: (codes: readonly number[]) => void },
  ) {
    this.#mark = `\n${mark} `;
    this.#onText = onText;
    this.#onStatuses = onStatuses;
  }

  add(text: string): void {
    this.#rest += text;
    const from = this.#rest.indexOf(this.#mark);
    const to = from < 0 ? -1 : this.#rest.indexOf('\n', from + this.#mark.length);
    if (to >= 0) {
      const codes =
        this.#rest
          .slice(from + this.#mark.length, to)
          .match(/^\d{1,3}(?: \d{1,3})*$/)?.[0]
          .split(' ') ?? [];
      const rest = this.#rest.slice(0, from) + this.#rest.slice(to + 1);
      this.#rest = '';
      if (codes.length > 0) this.#onStatuses(codes.map(Number));
      this.add(rest);
      return;
    }
    const kept = from >= 0 ? from : this.#partFrom();
    if (kept > 0) this.#onText(this.#rest.slice(0, kept));
    this.#rest = this.#rest.slice(kept);
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#rest !== '') this.#onText(this.#rest);
    this.#rest = '';
  }

  /** Where the mark may begin whose end has not come. */
  #partFrom(): number {
    for (let length = Math.min(this.#mark.length, this.#rest.length); length > 0; length -= 1) {
      if (this.#mark.startsWith(this.#rest.slice(-length))) return this.#rest.length - length;
    }
    return this.#rest.length;
  }
}

/** How a command of a pipeline failed. */
export interface StageFailure {
  readonly code: number;
  /** A part of a sentence. */
  readonly words: string;
}

/** The first command of a pipeline that failed, by the codes of all; `names` are those of its processes where each was seen. */
export function stageFailure(codes: readonly number[], names: readonly string[]): StageFailure | null {
  const place = codes.findIndex((code, index) => code > 0 && (code !== BROKEN_PIPE || index === codes.length - 1));
  const code = codes[place];
  if (code === undefined) return null;
  const number = `command ${place + 1} of ${codes.length} of the pipeline`;
  const name = names.length === codes.length ? `'${names[place]}' (${number})` : number;
  return { code, words: codes.length === 1 ? `the command ${endWords(code)}` : `${name} ${endWords(code)}` };
}

/** `ended with exit code 3`, `was ended by SIGKILL`, as shells count. */
export function endWords(code: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number + SIGNALLED === code)?.[0];
  return signal === undefined ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
