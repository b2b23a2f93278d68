import { componentNames } from '../../analysis/across/run-of-cell.ts';
import { explainCampaign, type GoodRuns, goodRuns, measurements } from '../../analysis/explain-campaign.ts';
import { componentLabel, costWords } from '../../analysis/sources/runs/summarise.ts';
import { at, last, own } from '../../base/lists.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { isAt, type Setting } from './main-setting.ts';
import { runPicture, type WhyRun } from './why-run.ts';

/** Of which program, and of which configuration alone; default: of the only program, and of all. */
export interface WitnessChoice {
  readonly program?: string | undefined;
  readonly at?: Setting | undefined;
}

/** The good runs that are asked about. */
export async function runsAt(open: OpenCampaign, { at, ...choice }: WitnessChoice): Promise<GoodRuns> {
  const good = await goodRuns(open, choice);
  if (at === undefined) return good;
  const isOne = isAt(at);
  return { ...good, records: good.records.filter(({ cell }) => isOne(cell)) };
}

/** Where the time of runs went, by the Grade10 method; seconds are per phase in focus (`noun`: a search). */
export type Why = NonNullable<Awaited<ReturnType<typeof readWhy>>>;

/**
 * Where the time of every measured run went, what the runs say together, and pictures of two of them: the largest cluster and
 * scale at full and at the lowest bandwidth. Null where nothing was sampled.
 */
export async function readWhy(open: OpenCampaign, choice: WitnessChoice = {}) {
  const good = await runsAt(open, choice);
  const wanted = choice.at === undefined ? pictured(measurements(good)) : [];
  const pictures: WhyRun[] = [];
  const explained = await explainCampaign(good, {
    of: (record) => wanted.includes(record),
    see: (run) => pictures.push(runPicture(run)),
  });
  if (explained === null) return null;
  const { platform, runs, skipped, findings, forecasts, takeovers } = explained;
  const names = componentNames(runs.map(({ run }) => run));
  return {
    noun: platform.noun,
    model: platform.name,
    findings,
    warnings: [...new Set([...runs.flatMap(({ warnings }) => warnings), ...skipped.map(({ reason }) => reason)])],
    components: names.map((name) => ({ name, label: componentLabel(name, platform) })),
    rows: runs
      .toSorted(({ cell: a }, { cell: b }) => b.scale - a.scale || a.nodes - b.nodes || b.bw - a.bw || a.rep - b.rep)
      .map(({ run: { nodes, scale, bw, seconds, components }, summary, isClipped }) => ({
        nodes,
        scale,
        bw,
        seconds,
        isClipped,
        // Seconds of each component, in their order.
        parts: names.map((name) => own(components, name) ?? 0),
        helps: summary.costs[0] === undefined ? '' : costWords(summary.costs[0], platform),
      })),
    forecasts,
    takeovers,
    runs: pictures.sort((a, b) => b.bw - a.bw),
  };
}

/** The first visits of the largest scale on the most nodes, at the highest and the lowest bandwidth. */
export function pictured<R extends Pick<CellRecord, 'cell'>>(records: readonly R[]): readonly R[] {
  const scale = Math.max(...records.map(({ cell }) => cell.scale));
  const most = Math.max(...records.filter(({ cell }) => cell.scale === scale).map(({ cell }) => cell.nodes));
  const own = records.filter(({ cell }) => cell.scale === scale && cell.nodes === most && cell.rep === 1);
  const order = own.toSorted((a, b) => b.cell.bw - a.cell.bw);
  return order.length < 2 ? order : [at(order, 0), last(order)];
}
