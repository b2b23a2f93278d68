import { attempt } from '../../base/errors.ts';
import { ascending, at, groupBy } from '../../base/lists.ts';
import { quote, quoteAll } from '../../base/shell.ts';
import { joinWords } from '../../base/text.ts';
import { formatSeconds, nodesText, sizeText } from '../../base/units.ts';
import { isLatency } from '../../experiments/latency.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { programOf } from '../../experiments/store/programs.ts';
import { smallestAdmissible } from '../../modeling/answers/dominance.ts';
import { chooseNextCells } from '../../modeling/questions/next-cells.ts';
import type { Answers } from './answers-schema.ts';
import type { AnswerBasis } from './basis.ts';

type Next = Answers['next'];
type NextCell = Next['cells'][number] & { readonly rep?: number };

/** Of the cells to measure next, as many as people read. */
const NEXT_CELLS = 3;
/** The next cells may cost as much as this share of the campaign did. */
const NEXT_SHARE = 0.5;
/** Cells that leave more of the standard error than this tell little. */
const LITTLE = 0.95;
/** A longer list of cells is no command to paste. */
const MOST_LISTED = 12;
/** Percent: shows what bandwidth is worth where only the full link was measured. */
const LOWER_BW = 20;

/** What to measure next, what that takes, and the command. */
export function answerNext(basis: AnswerBasis): Next {
  const { verdict, short, sentence, detail = null, seconds = null, cells } = chooseNext(basis);
  return {
    ...{ question: 'What to measure next?', verdict, short, sentence, detail, seconds },
    cells: cells.map(({ nodes, scale, bw }) => ({ nodes, scale, bw })),
    command: cells.length === 0 || cells.length > MOST_LISTED ? null : suggestSweep(cells, basis),
  };
}

interface Chosen extends Pick<Next, 'verdict' | 'short' | 'sentence'>, Partial<Pick<Next, 'detail' | 'seconds'>> {
  readonly cells: readonly NextCell[];
}

/** First what is missing, then what no model can do without, then what a model advises. */
function chooseNext(basis: AnswerBasis): Chosen {
  const { planned, records, program } = basis;
  const done = new Set(records.map(({ cell }) => cell.id));
  const own = planned.cells.filter(
    (cell) => cell.role !== 'profile' && (program === null || programOf(planned, cell) === program),
  );
  const cells = own.filter(({ id }) => !done.has(id));
  if (cells.length > 0 && records.length < own.length) {
    const short = `${cells.length} cell${cells.length === 1 ? '' : 's'}`;
    const sentence = `First the ${short} of this campaign that ${cells.length === 1 ? 'has' : 'have'} not run: rerun the same sweep.`;
    return { verdict: 'finish', short, sentence, cells };
  }
  return (
    lackingCells(basis) ??
    chooseByModel(basis) ?? {
      ...{ verdict: 'measure', short: 'repetitions', cells: mainCells(basis, own) },
      sentence: 'Repeat the same cells: no model describes them, and repetitions separate noise from trend.',
    }
  );
}

function chooseByModel(basis: AnswerBasis): Chosen | null {
  const advised = advisedCells(basis);
  if (advised === null) return null;
  const { cells, seconds, standardErrorLeft, target, isLarger, elsewhere } = advised;
  if (cells.length === 0) {
    const sentence = 'Nothing more: no run on the hosts of this campaign would narrow what is predicted.';
    return { verdict: 'nothing', short: 'nothing', sentence, cells };
  }
  const time = formatSeconds(Math.max(1, Math.round(seconds)));
  const runs = `${cells.length} run${cells.length === 1 ? '' : 's'}`;
  const where = isLarger ? 'on a larger cluster' : 'on the hosts of this campaign';
  return {
    ...{ verdict: 'measure', short: `${runs}, ${time}`, cells, seconds },
    sentence: `${runs} ${where} (about ${time} in all): ${configurationsText(cells)}.`,
    detail: `This should reduce the uncertainty of the prediction for ${nodesText(target.nodes)} at ${target.bw} % bandwidth by ${gainOf(standardErrorLeft)}.${elsewhere}`,
  };
}

/** What no model can do without: a third cluster size, and a second bandwidth. */
function lackingCells({ points, setting, isAdmissible }: AnswerBasis): Chosen | null {
  const sizes = ascending(points.map(({ nodes }) => nodes));
  const few = sizes.length < 3;
  const full = new Set(points.map(({ bw }) => bw)).size < 2;
  if (setting === null || !(few || full)) return null;
  const wanted = [...sizes];
  while (few && wanted.length < 3) {
    const next = smallestAdmissible(2 * at(wanted, wanted.length - 1), isAdmissible);
    if (next === null) break;
    wanted.push(next);
  }
  const parts = [...(few ? ['at least three cluster sizes'] : []), ...(full ? ['a bandwidth below 100 %'] : [])];
  const why = few ? 'no prediction can be tested otherwise' : 'what bandwidth is worth is not known otherwise';
  const { scale, bw } = setting;
  return {
    verdict: 'measure',
    short: few ? 'more sizes' : 'less bandwidth',
    sentence: `Measure ${joinWords(parts)}: ${why}.`,
    cells: [
      ...wanted.filter((nodes) => !sizes.includes(nodes)).map((nodes) => ({ nodes, scale, bw })),
      ...(full ? wanted.map((nodes) => ({ nodes, scale, bw: Math.min(LOWER_BW, bw / 2) })) : []),
    ],
  };
}

