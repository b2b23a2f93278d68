import { NETWORK } from '../../analysis/across/takeover.ts';
import { joinWords } from '../../base/text.ts';
import { nodesText, roughly } from '../../base/units.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { listPrograms } from '../../experiments/store/programs.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import {
  findNeededBandwidth,
  type NeededBandwidth,
  neededBandwidthText,
} from '../../modeling/answers/needed-bandwidth.ts';
import { heldUp } from '../answers/answer-causes.ts';
import { ACCEPTED } from '../answers/bandwidth.ts';
import { fitBasis } from '../answers/basis.ts';
import { computeBenchmark } from './benchmark.ts';
import { buildReport, type ReportData } from './build-report.ts';
import { readReportInput } from './from-campaign.ts';
import type { ReportInput } from './page-facts.ts';

/** Node counts for which the bandwidth that a program needs is said. */
const ASKED_NODES = [25, 100];

/** What one program of a campaign needs of the link, by the models, to stay within an increment of its time. */
interface Need extends Omit<NeededBandwidth, 'measured'> {
  readonly nodes: number;
}

/** One program of a campaign of several: its whole report, and what the overview says of it. */
export type ProgramReport = ReturnType<typeof programReport>;

/** A campaign of several programs, side by side, in the order of their names. */
export type ProgramsData = Awaited<ReturnType<typeof buildPrograms>>;

/** Whether a campaign is told as several programs side by side: it has several, or its workload could have. */
export function hasPrograms(open: OpenCampaign): boolean {
  return workloadOf(open.campaign.workload).choices !== null || listPrograms(open).length > 1;
}

/** The report of each program of a campaign of several. Errors: those of the store. */
export async function buildPrograms(
  open: OpenCampaign,
  { generatedAt, title }: { readonly generatedAt: string; readonly title?: string | undefined },
) {
  const { campaign, records } = open;
  const programs: ProgramReport[] = [];
  for (const program of listPrograms(open)) {
    programs.push(programReport(program, await readReportInput(open, { generatedAt, program })));
  }
  const { cluster } = campaign.inventory;
  return {
    title: title ?? `How ${programs.length} programs of ${campaign.workload.name} scale on ${cluster}`,
    ...{ generatedAt, cluster, programs },
    // Which of them less bandwidth hurts first, and why; null where that cannot be said.
    first: starvesFirst(programs),
    // Null for workloads without such metrics.
    benchmark: computeBenchmark(campaign, records),
  };
}

function programReport(program: string, input: ReportInput) {
  const basis = fitBasis(input);
  const data = buildReport({ ...input, title: program }, basis);
  const { setting, model, rows, points } = basis;
  if (setting === null) throw new Error(`no measured cell of ${program}`);
  const { scale, nodes } = setting;
  const predicted = new Set(model.ensemble === null ? [] : model.predictions.map((one) => one.nodes));
  const needs = ASKED_NODES.filter((count) => predicted.has(count)).flatMap((count): Need[] => {
    const needed = findNeededBandwidth(model.ensemble, rows, { nodes: count, scale, ctiPercent: ACCEPTED });
    if (needed?.bw.value == null) return [];
    const { bw, atMost, lowest } = needed;
    return [{ nodes: count, bw, atMost, lowest }];
  });
  const own = points.filter((point) => point.scale === scale && point.nodes === nodes);
  const bw = Math.min(...own.map((point) => point.bw));
  const held = data.why === null ? [] : heldUp(data.why, { scale, nodes, bw });
  const networkPercent = held.find(({ name }) => name === NETWORK)?.percent ?? null;
  return {
    program,
    data,
    needs,
    // What the network holds up there at the lowest bandwidth by Grade10, percent of the time.
    starved: networkPercent === null ? null : { bw, networkPercent },
    sentence: sentenceOf(data, needs),
  };
}

function sentenceOf({ answers, campaign }: ReportData, needs: readonly Need[]): string {
  const { moreNodes, limit } = answers ?? { moreNodes: null, limit: null };
  return [moreNodes?.sentence, needsText(needs), limit?.sentence, campaign.rules ?? undefined]
    .filter((text) => text !== undefined)
    .join(' ');
}

function needsText(needs: readonly Need[]): string {
  if (needs.length === 0) return 'We cannot tell what bandwidth it needs on more nodes.';
  const parts = needs.map((need) => `${neededBandwidthText(need)} of the link on ${nodesText(need.nodes)}`);
  return `To stay within ${ACCEPTED} % of its time it needs ${joinWords(parts)}.`;
}

/** By the bandwidth that each needs on the first of the asked node counts. */
function starvesFirst(programs: readonly ProgramReport[]): string | null {
  const known = programs.flatMap(({ program, needs, starved }) => {
    const [need] = needs;
    return need?.bw.value == null ? [] : [{ program, need, value: need.bw.value, starved }];
  });
  const [first, ...others] = known.toSorted((a, b) => b.value - a.value);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return null;
  const why =
    first.starved === null
      ? ''
      : ` At ${first.starved.bw} % bandwidth it is bandwidth-bound for ${roughly(first.starved.networkPercent)} of its time (Grade10).`;
  return `${first.program} becomes bandwidth-bound first: on ${nodesText(first.need.nodes)} it needs ${neededBandwidthText(first.need)} of the link to stay within ${ACCEPTED} % of its time. ${last.program} needs least, ${roughly(last.value)}.${why}`;
}
