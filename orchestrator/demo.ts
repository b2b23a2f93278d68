import { mean, median } from 'simple-statistics';
import type { HostPrograms } from '../agents/index.ts';
import { asBitsPerSecond, asPercent, asSeconds } from '../base/index.ts';
import { type Cell, observations, parseSweep, type SweepEvent, workloadOf } from '../experiments/index.ts';
import { loadInventory } from '../inventory/index.ts';
import { type LabSpec, labDown, labUp } from '../inventory/lab/index.ts';
import {
  bootstrap,
  type Ensemble,
  type ModelName,
  measurable,
  predict,
  rowsFrom,
  solveModel,
} from '../modeling/index.ts';
import { planSweep, runSweep } from './sweep.ts';
import { writeReport } from './write-report.ts';

/** What the demo measures. The smaller node counts are all that the models ever see. */
export const DEMO = {
  small: [4, 9],
  large: [16, 25],
  scale: 20,
  bw: '10,20,40',
  roots: 16,
  /** Searches validated per run; each one costs as much as several searches on hosts this slow. */
  validate: 2,
  cpuPercent: asPercent(6),
  linkBps: asBitsPerSecond(200e6),
  models: ['eq6', 'volume'],
} as const satisfies { readonly models: readonly ModelName[] } & Record<string, unknown>;

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
  // A lab of this name that is up already is not ours to end.
  const lab = await labUp(spec, programs);
  try {
    say(`predict: ${lab.hosts.length} hosts are up inside this machine.`);
    const inventory = loadInventory(lab.inventory);
    const workload = workloadOf({ kind: 'graph500', name: 'graph500', validate: DEMO.validate });
    const measure = (nodes: readonly number[]) => {
      const [scales, roots] = [String(DEMO.scale), String(DEMO.roots)];
      const sweep = parseSweep({ nodes: nodes.join(','), scales, bw: DEMO.bw, roots });
      const onEvent = progress(planSweep({ sweep, workload, inventory }));
      return runSweep({
        sweep,
        workload,
        inventory,
        out,
        leaseS: asSeconds(60),
        cellTimeoutS: asSeconds(300),
        signal,
        onEvent,
      });
    };
    say(`predict: measuring ${DEMO.small.join(' and ')} nodes ...`);
    await measure(DEMO.small);
    const fits = await fitSmall(out, inventory.ranksPerNode);
    say(`predict: models are fitted; now measuring ${DEMO.large.join(' and ')} nodes, which they have not seen ...`);
    await measure(DEMO.large);
    const predictions = await compare(out, fits);
    return {
      out,
      report: await writeReport(out),
      trainedOn: DEMO.small,
      predictions,
      medianErrorPercent: Object.fromEntries(
        DEMO.models.map((model) => [
          model,
          median(predictions.filter((row) => row.model === model).map((row) => Math.abs(row.errorPercent))),
        ]),
      ),
    };
  } finally {
    await labDown(spec.name);
  }
}

async function fitSmall(out: string, ranksPerNode: number): Promise<Ensemble[]> {
  const rows = rowsFrom(await observations(out));
  return DEMO.models.map((model) => bootstrap(solveModel(model, rows, { ranksPerNode, errors: 'relative' })));
}

/** Times in seconds: `measured` is the mean of a cell's searches, `interval` the 90 % one of what was going to be measured. */
async function compare(out: string, fits: readonly Ensemble[]) {
  const all = await observations(out);
  const bandwidths = [...new Set(all.map(({ bw }) => bw))];
  const { scale } = DEMO;
  const cells = DEMO.large.flatMap((nodes) => bandwidths.map((bw) => ({ nodes, scale, bw })));
  return fits.flatMap((ensemble) => {
    const { model, form } = ensemble.fit;
    const ranges = measurable(ensemble, (one) => cells.map((cell) => predict(one, cell)), DEMO.roots);
    return cells.flatMap((cell, index) => {
      const times = all.filter(({ nodes, bw }) => nodes === cell.nodes && bw === cell.bw).map(({ ct }) => ct);
      if (times.length === 0) return [];
      const measured = mean(times);
      const predicted = predict(ensemble.fit, cell);
      const { low = null, high = null } = ranges[index] ?? {};
      const errorPercent = (predicted / measured - 1) * 100;
      return [{ model, title: form.title, ...cell, predicted, interval: { low, high }, measured, errorPercent }];
    });
  });
}
