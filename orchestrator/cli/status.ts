import { at, groupBy, trimNumber } from '../../base/index.ts';
import { status as statusOf } from '../../experiments/index.ts';
import type { Switches } from './flags.ts';
import { print, printCareful, printFailed, printJson, printTable, right, scaleColumn } from './print.ts';
import { cellName } from './progress.ts';

export async function statusCommand(dir: string, { json }: Switches): Promise<void> {
  const state = await statusOf(dir);
  if (json) return printJson(state);
  const { name, cells, groups, failures, overhead, careful } = state;
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
  if (careful !== null) printCareful(careful);
  if (!overhead) return;
  const [perCell, cpu] = [overhead.perCellS, overhead.samplerCpuPercent].map(trimNumber);
  print(`Overhead: ${perCell} s per cell besides the workload; samplers used ${cpu} % of a core each`);
}
