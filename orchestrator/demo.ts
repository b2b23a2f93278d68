import type { HostPrograms } from '../agents/index.ts';
import { asBitsPerSecond, asPercent, asSeconds } from '../base/index.ts';
import { type Cell, observations, parseSweep, type SweepEvent, traffic, workloadOf } from '../experiments/index.ts';
import { loadInventory } from '../inventory/index.ts';
import { type LabSpec, labDown, labUp } from '../inventory/lab/index.ts';
import { type AskedModel, extrapolate, rowsFrom, solve } from '../modeling/index.ts';
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
    const seen: readonly number[] = DEMO.small;
    const unseen = rowsFrom((await observations(out)).filter(({ nodes }) => !seen.includes(nodes)));
    const tests = fits.map(({ model, solved }) => ({ model, ...extrapolate(solved, unseen, {}) }));
    return {
      out,
      ...(await writeReport(out)),
      trainedOn: DEMO.small,
      predictions: tests.flatMap(({ model, fit, cells }) =>
        cells.map((cell) => ({ model, title: fit.form.title, ...cell })),
      ),
      medianErrorPercent: Object.fromEntries(tests.map((test) => [test.model, test.medianErrorPercent])),
      insidePercent: Object.fromEntries(tests.map((test) => [test.model, test.insidePercent])),
    };
  } finally {
    await labDown(spec.name);
  }
}

async function fitSmall(out: string, ranksPerNode: number) {
  const rows = rowsFrom(await observations(out));
  const options = { ranksPerNode, errors: 'relative', traffic: await traffic(out) } as const;
  return DEMO.models.map((model) => ({ model, solved: solve(model, rows, options) }));
}
