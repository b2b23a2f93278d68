import { constants } from 'node:os';
import { scriptWords, sh } from '../../../base/shell.ts';

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
/** Characters of the line that tells how they ended. */
const LONGEST_LINE = 65_536;
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
    for (;;) {
      const from = this.#rest.indexOf(this.#mark);
      this.#pass(from < 0 ? this.#partFrom() : from);
      if (from < 0) return;
      const to = this.#rest.indexOf('\n', this.#mark.length);
      // A line that goes on and on is none of a shell's.
      if (to < 0 && this.#rest.length > LONGEST_LINE) this.#pass(this.#rest.length);
      if (to < 0) return;
      const codes = this.#rest.slice(this.#mark.length, to);
      this.#rest = this.#rest.slice(to + 1);
      if (/^\d{1,3}(?: \d{1,3})*$/.test(codes)) this.#onStatuses(codes.split(' ').map(Number));
    }
  }

  /** Nothing more comes. */
  end(): void {
    this.#pass(this.#rest.length);
  }

  #pass(length: number): void {
    if (length > 0) this.#onText(this.#rest.slice(0, length));
    this.#rest = this.#rest.slice(length);
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
function endWords(code: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number + SIGNALLED === code)?.[0];
  return signal === undefined ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