/** The configurations of the largest scale at the most bandwidth, each as the repetition after those that were planned. */
function mainCells({ points, setting }: AnswerBasis, planned: readonly Required<NextCell>[]): readonly NextCell[] {
  return points
    .filter(({ scale, bw }) => scale === setting?.scale && bw === setting.bw)
    .map(({ nodes, scale, bw }) => {
      const own = planned.filter((cell) => cell.nodes === nodes && cell.scale === scale && cell.bw === bw);
      return { nodes, scale, bw, rep: Math.max(0, ...own.map(({ rep }) => rep)) + 1 };
    });
}

/** By the model: cells that narrow its farthest prediction most, on these hosts or, where those tell little, on a larger cluster. */
function advisedCells({ model, setting, isAdmissible, planned, records }: AnswerBasis) {
  if (model.ensemble === null || setting === null) return null;
  const { solved } = model.choice;
  const farthest = Math.max(...model.predictions.map(({ nodes }) => nodes));
  const spent = records.reduce((sum, { cell, timing }) => sum + (cell.nodes * timing.totalMs) / 3.6e6, 0);
  const advise = (budgetNodeHours: number, most: number, nodes?: readonly number[]) =>
    attempt(() => {
      const { cells, target } = chooseNextCells({ isAdmissible, campaign: { campaign: planned, records } }, solved, {
        target: { ...setting, nodes: farthest },
        budgetNodeHours,
        nodes,
        scales: [setting.scale],
        // Every record tells what its cell took beside its runs.
        overheadS: 0,
        replicates: 20,
      });
      const first = cells.slice(0, most);
      const seconds = first.reduce((sum, one) => sum + (one.nodeHours / one.nodes) * 3600, 0);
      return { cells: first, seconds, standardErrorLeft: first.at(-1)?.standardErrorLeft ?? 1, target };
    });
  const here = advise(spent * NEXT_SHARE, NEXT_CELLS);
  if (here === null) return null;
  const beyond = smallestAdmissible(Math.round(Math.sqrt(farthest * setting.nodes)), isAdmissible);
  const larger = beyond !== null && beyond > setting.nodes ? advise(Number.MAX_VALUE, 1, [beyond]) : null;
  const tells = larger !== null && larger.cells.length > 0 && larger.standardErrorLeft < here.standardErrorLeft;
  if (!tells || beyond === null) return { ...here, isLarger: false, elsewhere: '' };
  if (here.standardErrorLeft > LITTLE) {
    const elsewhere = ` The best runs on the hosts of this campaign reduce it by ${gainOf(here.standardErrorLeft)}.`;
    return { ...larger, isLarger: true, elsewhere };
  }
  const elsewhere = ` One run on ${nodesText(beyond)} would reduce it by ${gainOf(larger.standardErrorLeft)}.`;
  return { ...here, isLarger: false, elsewhere };
}

function configurationsText(cells: readonly NextCell[]): string {
  return groupBy(cells, ({ nodes, scale, bw }) => `${nodes} ${scale} ${bw}`)
    .map((group) => {
      const { nodes, scale, bw } = at(group, 0);
      const times = group.length > 1 ? `, ${group.length} times` : '';
      return `${nodesText(nodes)} at ${bw} % bandwidth${sizeText(scale)}${times}`;
    })
    .join('; ');
}

function gainOf(standardErrorLeft: number): string {
  return `${Math.round((1 - standardErrorLeft) * 100)} %`;
}

/** Where cells are to be measured; null stands for what does not exist yet. */
interface SweepPlace extends Pick<AnswerBasis, 'records' | 'dir'> {
  readonly planned: Campaign | null;
  /** Default: the campaign's own. */
  readonly roots?: number;
}

/** The sweep of these cells in a campaign, whose runs all have the same parameters. */
export function suggestSweep(cells: readonly NextCell[], { planned, records, dir, roots }: SweepPlace): string {
  const searches = roots ?? planned?.sweep.roots;
  const flags = [
    ...(planned === null ? [] : workloadFlags(planned, records)),
    ...(searches === undefined ? [] : ['--roots', `${searches}`]),
  ];
  const list = cells.map(({ nodes, scale, bw, rep }) =>
    [nodes, scale, bw, ...(rep === undefined ? [] : [rep])].join(':'),
  );
  const out = dir === null ? 'CAMPAIGN' : quote(dir);
  const told = flags.length === 0 ? '' : ` ${quoteAll(flags)}`;
  return `predict sweep --inventory INVENTORY${told} --out ${out} --cells ${list.join(',')}`;
}

function workloadFlags({ sweep, workload }: Campaign, records: readonly CellRecord[]): string[] {
  const validate =
    'validate' in workload && workload.validate !== undefined ? ['--validate', `${workload.validate}`] : [];
  const { params: told = {} } = records[0]?.cell ?? {};
  const params = Object.entries(told).flatMap(([name, value]) =>
    isLatency(name, value) ? ['--latency', `${value}ms`] : ['--param', `${name}=${value}`],
  );
  return ['--workload', sweep.workload, ...validate, ...params, '--seed', `${sweep.seed}`];
}
