import { assertNever } from '../../base/errors.ts';
import { groupAlike, printable, printableLine } from '../../base/text.ts';
import { formatSeconds, nodesText, sizeText } from '../../base/units.ts';
import type { Cell } from '../../experiments/records.ts';
import type { InParallel, SweepEvent } from '../../experiments/store/campaign-events.ts';
import { paint } from './print.ts';

/** A cell as people name it. */
export function cellName({ nodes, scale, params, bw, rep, role, profile }: Cell): string {
  const told = params === undefined ? '' : `${paramsText(params)}, `;
  const visit = role === 'drift' ? ' (baseline again)' : rep > 1 ? `, rep ${rep}` : '';
  return `${nodesText(nodes)}${sizeText(scale)}, ${told}${bw} %${visit}${profile ? ` (profiled, ${profile.kind})` : ''}`;
}

/** `algorithm=bfs, threads=2`: what a workload is told beside the scale. */
export function paramsText(params: NonNullable<Cell['params']>): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

/**
 * Shows a sweep's events on stderr: on a terminal one line that is rewritten (cells done, time left, the current cell) below
 * a line per finished cell; elsewhere plain lines, with the time left once two cells tell it. `cells` is the plan that the events' ids belong to.
 */
export function createProgress(
  cells: readonly Cell[],
  stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'> = process.stderr,
): (event: SweepEvent) => void {
  const planned = new Map(cells.map((cell) => [cell.id, cell]));
  const finished = new Set<string>();
  /** Seconds that the last cell of each kind took. */
  const measured = new Map<string, number>();
  let finishedHere = 0;
  const running = new Running();
  let ticker: NodeJS.Timeout | undefined;

  const secondsLeft = (): number | null =>
    timeLeft([...planned.values()], { finished, measured, atOnce: running.size });
  const nameOf = (id: string): string => {
    const cell = planned.get(id);
    return cell ? cellName(cell) : id;
  };
  const line = (text: string, ink?: Parameters<typeof paint>[1]): void => {
    if (stream.isTTY) stream.write('\r\u001b[K');
    stream.write(`${ink === undefined ? printable(text) : paint(text, ink, stream)}\n`);
    draw();
  };
  const draw = (): void => {
    const { first } = running;
    if (!stream.isTTY || first === undefined) return;
    const left = secondsLeft();
    const text = `[${finished.size}/${planned.size}] ${left === null ? '' : `${roundSeconds(left)} left, `}now: ${nameOf(first)}${running.more}`;
    stream.write(`\r\u001b[K${printableLine(text).slice(0, (stream.columns ?? 80) - 1)}`);
  };
  return (event) => {
    switch (event.kind) {
      case 'sweep-begun':
        for (const id of event.done) finished.add(id);
        if (event.done.length > 0) line(resumedText(finished.size, cells.length));
        // Visits that are added begin anew.
        clearInterval(ticker);
        if (stream.isTTY) ticker = setInterval(draw, 1000);
        return;
      case 'cell-started':
        running.start(event.id);
        return draw();
      case 'cell-finished': {
        const cell = planned.get(event.id);
        finished.add(event.id);
        if (cell) measured.set(groupKey(cell), event.timing.totalMs / 1000);
        const count = String(finished.size).padStart(String(planned.size).length);
        const ink = event.status === 'failed' ? 'failed' : undefined;
        line(`[${count}/${planned.size}] ${nameOf(event.id)}: ${outcome(event)}`, ink);
        for (const mark of groupAlike(event.marks)) line(`  flagged: ${mark}`, 'warning');
        finishedHere += 1;
        const left = secondsLeft() ?? 0;
        running.end(event.id);
        // The first cell alone pays for what later ones find done.
        if (finishedHere === TELLING && left > 0)
          line(`predict: about ${roundSeconds(left)} left, by ${TELLING} cells.`);
        return;
      }
      case 'cell-retried':
        return line(retriedText(event, nameOf(event.id)), 'warning');
      case 'cell-given-up':
        running.end(event.id);
        return line(`given up: ${nameOf(event.id)}`, 'failed');
      case 'visits-added':
        for (const cell of event.cells) planned.set(cell.id, cell);
        return line(addedText(event));
      case 'in-parallel':
        return line(`predict: ${inParallelText(event)}`);
      case 'note':
        return line(`predict: ${event.text}`);
      case 'sweep-ended':
        clearInterval(ticker);
        running.clear();
        if (stream.isTTY) stream.write('\r\u001b[K');
        return;
      default:
        return assertNever(event);
    }
  };
}

