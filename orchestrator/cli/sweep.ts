import { badInput, infrastructure, PredictError, parseCount, parsePercent, parseSeconds } from '../../base/index.ts';
import { type Cell, loadWorkload, parseSweep, type SweepTexts } from '../../experiments/index.ts';
import { loadInventory } from '../../inventory/index.ts';
import type { VisitAims } from '../more-visits.ts';
import { cellsText, planSweep, runSweep, type SweepResult } from '../sweep.ts';
import { given } from './flags.ts';
import { interruptible } from './interrupt.ts';
import { parseTarget } from './parse-target.ts';
import { left, note, print, printJson, printTable, right } from './print.ts';
import { createProgress, paramsText } from './progress.ts';

interface Flags extends SweepTexts {
  readonly inventory: string;
  readonly workload: string;
  readonly validate?: string;
  readonly out: string;
  readonly redis?: string;
  readonly lease: string;
  readonly cellTimeout: string;
  readonly precision?: string;
  readonly mostRoots?: string;
  readonly budget?: string;
  readonly target?: string;
  readonly repeats: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export async function sweepCommand(flags: Flags): Promise<void> {
  const parsed = parseSweep(flags);
  const inventory = loadInventory(flags.inventory);
  const validate = given(flags.validate, (text) => parseCount(text, '--validate'));
  const workload = await loadWorkload(flags.workload, { validate });
  const leaseS = parseSeconds(flags.lease, '--lease');
  const cellTimeoutS = parseSeconds(flags.cellTimeout, '--cell-timeout');
  const aims = parseAims(flags);
  const job = { sweep: parsed, workload, inventory, aims };
  const cells = planSweep(job);
  if (flags.dryRun) return flags.json ? printJson({ cells }) : showPlan(cells);
  const { out, redis } = flags;
  const onEvent = createProgress(cells);
  const { campaign: _, ...result } = await interruptible((signal) =>
    runSweep({ ...job, out, redis, leaseS, cellTimeoutS, signal, onEvent }),
  );
  const { failed } = result;
  if (flags.json) printJson(result);
  else print(`${result.done} of ${result.planned} cells measured, ${failed.length} failed: ${result.out}`);
  refuseIncomplete(result);
  if (!flags.json) note(`predict: next: predict fit ${out}, predict report ${out}`);
}

function parseAims({ repeats, precision, mostRoots, budget, target }: Flags): VisitAims {
  if (target !== undefined && budget === undefined) {
    throw badInput('--target says where the rest of a budget goes: give one with --budget, such as --budget 20min.');
  }
  if (mostRoots !== undefined && precision === undefined) {
    throw badInput('--most-roots bounds what a precision takes: give one with --precision, such as --precision 3%.');
  }
  return {
    repeats: parseCount(repeats, '--repeats'),
    precisionPercent: precision === undefined ? null : parsePercent(precision, '--precision'),
    mostRoots: mostRoots === undefined ? null : parseCount(mostRoots, '--most-roots'),
    budgetS: budget === undefined ? null : parseSeconds(budget, 'sweep --budget'),
    towards: target === undefined ? null : parseTarget(target),
  };
}

/** Cells without a record are an `infrastructure` error, those whose run failed a `workload` one. */
export function refuseIncomplete({ planned, done, unmeasured, failed }: Omit<SweepResult, 'campaign'>): void {
  if (done < planned) {
    const why = unmeasured[0]?.reason ?? 'it was not tried, because the queue lost it.';
    throw infrastructure(
      `${cellsText(planned - done)} could not be measured; the same command tries them again. The first: ${why}`,
    );
  }
  if (failed.length > 0) {
    const message = `The workload failed in ${cellsText(failed.length)}. The first: ${failed[0]?.reason}`;
    throw new PredictError(message, { kind: 'workload' });
  }
}

function showPlan(cells: readonly Cell[]): void {
  const told = left<Cell>('parameters', ({ params }) => (params === undefined ? '' : paramsText(params)));
  printTable(cells, [
    left('cell', ({ id }) => id),
    right('nodes', ({ nodes }) => nodes),
    right('ranks', ({ ranks }) => ranks),
    right('scale', ({ scale }) => scale),
    ...(cells.some(({ params }) => params !== undefined) ? [told] : []),
    right('bw %', ({ bw }) => bw),
    right('rep', ({ rep }) => rep),
    left('role', ({ role }) => role),
  ]);
  print(`${cells.length} cells`);
}
