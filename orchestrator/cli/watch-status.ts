import { PredictError } from '../../base/errors.ts';
import { printableLine } from '../../base/text.ts';
import { formatSeconds, nodesText, sizeText } from '../../base/units.ts';
import { cellName } from '../../experiments/cell-name.ts';
import { leftText, provedText, standingText } from '../../experiments/store/event-text.ts';
import { FollowedCampaign } from '../../experiments/store/follow-campaign.ts';
import type { Configuration, LiveCell, LiveState } from '../../experiments/store/live-state.ts';
import { untilStopped } from './interrupt.ts';
import { print, printExactly } from './print.ts';
import { progressOf } from './progress.ts';
import { foldText, type TextColumn, tableLines } from './table-lines.ts';

/**
 * Shows a campaign until its sweep has ended: on a terminal redrawn in its place at each event, elsewhere a line for each, with --json
 * the state as a line. Errors: `interrupted`.
 */
export async function watchStatus(dir: string, { json }: { readonly json: boolean | undefined }): Promise<void> {
  const followed = await FollowedCampaign.open(dir);
  const ended = new AbortController();
  const { stdout } = process;
  const redraws = stdout.isTTY && process.env.TERM !== 'dumb';
  const state = (): LiveState => followed.fold.state();
  const draw = drawn(stdout);
  const line = progressOf(() => followed.fold, stdout);
  const show = (): void => {
    if (json) printExactly(JSON.stringify(state()));
    else if (redraws) draw(state());
    else print(`${followed.fold.state().name}: ${standingText(state())}.`);
  };
  show();
  if (!followed.fold.isRunning) return;
  const stopped = await untilStopped(async (signal) => {
    signal.addEventListener('abort', () => ended.abort());
    await followed.follow((event) => {
      if (json || redraws || event === null) show();
      else line(event);
      if (!followed.fold.isRunning) ended.abort();
    }, ended.signal);
    return signal.aborted;
  });
  if (stopped) throw new PredictError('Interrupted: the sweep goes its way.', { kind: 'interrupted' });
  if (!json && !redraws) show();
}

type Screen = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>;

/** Draws each state in the place of the one before. */
function drawn(stream: Screen): (state: LiveState) => void {
  let lines = 0;
  return (state) => {
    const frame = stateLines(state, { columns: (stream.columns || 80) - 1, rows: (stream.rows || 24) - 1 });
    const back = lines === 0 ? '' : `\u001b[${lines}A\r\u001b[J`;
    stream.write(`${back}${frame.map((text) => `${text}\n`).join('')}`);
    lines = frame.length;
  };
}

const BAR = 40;

/** A state as so many lines of so many characters at most; what does not fit is left out from the end. */
export function stateLines(
  state: LiveState,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly string[] {
  const { name, reason, running, last, next, secondsLeft, endsAt, news } = state;
  const left =
    secondsLeft === null || endsAt === null
      ? ''
      : ` about ${leftText(secondsLeft)} left, until ${new Date(endsAt).toLocaleTimeString('en-GB')}`;
  const texts = [
    `${name}: ${standingText(state)}.`,
    ...(reason === null ? [] : [reason]),
    `${barOf(state)}${left}`,
    ...(running.length > 0 ? running.flatMap((cell) => cellLines('Now', cell)) : []),
    ...(running.length === 0 && last !== null ? cellLines('Last', last) : []),
    ...(next === null ? [] : [`Next: ${cellName(next)}`]),
  ];
  const notes = news.map(({ at, text }) => `${new Date(at).toLocaleTimeString('en-GB')} ${text}`);
  const fold = (text: string): readonly string[] => foldText(printableLine(text), columns).split('\n');
  return [...texts.flatMap(fold), '', ...tableLines(gridColumns(state), columns), '', ...notes.flatMap(fold)]
    .slice(0, Math.max(1, rows))
    .map((text) => text.slice(0, columns));
}

function barOf({ cells: { planned, done } }: LiveState): string {
  const filled = planned === 0 ? 0 : Math.floor((done / planned) * BAR);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`;
}

function cellLines(word: string, { cell, level }: LiveCell): readonly string[] {
  return [`${word}: ${cellName(cell)}`, ...(level === null ? [] : [`  ${provedText(level)}`])];
}

function gridColumns({ bandwidths, rows }: LiveState): readonly TextColumn[] {
  const sizes = rows.map(({ nodes, scale, told }) => `${nodesText(nodes)}${sizeText(scale)}${told && `, ${told}`}`);
  return [
    { pad: 'padEnd', texts: ['size', ...sizes].map(printableLine) },
    ...bandwidths.map((bw, column): TextColumn => {
      const texts = rows.map(({ configurations }) => configurationText(configurations[column] ?? null));
      return { pad: 'padStart', texts: [`${bw} %`, ...texts] };
    }),
  ];
}

/** `412 ms 2/3`; a running, flagged or failed one says so by a sign. */
function configurationText(one: Configuration | null): string {
  if (one === null) return '-';
  const sign = { running: '>', flagged: '!', failed: 'x', done: '', waiting: '' }[one.state];
  const time = one.medianS === null ? '' : `${formatSeconds(one.medianS)} `;
  return `${sign}${time}${one.done}/${one.planned}`;
}