function resumedText(done: number, planned: number): string {
  return `${done} of ${planned} cells are already measured; resuming with the rest.`;
}

function retriedText({ attempt, reason }: SweepEvent & { kind: 'cell-retried' }, name: string): string {
  return `attempt ${attempt} of ${name} was invalid, retrying: ${reason}`;
}

function addedText({ cells, why }: SweepEvent & { kind: 'visits-added' }): string {
  return `${cells.length} more ${cells.length === 1 ? 'repetition' : 'repetitions'}: ${why}.`;
}

/** What runs of a size took beside others, and what follows from it. */
export function inParallelText({ nodes, runs, percent, noisePercent, isAlone }: InParallel): string {
  const longer = `${Math.abs(percent).toFixed(1)} % ${percent < 0 ? 'shorter' : 'longer'}`;
  const noise = `${Math.abs(percent) > noisePercent ? 'beyond' : 'within'} noise (${noisePercent.toFixed(1)} %)`;
  const rest = isAlone ? 'the other runs of this size are measured alone' : 'runs of this size go in parallel';
  return `On ${nodesText(nodes)} ${runs} runs at once took ${longer} than one alone, ${noise}: ${rest}.`;
}

/** Cells that are measured at this moment; those that are over stay until another one starts. */
class Running {
  readonly #ids = new Set<string>();
  readonly #over = new Set<string>();

  get first(): string | undefined {
    return [...this.#ids][0];
  }

  get size(): number {
    return this.#ids.size;
  }

  get more(): string {
    return this.size > 1 ? ` and ${this.size - 1} more` : '';
  }

  start(id: string): void {
    for (const one of this.#over) this.#ids.delete(one);
    this.#over.clear();
    this.#ids.add(id);
  }

  end(id: string): void {
    this.#over.add(id);
  }

  clear(): void {
    this.#ids.clear();
  }
}

/** So many cells say how long the others take. */
const TELLING = 2;

function roundSeconds(seconds: number): string {
  return formatSeconds(Math.max(1, Math.round(seconds)));
}

function outcome({ status, reason, runs, medianS, timing }: SweepEvent & { kind: 'cell-finished' }): string {
  if (status === 'failed') return `failed: ${reason}`;
  const median = formatSeconds(medianS ?? Number.NaN);
  return `median ${median} of ${runs} (${formatSeconds(timing.totalMs / 1000)} in all)`;
}

/** Seconds for the cells that are left: what the last one of the same nodes, scale, parameters and bandwidth took, else the mean. */
function timeLeft(
  cells: readonly Cell[],
  {
    finished,
    measured,
    atOnce,
  }: {
    readonly finished: ReadonlySet<string>;
    readonly measured: ReadonlyMap<string, number>;
    readonly atOnce: number;
  },
): number | null {
  if (measured.size === 0) return null;
  const mean = [...measured.values()].reduce((sum, value) => sum + value, 0) / measured.size;
  const all = cells
    .filter(({ id }) => !finished.has(id))
    .reduce((sum, cell) => sum + (measured.get(groupKey(cell)) ?? mean), 0);
  return all / Math.max(atOnce, 1);
}

function groupKey({ nodes, scale, params, bw }: Cell): string {
  return `${nodes} ${scale} ${bw} ${params === undefined ? '' : paramsText(params)}`;
}
