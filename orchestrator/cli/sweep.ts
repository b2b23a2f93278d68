import {
  asSeconds,
  badInput,
  infrastructure,
  PredictError,
  parseCount,
  parsePercent,
  parseSeconds,
  shortened,
  withoutEnd,
} from '../../base/index.ts';
import {
  type Cell,
  DEFAULT_SWEEP_S,
  loadWorkload,
  parseSweep,
  presetOf,
  refuseTooLarge,
  type Sweep,
  type SweepTexts,
  type Workload,
  withChoices,
} from '../../experiments/index.ts';
import type { Inventory } from '../../inventory/index.ts';
import type { VisitAims } from '../more-visits.ts';
import { cellsText, missingText, planSweep, runSweep, type SweepResult } from '../sweep.ts';
import { given } from './flags.ts';
import { interruptible } from './interrupt.ts';
import { parseScales } from './parse-question.ts';
import { parseTarget } from './parse-target.ts';
import { left, note, print, printJson, printTable, right, scaleColumn } from './print.ts';
import { createProgress, paramsText } from './progress.ts';
import { estimateOf, estimateText, smallestMemory } from './sweep-estimate.ts';
import { type PlaceFlags, sweepPlace } from './sweep-place.ts';
import { sweepSizes } from './sweep-sizes.ts';

interface Flags extends SweepTexts, PlaceFlags {
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

const UNKNOWN_MEMORY =
  "predict: memoryPerNode in the inventory says what fits beforehand; without it the hosts are asked before the first cell, as by 'predict inventory check'.";

export async function sweepCommand(asked: Flags): Promise<void> {
  const validate = given(asked.validate, (text) => parseCount(text, '--validate'));
  const preset = given(asked.preset, presetOf);
  const [graphs, algorithms] = [given(asked.graphs, listOf), given(asked.algorithms, listOf) ?? preset?.algorithms];
  const workload = await loadWorkload(asked.workload, { validate, graphs, algorithms });
  if (workload.choices !== null && asked.scales !== undefined) {
    throw badInput(`--scales: the graphs of ${asked.workload} have their own sizes: leave it out.`);
  }
  const place = sweepPlace(asked, hostsOf(asked));
  const { says: sizes, ...chosen } = preset ? { says: null } : sweepSizes(asked, workload, place);
  const flags = { ...asked, ...chosen };
  const leaseS = parseSeconds(flags.lease, '--lease');
  const limitS = parseSeconds(flags.cellTimeout ?? '30m', '--cell-timeout');
  const asks = parseAims(flags);
  // Visits that others disturbed are repeated as far as the time goes that the sizes were chosen for.
  const aims = sizes === null ? asks : { ...asks, budgetS: asks.budgetS ?? asSeconds(DEFAULT_SWEEP_S) };
  const jobOn = (inventory: Inventory) => {
    const sweep = withChoices(sweepOf(flags, workload, inventory), workload);
    return { sweep, workload, inventory, aims };
  };
  const cells = planSweep(jobOn(place.inventory));
  const { out, redis } = flags;
  const facts = [place.says, sizes === null ? null : `${sizes} Campaign folder: ${out}.`];
  for (const fact of facts) if (fact !== null) note(`predict: ${fact}`);
  const estimate = await estimateOf(cells, { workload, out, emulated: place.emulated });
  const memoryBytes = place.memoryBytes ?? (await smallestMemory(out));
  refuseTooLarge(estimate, memoryBytes);
  if (flags.dryRun) {
    if (flags.json) return printJson({ cells, estimate });
    showPlan(cells);
    print(estimateText(estimate));
    if (estimate.memory !== null && memoryBytes === undefined) note(UNKNOWN_MEMORY);
    return;
  }
  const { campaign, ...result } = await interruptible((signal) =>
    place.use(signal, ({ inventory, term }) => {
      const job = jobOn(inventory);
      const { preset: experiment } = job.sweep;
      const cellTimeoutS = experiment ? asSeconds(experiment.slaS) : limitS;
      const onEvent = createProgress(planSweep(job));
      return runSweep({ ...job, out, redis, leaseS, cellTimeoutS, signal, onEvent, term });
    }),
  );
  if (flags.json) printJson(result);
  else print(`${countsText(result)}: ${result.out}`);
  refuseIncomplete(result);
  // Forms are compared over node counts.
  const isOneSize = new Set(campaign.cells.map(({ nodes }) => nodes)).size === 1;
  if (!flags.json) note(`predict: next: ${isOneSize ? '' : `predict compare ${out}, `}predict report ${out}`);
}

/** How many hosts a sweep needs; undefined with a preset, which takes all that there are. */
function hostsOf({ preset, nodes, cells, ...others }: Flags): number | undefined {
  if (preset !== undefined) return undefined;
  return Math.max(...parseSweep({ ...others, nodes, cells }).nodes);
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

function parseAims({ repeats, precision, mostRoots, budget, target, scales }: Flags): VisitAims {
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
    towards: target === undefined ? null : parseTarget(target, given(scales, parseScales) ?? []),
  };
}

/** Cells without a record are an `infrastructure` error, those whose run failed a `workload` one. */
export function refuseIncomplete(result: Omit<SweepResult, 'campaign'>): void {
  const { planned, done, unmeasured, failed } = result;
  if (done < planned) {
    const why = unmeasured[0] ? `The first: ${described(unmeasured[0])}` : 'The queue lost them.';
    throw infrastructure(`${missingText(result)}; the same command tries them again. ${why}`);
  }
  const [first] = failed;
  if (first) {
    const message = `The workload failed in ${cellsText(failed.length)}. The first: ${described(first)}`;
    throw new PredictError(message, { kind: 'workload' });
  }
}

function described({ reason, folder }: SweepResult['failed'][number]): string {
  return `${withoutEnd(reason, '. \t\r\n')}. What it printed is in ${folder}.`;
}

/** `3 of 9 cells measured, 0 failed`, and what became of the others. */
function countsText({ planned, done, failed, unmeasured }: Omit<SweepResult, 'campaign'>): string {
  const untried = planned - done - unmeasured.length;
  return [
    `${done - failed.length} of ${planned} cells measured, ${failed.length} failed`,
    ...(unmeasured.length > 0 ? [`${unmeasured.length} given up`] : []),
    ...(untried > 0 ? [`${untried} not tried`] : []),
  ].join(', ');
}

function showPlan(cells: readonly Cell[]): void {
  const told = left<Cell>('parameters', ({ params }) => (params === undefined ? '' : paramsText(params)));
  printTable(cells, [
    left('cell', ({ id }) => id),
    right('nodes', ({ nodes }) => nodes),
    right('ranks', ({ ranks }) => ranks),
    ...scaleColumn(cells, ({ scale }) => scale),
    ...(cells.some(({ params }) => params !== undefined) ? [told] : []),
    right('bw %', ({ bw }) => bw),
    right('rep', ({ rep }) => rep),
    left('role', ({ role }) => role),
  ]);
  print(`${cells.length} cells`);
}
