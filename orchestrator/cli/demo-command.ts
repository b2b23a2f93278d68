import { resolve } from 'node:path';
import type { HostPrograms } from '../../agents/host-programs.ts';
import { badInput } from '../../base/errors.ts';
import { asPercent, asSeconds, endsText, formatSeconds } from '../../base/units.ts';
import type { ChosenCell } from '../../experiments/parse-cells.ts';
import { isCampaign } from '../../experiments/store/campaign-folders.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { LAB_LINK, type LabSpec, labSpec } from '../../inventory/lab/spec.ts';
import { loadInventory } from '../../inventory/load-inventory.ts';
import { type AskedModel, solve } from '../../modeling/judge/compare-candidates.ts';
import { extrapolate } from '../../modeling/judge/predict-unseen.ts';
import { fromCampaign } from '../../modeling/questions/measurements.ts';
import { emulationText } from '../../report/content/emulation.ts';
import { planSweep, runSweep } from '../run-sweep.ts';
import { setUp } from '../setup/set-up.ts';
import { printAnswers } from './each-program.ts';
import type { Flags } from './flags.ts';
import { interruptible } from './interrupt.ts';
import { withOwnLab } from './lab.ts';
import { type Answer, left, note, print, printExactly, printTable, right } from './print.ts';
import { createProgress } from './progress.ts';
import { writeReport } from './report.ts';

/** What the demo measures. The smaller node counts are all that the models ever see. */
const DEMO = {
  small: [4, 9],
  large: [16, 25],
  scale: 20,
  levels: [10, 30, 100],
  /** Visits per cell, and searches in each. */
  visits: 2,
  roots: 3,
  /** Searches validated per visit; each one costs as much as several searches. */
  validate: 1,
  cpuPercent: asPercent(6),
  /** Visits go on until typical times are known so well, or a sweep has taken so long. */
  precisionPercent: 3,
  budgetS: { small: asSeconds(50), large: asSeconds(80) },
  /** The choice that is made without the larger node counts, and the paper's form. */
  models: ['auto', 'eq6'],
} as const satisfies { readonly models: readonly AskedModel[] } & Record<string, unknown>;

export async function demo({ out }: Flags<'out'>): Promise<Answer> {
  const started = performance.now();
  if (isCampaign(out)) {
    throw badInput(`${resolve(out)} already contains a campaign: choose another folder with --out, or remove it.`);
  }
  const { programs } = await setUp(note);
  const { large, cpuPercent } = DEMO;
  const spec = labSpec({ name: 'demo', hosts: Math.max(...large), cpuPercent, linkBps: LAB_LINK });
  const result = await interruptible((signal) => runDemo({ spec, programs, out: resolve(out), signal }));
  const seconds = (performance.now() - started) / 1000;
  return { json: { ...result, seconds: Math.round(seconds) }, say: () => printDemo(result, seconds) };
}

interface DemoOptions {
  readonly spec: LabSpec;
  readonly programs: HostPrograms;
  readonly out: string;
  readonly signal: AbortSignal;
}

/**
 * The main job on a lab: measures the smaller node counts, fits, writes the predictions down, and only then measures the
 * larger ones and compares. The lab is gone afterwards, however it ends.
 */
export async function runDemo({ spec, programs, out, signal }: DemoOptions) {
  const { hosts, cpuPercent, linkBps } = spec;
  const emulation = emulationText({ hosts, cores: cpuPercent / 100, lineRateBps: linkBps });
  return withOwnLab(spec, programs, async (lab) => {
    note(`predict: the cluster is running. ${emulation}`);
    const inventory = loadInventory(lab.inventory);
    const workload = workloadOf({ kind: 'graph500', name: 'graph500', validate: DEMO.validate });
    const { precisionPercent, models } = DEMO;
    const measure = (which: 'small' | 'large') => {
      const sweep = parseSweep({ cells: cellsOf(DEMO[which]), roots: DEMO.roots });
      const onEvent = createProgress(planSweep({ sweep, workload, inventory }));
      const aims = { repeats: 1, precisionPercent, mostRoots: null, budgetS: DEMO.budgetS[which], towards: null };
      const times = { leaseS: asSeconds(60), cellTimeoutS: asSeconds(300) };
      return runSweep({ sweep, workload, inventory, aims, out, ...times, signal, onEvent });
    };
    note(`predict: measuring ${DEMO.small.join(' and ')} nodes ...`);
    await measure('small');
    const { rows, ranksPerNode, campaign } = fromCampaign(await openCampaign(out));
    const options = { ranksPerNode, errors: 'relative', traffic: (await campaign?.traffic()) ?? [] } as const;
    const fits = models.map((model) => ({ model, solved: solve(model, rows, options) }));
    const others = DEMO.large.join(' and ');
    note(`predict: models are fitted; now measuring ${others} nodes, which were not used for the fits ...`);
    await measure('large');
    const open = await openCampaign(out);
    const { unseen } = fromCampaign(open, { trainNodes: DEMO.small });
    const tests = fits.map(({ model, solved }) => ({ model, ...extrapolate(solved, unseen, {}) }));
    return {
      out,
      emulation,
      ...(await writeReport(open)),
      trainedOn: DEMO.small,
      predictions: tests.flatMap(({ model, fit, cells }) =>
        cells.map((cell) => ({ model, title: fit.form.title, ...cell })),
      ),
      medianErrorPercent: Object.fromEntries(tests.map((test) => [test.model, test.medianErrorPercent])),
      insidePercent: Object.fromEntries(tests.map((test) => [test.model, test.insidePercent])),
    };
  });
}

/** All levels of each size in one start, as often as there are visits: a baseline at the end would take a start of its own. */
function cellsOf(sizes: readonly number[]): ChosenCell[] {
  const { scale, levels, visits } = DEMO;
  const reps = Array.from({ length: visits }, (_, index) => index + 1);
  return sizes.flatMap((nodes) => levels.flatMap((bw) => reps.map((rep) => ({ nodes, scale, bw, rep }))));
}

function printDemo(result: Awaited<ReturnType<typeof runDemo>>, seconds: number): void {
  print(`\n${result.emulation}`);
  print(`\nPredicted from ${result.trainedOn.join(' and ')} nodes only, then measured:\n`);
  printTable(result.predictions, [
    left('model', ({ model, title }) => (model === 'auto' ? model : title)),
    right('nodes', ({ nodes }) => nodes),
    right('scale', ({ scale }) => scale),
    right('bw %', ({ bw }) => bw),
    right('predicted', ({ predicted }) => formatSeconds(predicted)),
    left('90 % interval', ({ interval }) => (interval ? endsText(interval, formatSeconds) : '')),
    right('measured', ({ measured }) => formatSeconds(measured)),
    right('error', ({ errorPercent }) => `${errorPercent > 0 ? '+' : ''}${errorPercent.toFixed(1)} %`),
  ]);
  print('');
  for (const [model, error] of Object.entries(result.medianErrorPercent)) {
    const inside = result.insidePercent[model] ?? 0;
    print(`${model}: median error ${error.toFixed(1)} %, ${inside.toFixed(0)} % of the cells inside their interval`);
  }
  const noise = result.answers?.trust.noisePercent ?? null;
  if (noise !== null) print(`a perfect model: median error ${noise.toFixed(1)} %, by how far repetitions differ`);
  print('');
  printAnswers(result.answers);
  printExactly(`Report: ${result.report}`);
  note(`predict: done in ${formatSeconds(seconds)}; the lab was removed.`);
}
