import { LineReader } from '../../../base/line-reader.ts';
import { printable } from '../../../base/text.ts';
import { paint } from '../print.ts';
import { type FrameLine, type LiveState, liveFrame, plainPeriod } from './live-frame.ts';

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'>;

/** Lines of the command that are kept to be shown; plain lines of a period at most. */
const KEPT = 20;
/** Bytes of one; of a longer line the beginning is shown. */
const LONGEST_LINE = 1000;

/** Shows a watched job on stderr: on a terminal a view that is redrawn in its place, elsewhere a line for each period. */
interface LiveScreen {
  readonly show: (state: Omit<LiveState, 'said'>) => void;
  readonly note: (text: string) => void;
  readonly printed: (text: string) => void;
  /** What is drawn stays. */
  readonly end: () => void;
}

export function createLiveScreen(
  stream: Stream = process.stderr,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): LiveScreen {
  const redraws = stream.isTTY && env.TERM !== 'dumb';
  const ascii = !/utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || 'C.UTF-8');
  let drawn = 0;
  let said: string[] = [];
  let dropped = 0;

  const erase = (): void => {
    if (drawn > 0) stream.write(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  const draw = (lines: readonly FrameLine[]): void => {
    erase();
    for (const { text, hot } of lines) stream.write(`${hot ? paint(text, 'warning', stream, env) : printable(text)}\n`);
    drawn = lines.length;
  };
  const keep = (line: string): void => {
    if (redraws) said = [...said.slice(1 - KEPT), line];
    else if (said.length < KEPT) said.push(line);
    else dropped += 1;
  };
  const printed = new LineReader({ onLine: keep, onTooLong: keep, mostLineBytes: LONGEST_LINE });
  const say = (text: string): void => void stream.write(`${printable(text)}\n`);
  const flushSaid = (): void => {
    for (const line of said) say(`| ${line}`);
    if (dropped > 0) say(`| (${dropped} more lines)`);
    said = [];
    dropped = 0;
  };

  return {
    show: (state) => {
      if (redraws) {
        const rows = (stream.rows || 24) - 1;
        draw(liveFrame({ ...state, said }, { columns: (stream.columns || 80) - 1, rows, ascii }));
      } else {
        flushSaid();
        say(plainPeriod({ ...state, said: [] }));
      }
    },
    note: (text) => {
      if (!redraws) say(`predict: ${text}`);
    },
    printed: (text) => printed.add(text),
    end: () => {
      printed.end();
      if (!redraws) flushSaid();
      drawn = 0;
    },
  };
}
