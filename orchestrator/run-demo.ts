import type { HostPrograms } from '../agents/host-programs.ts';
import { asBitsPerSecond, asPercent, asSeconds } from '../base/units.ts';
import type { Cell } from '../experiments/records.ts';
import type { SweepEvent } from '../experiments/store/campaign-events.ts';
import { openCampaign } from '../experiments/store/open-campaign.ts';
import { parseSweep } from '../experiments/sweep.ts';
import { workloadOf } from '../experiments/workloads/adapters.ts';
import type { LabSpec } from '../inventory/lab/spec.ts';
import { loadInventory } from '../inventory/load-inventory.ts';
import { type AskedModel, solve } from '../modeling/judge/compare-candidates.ts';
import { extrapolate } from '../modeling/judge/predict-unseen.ts';
import { fromCampaign } from '../modeling/questions/measurements.ts';
import { withOwnLab } from './own-lab.ts';
import { planSweep, runSweep } from './run-sweep.ts';
import { writeReport } from './write-report.ts';

/** What the demo measures. The smaller node counts are all that the models ever see. */
export const DEMO = {
  small: [4, 9],
  large: [16, 25],
  scale: 21,
  bw: '10,30',
  /** Visits per cell, and searches in each. */
  reps: 2,
  roots: 6,
  /** Searches validated per visit; each one costs as much as several searches. */
  validate: 1,
  cpuPercent: asPercent(4),
  linkBps: asBitsPerSecond(200e6),
  /** Of the smaller node counts: tells what the machine did while the larger ones were measured. */
  anchor: 4,
  /** Visits go on until typical times are known so well, or a sweep has taken so long. */
  precisionPercent: 3,
  budgetS: { small: asSeconds(95), large: asSeconds(140) },
  /** The choice that is made without the larger node counts, and the paper's form. */
  models: ['auto', 'eq6'],
} as const satisfies { readonly models: readonly AskedModel[] } & Record<string, unknown>;

interface DemoOptions {
  readonly spec: LabSpec;
  readonly programs: HostPrograms;
  readonly out: string;
  readonly signal: AbortSignal;
  /** Makes the listener of a sweep that has these cells. */
  readonly progress: (cells: readonly Cell[]) => (event: SweepEvent) => void;
  readonly say: (text: string) => void;
}

/**
 * The main job on a lab: measures the smaller node counts, fits, writes the predictions down, and only then measures the
 * larger ones and compares. The lab is gone afterwards, however it ends.
 */
export async function runDemo({ spec, programs, out, signal, progress, say }: DemoOptions) {
  return withOwnLab(spec, programs, async (lab) => {
    say(`predict: ${lab.hosts.length} emulated hosts are running on this machine.`);
    const inventory = loadInventory(lab.inventory);
    const workload = workloadOf({ kind: 'graph500', name: 'graph500', validate: DEMO.validate });
    const { reps, roots, precisionPercent, models } = DEMO;
    const measure = (which: 'small' | 'large') => {
      const texts = { scales: String(DEMO.scale), reps: String(reps), roots: String(roots), bw: DEMO.bw };
      const planned = parseSweep({ ...texts, nodes: DEMO[which].join(',') });
      const sweep = which === 'small' ? planned : { ...planned, anchors: [DEMO.anchor] };
      const onEvent = progress(planSweep({ sweep, workload, inventory }));
      const aims = { repeats: 1, precisionPercent, mostRoots: null, budgetS: DEMO.budgetS[which], towards: null };
      const times = { leaseS: asSeconds(60), cellTimeoutS: asSeconds(300) };
      return runSweep({ sweep, workload, inventory, aims, out, ...times, signal, onEvent });
    };
    say(`predict: measuring ${DEMO.small.join(' and ')} nodes ...`);
    await measure('small');
    const { rows, ranksPerNode, campaign } = fromCampaign(await openCampaign(out));
    const options = { ranksPerNode, errors: 'relative', traffic: (await campaign?.traffic()) ?? [] } as const;
    const fits = models.map((model) => ({ model, solved: solve(model, rows, options) }));
    say(
      `predict: models are fitted; now measuring ${DEMO.large.join(' and ')} nodes, which were not used for the fits ...`,
    );
    await measure('large');
    const open = await openCampaign(out);
    const { unseen } = fromCampaign(open, { trainNodes: DEMO.small });
    const tests = fits.map(({ model, solved }) => ({ model, ...extrapolate(solved, unseen, {}) }));
    return {
      out,
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
