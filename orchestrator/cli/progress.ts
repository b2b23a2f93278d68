import { assertNever } from '../../base/errors.ts';
import { groupAlike, printable, printableLine } from '../../base/text.ts';
import type { Cell } from '../../experiments/records.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { addedText, inParallelText, leftText, outcomeText, retriedText } from '../../experiments/store/event-text.ts';
import { LiveFold } from '../../experiments/store/live-fold.ts';
import { paint } from './print.ts';

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

/**
 * Shows a sweep's events on stderr: on a terminal one line that is rewritten (cells done, time left, the current cell) below
 * a line per finished cell; elsewhere plain lines, with the time left once two cells tell it. `cells` is the plan that the events' ids belong to.
 */
export function createProgress(cells: readonly Cell[], stream: Stream = process.stderr): (event: SweepEvent) => void {
  const fold = new LiveFold('', cells);
  const show = progressOf(() => fold, stream);
  return (event) => {
    fold.take(event);
    show(event);
  };
}

/** The same of a sweep that is folded elsewhere: each event has been taken. */
export function progressOf(foldNow: () => LiveFold, stream: Stream): (event: SweepEvent) => void {
  let finishedHere = 0;
  let ticker: NodeJS.Timeout | undefined;

  const line = (text: string, ink?: Parameters<typeof paint>[1]): void => {
    if (stream.isTTY) stream.write('\r\u001b[K');
    stream.write(`${ink === undefined ? printable(text) : paint(text, ink, stream)}\n`);
    draw();
  };
  const draw = (): void => {
    const fold = foldNow();
    const [first, ...others] = fold.running;
    if (!stream.isTTY || first === undefined) return;
    const left = fold.secondsLeft();
    const { done, planned } = fold.counts;
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const text = `[${done}/${planned}] ${left === null ? '' : `${leftText(left)} left, `}now: ${fold.nameOf(first)}${more}`;
    stream.write(`\r\u001b[K${printableLine(text).slice(0, (stream.columns ?? 80) - 1)}`);
  };
  return (event) => {
    const fold = foldNow();
    switch (event.kind) {
      case 'sweep-begun':
        if (event.done.length > 0) line(resumedText(fold.counts));
        // Visits that are added begin anew.
        clearInterval(ticker);
        if (stream.isTTY) ticker = setInterval(draw, 1000);
        return;
      case 'cell-started':
        return draw();
      case 'level-proved':
        return;
      case 'cell-finished': {
        const { done, planned } = fold.counts;
        const count = String(done).padStart(String(planned).length);
        const ink = event.status === 'failed' ? 'failed' : undefined;
        line(`[${count}/${planned}] ${fold.nameOf(event.id)}: ${outcomeText(event)}`, ink);
        for (const mark of groupAlike(event.marks)) line(`  flagged: ${mark}`, 'warning');
        finishedHere += 1;
        const left = fold.secondsLeft() ?? 0;
        // The first cell alone pays for what later ones find done.
        if (finishedHere === TELLING && left > 0) line(`predict: about ${leftText(left)} left, by ${TELLING} cells.`);
        return;
      }
      case 'cell-retried':
        return line(retriedText(event, fold.nameOf(event.id)), 'warning');
      case 'cell-given-up':
        return line(`given up: ${fold.nameOf(event.id)}`, 'failed');
      case 'visits-added':
        return line(addedText(event));
      case 'in-parallel':
        return line(`predict: ${inParallelText(event)}`);
      case 'note':
        return line(`predict: ${event.text}`);
      case 'sweep-ended':
        clearInterval(ticker);
        if (stream.isTTY) stream.write('\r\u001b[K');
        return;
      default:
        return assertNever(event);
    }
  };
}

function resumedText({ done, planned }: LiveFold['counts']): string {
  return `${done} of ${planned} cells are already measured; resuming with the rest.`;
}

/** So many cells say how long the others take. */
const TELLING = 2;
