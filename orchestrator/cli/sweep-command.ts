import { badInput, infrastructure, PredictError } from '../../base/errors.ts';
import { withoutEnd } from '../../base/text.ts';
import { asSeconds } from '../../base/units.ts';
import { paramsText } from '../../experiments/cell-name.ts';
import { DEFAULT_SWEEP_S, refuseTooLarge } from '../../experiments/estimate.ts';
import { findPreset } from '../../experiments/presets.ts';
import type { Cell } from '../../experiments/records.ts';
import type { AskedFile } from '../../experiments/store/campaign.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { parseSweep, type Sweep, withChoices } from '../../experiments/sweep.ts';
import { loadWorkload } from '../../experiments/workloads/load-workload.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import type { VisitAims } from '../job.ts';
import { cellsText, missingText, planSweep, runSweep, type SweepResult } from '../run-sweep.ts';
import { given, parseTarget, refuseFlags, type Switches } from './flags.ts';
import { interruptible } from './interrupt.ts';
import { type Answer, left, note, print, printTable, right, scaleColumn } from './print.ts';
import { createProgress } from './progress.ts';
import { type Asked, type AskedFlags, readAsked } from './sweep-asked.ts';
import { estimateInCampaign, sweepEstimateText } from './sweep-outlook.ts';
import { sweepPlace } from './sweep-place.ts';
import { type Sizes, sweepSizes } from './sweep-sizes.ts';

const UNKNOWN_MEMORY =
  "predict: memoryPerNode in the inventory says what fits beforehand; without it the hosts are asked before the first cell, as by 'predict inventory check'.";

export async function sweepCommand(
  path: string | undefined,
  { dryRun, serve, json: _, ...flags }: AskedFlags & Switches<'dryRun'> & { readonly serve?: string | true },
): Promise<Answer> {
  const { asked, file, says: replaced } = readAsked(path, flags);
  const { out, redis, graphs, validate } = asked;
  if (asked.on !== undefined) {
    refuseFlags({ serve }, ['serve'], 'is about hosts of this machine: leave it out with --on.');
    return dryRun ? await plannedOnSites(asked) : await onSites(asked, file ?? undefined);
  }
  if (asked.priority !== undefined) throw badInput('--priority is of a campaign on sites: name them with --on.');
  const algorithms = asked.algorithms ?? given(asked.preset, findPreset)?.algorithms;
  const workload = await loadWorkload(asked.workload, { validate, graphs, algorithms });
  if (workload.choices !== null && asked.scales !== undefined) {
    throw badInput(`--scales: the graphs of ${asked.workload} have their own sizes: leave it out.`);
  }
  const place = sweepPlace(asked, hostsOf(asked));
  const sizes: Sizes = asked.preset === undefined ? sweepSizes(asked, workload, place) : { chosen: {}, says: null };
  const whole = { ...asked, ...sizes.chosen };
  const asks = parseAims(whole);
  // Visits that others disturbed are repeated as far as the time goes that the sizes were chosen for.
  const aims = sizes.isTimed === true ? { ...asks, budgetS: asks.budgetS ?? asSeconds(DEFAULT_SWEEP_S) } : asks;
  const jobOn = (inventory: Inventory) => {
    const sweep = withChoices(sweepOf(whole, workload, inventory), workload);
    return { sweep, workload, inventory, aims };
  };
  const cells = planSweep(jobOn(place.inventory));
  const chosen = sizes.says === null ? null : `${sizes.says} Campaign folder: ${out}.`;
  for (const fact of [replaced, place.says, chosen]) if (fact !== null) note(`predict: ${fact}`);
  const { estimate, memoryBytes } = await estimateInCampaign(cells, { workload, out, place });
  refuseTooLarge(estimate, memoryBytes);
  if (dryRun) {
    const say = (): void => {
      showPlan(cells);
      print(sweepEstimateText(estimate));
      if (estimate.memory !== null && memoryBytes === undefined) note(UNKNOWN_MEMORY);
    };
    return { json: { cells, estimate }, say };
  }
  const view = serve === undefined ? null : await openView(serve, out);
  const { campaign, ...result } = await interruptible((signal) =>
    place.use(signal, ({ inventory, term }) => {
      const job = { ...jobOn(inventory), file: file ?? undefined };
      const { preset: experiment } = job.sweep;
      const cellTimeoutS = experiment ? asSeconds(experiment.slaS) : (asked.cellTimeout ?? CELL_TIMEOUT);
      const planned = planSweep(job);
      view?.plan(planned);
      const show = createProgress(planned);
      const onEvent = (event: SweepEvent): void => {
        show(event);
        view?.take(event);
      };
      return runSweep({ ...job, out, redis, leaseS: asked.lease, cellTimeoutS, signal, onEvent, term });
    }),
  ).finally(() => view?.end());
  // Models are fitted over node counts.
  const isOneSize = new Set(campaign.cells.map(({ nodes }) => nodes)).size === 1;
  const isWhole = result.done === result.planned && result.failed.length === 0;
  const say = (): void => {
    print(`${countsText(result)}: ${result.out}`);
    if (isWhole)
      note(`predict: next: ${isOneSize ? '' : `predict model ${out}, `}predict why ${out}, predict report ${out}`);
  };
  return { json: result, say, after: () => refuseIncomplete(result) };
}

