import {
  asSeconds,
  badInput,
  infrastructure,
  PredictError,
  parseCount,
  parsePercent,
  parseSeconds,
  shortened,
} from '../../base/index.ts';
import {
  type Cell,
  loadWorkload,
  parseSweep,
  presetOf,
  type Sweep,
  type SweepTexts,
  type Workload,
  withChoices,
} from '../../experiments/index.ts';
import type { Inventory } from '../../inventory/index.ts';
import type { VisitAims } from '../more-visits.ts';
import { cellsText, planSweep, runSweep, type SweepResult } from '../sweep.ts';
import { given } from './flags.ts';
import { dryInventory, inAllocation, type SlurmFlags } from './in-allocation.ts';
import { interruptible } from './interrupt.ts';
import { parseTarget } from './parse-target.ts';
import { left, note, print, printJson, printTable, right } from './print.ts';
import { createProgress, paramsText } from './progress.ts';

interface Flags extends SweepTexts, SlurmFlags {
  readonly workload: string;
  readonly graphs?: string;
  readonly algorithms?: string;
  readonly validate?: string;
  readonly out: string;
  readonly redis?: string;
  readonly lease: string;
  readonly cellTimeout?: string;
  readonly preset?: string;
  readonly sla?: string;
  readonly precision?: string;
  readonly mostRoots?: string;
  readonly budget?: string;
  readonly target?: string;
  readonly repeats: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export async function sweepCommand(flags: Flags): Promise<void> {
  const validate = given(flags.validate, (text) => parseCount(text, '--validate'));
  const preset = given(flags.preset, presetOf);
  const [graphs, algorithms] = [given(flags.graphs, listOf), given(flags.algorithms, listOf) ?? preset?.algorithms];
  const workload = await loadWorkload(flags.workload, { validate, graphs, algorithms });
  if (workload.choices !== null && flags.scales !== undefined) {
    throw badInput(`--scales: the graphs of ${flags.workload} have their own sizes: leave it out.`);
  }
  const leaseS = parseSeconds(flags.lease, '--lease');
  const limitS = parseSeconds(flags.cellTimeout ?? '30m', '--cell-timeout');
  const aims = parseAims(flags);
  const { out, redis } = flags;
  const plannedOn = (inventory: Inventory) => {
    const sweep = withChoices(sweepOf(flags, workload, inventory), workload);
    return { sweep, workload, inventory, aims };
  };
  if (flags.dryRun) {
    const cells = planSweep(plannedOn(dryInventory(flags)));
    return flags.json ? printJson({ cells }) : showPlan(cells);
  }
  const result = await interruptible((signal) =>
    inAllocation(flags, signal, async ({ inventory, term }) => {
      const job = plannedOn(inventory);
      const { preset } = job.sweep;
      const cellTimeoutS = preset ? asSeconds(preset.slaS) : limitS;
      const onEvent = createProgress(planSweep(job));
      const { campaign: _, ...done } = await runSweep({
        ...job,
        out,
        redis,
        leaseS,
        cellTimeoutS,
        signal,
        onEvent,
        term,
      });
      return done;
    }),
  );
  const { failed } = result;
  if (flags.json) printJson(result);
  else print(`${result.done} of ${result.planned} cells measured, ${failed.length} failed: ${result.out}`);
  refuseIncomplete(result);
  if (!flags.json) note(`predict: next: predict compare ${out}, predict report ${out}`);
}

/** What the flags say, what they leave out as the preset has it. */
function sweepOf(flags: Flags, workload: Workload, inventory: Inventory): Sweep {
  const { preset: name, sla } = flags;
  if (name === undefined) {
    if (sla !== undefined) throw badInput('--sla is the longest makespan of a preset: name one with --preset.');
    return parseSweep({ ...flags, roots: flags.roots ?? String(workload.usualRuns) });
  }
  if (workload.definition.kind !== 'graphalytics') {
    throw badInput(
      `--preset ${name} is an experiment of Graphalytics: add --workload graphalytics --graphs FOLDER,...`,
    );
  }
  if (flags.cellTimeout !== undefined) throw badInput('--cell-timeout: the time limit of a preset is its --sla.');
  const site = { graphs: workload.definition.graphs, hosts: inventory.hosts.length };
  const texts = presetOf(name).texts(site);
  const said = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  const sweep = parseSweep({ bw: '100', roots: '1', ...texts, ...said });
  return { ...sweep, preset: { name, slaS: parseSeconds(sla ?? '1h', '--cell-timeout') } };
}

/** `a,b` -> its parts. */
function listOf(text: string): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.includes(''))
    throw badInput(`'${shortened(text)}' has an empty part: write names with commas between them.`);
  return parts;
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
