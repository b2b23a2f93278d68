import { badInput, PredictError } from '../../base/errors.ts';
import { at, groupBy } from '../../base/lists.ts';
import { quote } from '../../base/shell.ts';
import { printableLine } from '../../base/text.ts';
import { formatSeconds, nodesText, sizeText, trimNumber } from '../../base/units.ts';
import { cellName } from '../../experiments/cell-name.ts';
import { checkCampaign, repairCampaign } from '../../experiments/store/check-campaign.ts';
import { inParallelText, leftText, provedText, standingText } from '../../experiments/store/event-text.ts';
import { FollowedCampaign } from '../../experiments/store/follow-campaign.ts';
import type { Configuration, LiveCell, LiveState } from '../../experiments/store/live-state.ts';
import { readStatus } from '../../experiments/store/status.ts';
import { controllerName } from '../hosts/controller-lock.ts';
import { refuseFlags, type Switches } from './flags.ts';
import { untilStopped } from './interrupt.ts';
import {
  type Answer,
  note,
  print,
  printCareful,
  printExactly,
  printFailed,
  printTable,
  right,
  scaleColumn,
} from './print.ts';
import { progressOf } from './progress.ts';
import { foldText, type TextColumn, tableLines } from './table-lines.ts';

/** How far a campaign is, or whether it is as it was measured. */
export async function statusCommand(
  dir: string,
  flags: Switches<'verify' | 'repair' | 'watch'>,
): Promise<Answer | undefined> {
  if (flags.watch) {
    refuseFlags(flags, ['verify', 'repair'], 'looks at files, --watch at a sweep: give one of them.');
    return void (await watchStatus(dir, { json: flags.json }));
  }
  if (flags.verify || flags.repair) return await check(dir, flags.repair === true);
  const state = await readStatus(dir);
  return { json: state, say: () => printStatus(state) };
}

function printStatus(state: Awaited<ReturnType<typeof readStatus>>): void {
  const { name, cells, groups, failures, overhead, careful, inParallel } = state;
  print(`${name}: ${cells.done} of ${cells.planned} cells done, ${cells.failed} failed`);
  printTable(groups, [
    right('nodes', ({ nodes }) => nodes),
    ...scaleColumn(groups, ({ scale }) => scale),
    right('planned', ({ planned }) => planned),
    right('done', ({ done }) => done),
    right('failed', ({ failed }) => failed),
  ]);
  for (const alike of groupBy(failures, ({ reason }) => reason)) {
    const { cell, kind, folder, reason } = at(alike, 0);
    const more = alike.length > 1 ? ` (and ${alike.length - 1} more)` : '';
    printFailed(`${kind}: ${cellName(cell)}${more}: ${reason} (${folder})`);
  }
  for (const size of inParallel) print(inParallelText(size));
  if (careful !== null) printCareful(careful);
  if (!overhead) return;
  const [perCell, cpu] = [overhead.perCellS, overhead.samplerCpuPercent].map(trimNumber);
  print(`Overhead: ${perCell} s per cell besides the workload; samplers used ${cpu} % of a core each`);
}

/** Exit 0 for a campaign that is whole, also after a repair; otherwise `badInput`. */
async function check(dir: string, repair: boolean): Promise<Answer> {
  const { problems, partials, moved } = repair
    ? await repairCampaign(dir, controllerName('status --repair'))
    : { ...(await checkCampaign(dir)), moved: [] };
  const whole = problems.length === 0;
  const listed = problems.map(({ path, cell, problem }) => ({ path, cell, problem }));
  const say = (): void => {
    for (const { from, to } of moved) print(`${from} was moved aside to ${to}`);
    for (const { path, problem } of problems) print(`${path} ${problem}`);
    for (const path of partials)
      note(`predict: ${path} is being written by a sweep, or was left by a killed one; the next sweep removes it.`);
    if (whole) print(`${dir} is intact.`);
  };
  const after = (): void => {
    if (whole) return;
    const fatal = problems.find(({ part }) => part === null);
    const advice = fatal
      ? `restore ${fatal.path} from a copy, or start a new folder`
      : `'predict status ${quote(dir)} --repair' moves it aside`;
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    throw badInput(`${dir} is damaged (${count}): ${advice}.`);
  };
  return { json: { whole, problems: listed, setAside: moved }, say, after };
}

/**
 * Shows a campaign until its sweep has ended: on a terminal redrawn in its place at each event, elsewhere a line for each, with --json
 * the state as a line. Errors: `interrupted`.
 */
async function watchStatus(dir: string, { json }: { readonly json: boolean | undefined }): Promise<void> {
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