/** What the workers of sites measured. */
async function onSites(asked: Asked, file: AskedFile | undefined): Promise<Answer> {
  const { sweepOnSites } = await import('./sweep-on-sites.ts');
  const aims = parseAims({ ...asked, scales: parseSweep(asked).scales });
  const found = await sweepOnSites({ ...asked, aims, cellTimeout: asked.cellTimeout ?? CELL_TIMEOUT }, file);
  const sites = found.map(({ campaign: _, ...result }) => result);
  const say = (): void => {
    for (const result of sites) print(`${result.site}: ${countsText(result)}: ${result.out}`);
    if (sites.length > 1) note(`predict: next: predict report ${asked.out} --by site`);
  };
  const after = (): void => {
    for (const result of sites) refuseIncomplete(result);
  };
  return { json: { out: asked.out, sites }, say, after };
}

/** What the workers of sites would measure. */
async function plannedOnSites(asked: Asked): Promise<Answer> {
  const { planOnSites } = await import('./sweep-on-sites.ts');
  const sites = await planOnSites(asked);
  const say = (): void => {
    for (const { site, cells, workers, unserved } of sites) {
      print(`${site}: ${workers.length === 0 ? 'no worker responds' : workers.join(', ')}`);
      showPlan(cells);
      if (unserved !== null) print(unserved);
    }
  };
  return { json: { sites }, say };
}

/** The live view of the sweep, which is served before anything is done on hosts. */
async function openView(listen: string | true, out: string) {
  const [{ openSweepView }, { OPEN_LINK }] = await Promise.all([
    import('../live/sweep-view.ts'),
    import('./serve-command.ts'),
  ]);
  const view = await openSweepView({ listen, out, note });
  note(`predict: live view: ${view.link}`);
  if (view.isOpen) note(OPEN_LINK);
  return view;
}

/** Of a cell that is no part of a preset, and of one that is. */
const CELL_TIMEOUT = asSeconds(1800);
const SLA = asSeconds(3600);

/** How many hosts a sweep needs; undefined with a preset that takes all that there are. */
function hostsOf(asked: Asked): number | undefined {
  return asked.preset === undefined || asked.nodes !== undefined ? Math.max(...parseSweep(asked).nodes) : undefined;
}

/** What was asked, what that leaves out as the preset has it. */
function sweepOf(asked: Asked, workload: Workload, inventory: Inventory): Sweep {
  const { preset: name, sla } = asked;
  if (name === undefined) {
    if (sla !== undefined) throw badInput('--sla is the longest makespan of a preset: name one with --preset.');
    return parseSweep({ ...asked, roots: asked.roots ?? workload.usualRuns });
  }
  if (workload.definition.kind !== 'graphalytics') {
    throw badInput(
      `--preset ${name} is an experiment of Graphalytics: add --workload graphalytics --graphs FOLDER,...`,
    );
  }
  if (asked.cellTimeout !== undefined) throw badInput('--cell-timeout: the time limit of a preset is its --sla.');
  const site = { graphs: workload.definition.graphs, hosts: inventory.hosts.length };
  const sweep = parseSweep({ bw: '100', roots: '1', ...findPreset(name).texts(site), ...asked });
  return { ...sweep, preset: { name, slaS: sla ?? SLA } };
}

function parseAims({ repeats, precision, mostRoots, budget, target, scales }: Asked): VisitAims {
  if (target !== undefined && budget === undefined) {
    throw badInput('--target says where the rest of a budget goes: give one with --budget, such as --budget 20min.');
  }
  if (mostRoots !== undefined && precision === undefined) {
    throw badInput('--most-roots bounds what a precision takes: give one with --precision, such as --precision 3%.');
  }
  return {
    repeats,
    precisionPercent: precision ?? null,
    mostRoots: mostRoots ?? null,
    budgetS: budget ?? null,
    towards: target === undefined ? null : parseTarget(target, scales ?? []),
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
