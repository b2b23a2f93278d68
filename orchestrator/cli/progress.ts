import { median } from 'simple-statistics';
import { formatSeconds } from '../../base/index.ts';
import type { Cell, CellRecord } from '../../experiments/index.ts';
import type { SweepProgress } from '../sweep.ts';

/** A cell as people name it. */
export function cellName({ nodes, scale, bw, rep, role }: Cell): string {
  return `${nodes} nodes, scale ${scale}, ${bw} %${role === 'drift' ? ' (baseline again)' : rep > 1 ? `, rep ${rep}` : ''}`;
}

/**
 * Live progress on stderr: on a terminal one line that is rewritten (cells done, time left, the current cell) below a line
 * per finished cell; elsewhere plain lines.
 */
export function createProgress(stream: NodeJS.WriteStream = process.stderr): SweepProgress {
  let total = 0;
  let done = 0;
  let current: Cell | undefined;
  let cells: readonly Cell[] = [];
  let ticker: NodeJS.Timeout | undefined;
  const measured = new Map<string, number>();
  const finished = new Set<string>();
  const width = String;

  const line = (text: string): void => {
    if (stream.isTTY) stream.write('\r\u001b[K');
    stream.write(`${text}\n`);
    draw();
  };
  const draw = (): void => {
    if (!stream.isTTY || current === undefined) return;
    const left = timeLeft(cells, finished, measured);
    const text = `[${done}/${total}] ${left === null ? '' : `${formatSeconds(Math.round(left))} left, `}now: ${cellName(current)}`;
    stream.write(`\r\u001b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
  };
  return {
    begin: (planned, before) => {
      cells = planned;
      total = planned.length;
      done = before.length;
      for (const { id } of before) finished.add(id);
      if (before.length > 0) line(`${done} of ${total} cells are measured already; going on with the rest.`);
      if (stream.isTTY) ticker = setInterval(draw, 1000);
    },
    start: (cell) => {
      current = cell;
      draw();
    },
    finish: (record) => {
      done += 1;
      finished.add(record.cell.id);
      measured.set(groupKey(record.cell), record.timing.totalMs / 1000);
      line(`[${width(done).padStart(width(total).length)}/${total}] ${cellName(record.cell)}: ${outcome(record)}`);
    },
    retry: (cell, attempt, reason) =>
      line(`try ${attempt} of ${cellName(cell)} is no measurement, trying again: ${reason}`),
    end: () => {
      clearInterval(ticker);
      current = undefined;
      if (stream.isTTY) stream.write('\r\u001b[K');
    },
  };
}

function outcome({ status, reason, runs, timing }: CellRecord): string {
  if (status === 'failed') return `failed: ${reason}`;
  return `median ${formatSeconds(median(runs.map(({ ct }) => ct)))} of ${runs.length} (${formatSeconds(timing.totalMs / 1000)} in all)`;
}

/** Seconds for the cells that are left: as long as the last one of the same size and bandwidth class took. */
function timeLeft(
  cells: readonly Cell[],
  finished: ReadonlySet<string>,
  measured: ReadonlyMap<string, number>,
): number | null {
  if (measured.size === 0) return null;
  const mean = [...measured.values()].reduce((sum, value) => sum + value, 0) / measured.size;
  return cells
    .filter(({ id }) => !finished.has(id))
    .reduce((sum, cell) => sum + (measured.get(groupKey(cell)) ?? mean), 0);
}

function groupKey({ nodes, scale, bw }: Cell): string {
  return `${nodes} ${scale} ${bw}`;
}
