import { nodesText, sizeText } from '../../base/units.ts';
import type { Gate, Judged } from '../../modeling/judge/gate.ts';
import type { CampaignComparison, CellPlace, CommonCell } from '../../modeling/questions/compare-campaigns.ts';

/** What `compare --fail-above` decides, from which the terminal, JSON, JUnit and Markdown tell. */
export interface GateAnswer {
  readonly limitPercent: number;
  /** Whether what is undecided does not pass. */
  readonly strict: boolean;
  readonly passed: boolean;
  readonly mean: Judged;
  /** Smallest slowdowns that are found nine times of ten: of the mean, of the cells that are known best and least. */
  readonly seesPercent: { readonly mean: number; readonly bestCell: number; readonly worstCell: number };
  readonly above: readonly CommonCell[];
  readonly undecided: readonly CommonCell[];
}

/** A comparison of two campaigns and what was decided about it; `gate` is null where no limit was given. */
export interface ComparedCampaigns {
  readonly dir: string;
  readonly against: string;
  readonly comparison: CampaignComparison;
  readonly gate: GateAnswer | null;
}

export function decideGate(
  { mean, cells, limitPercent }: Gate<CommonCell>,
  { failed, strict }: { readonly failed: readonly CellPlace[]; readonly strict: boolean },
): GateAnswer {
  const which = (verdict: Judged['verdict']) =>
    cells.filter((cell) => cell.verdict === verdict).map(({ place }) => place);
  const [above, undecided] = [which('slower'), which('undecided')];
  const isSlow = mean.verdict === 'slower' || above.length > 0 || failed.length > 0;
  const isOpen = mean.verdict === 'undecided' || undecided.length > 0;
  const sees = cells.map(({ seesPercent }) => seesPercent);
  return {
    ...{ limitPercent, strict, passed: !isSlow && !(strict && isOpen), mean },
    seesPercent: { mean: mean.seesPercent, bestCell: Math.min(...sees), worstCell: Math.max(...sees) },
    ...{ above, undecided },
  };
}

/** What was decided of one cell. */
export function cellVerdict(cell: CommonCell, { above, undecided }: GateAnswer): Judged['verdict'] {
  if (above.includes(cell)) return 'slower';
  return undecided.includes(cell) ? 'undecided' : 'allowed';
}

/** What was decided of the mean. */
export function meanSentence({ mean, limitPercent }: GateAnswer): string {
  return `The mean changed by ${changeText(mean)}: ${describeGateVerdict(mean.verdict, limitPercent)}.`;
}

/** What the comparison can see at all. */
export function seesSentence({ seesPercent: { mean, bestCell, worstCell } }: GateAnswer): string {
  const [best, worst] = [slowdownText(bestCell), slowdownText(worstCell)];
  const cells =
    best === worst
      ? `${best} of a single configuration`
      : `of a single configuration ${best} where times are known best, ${worst} where they are known least`;
  return `Smallest slowdown that this comparison finds nine times of ten: ${slowdownText(mean)} of the mean; ${cells}.`;
}

/** `slower by more than 5 %`, as it may follow any ratio. */
export function describeGateVerdict(verdict: Judged['verdict'], limitPercent: number): string {
  const limit = `slower by more than ${limitPercent} %`;
  return { slower: limit, undecided: `it may be ${limit}`, allowed: `not ${limit}` }[verdict];
}

/** `+9.8 % (95 % confidence: at least +6.2 %, at most +13.1 %)`. */
function changeText({ value, low, high }: Pick<Judged, 'value' | 'low' | 'high'>): string {
  return `${formatChange(value)} (95 % confidence: at least ${formatChange(low)}, at most ${formatChange(high)})`;
}

/** A ratio as what it is above 1: `+9.8 %`. */
export function formatChange(ratio: number): string {
  const percent = (ratio - 1) * 100;
  const size = Math.abs(percent).toFixed(1);
  return `${percent < 0 && size !== '0.0' ? '-' : '+'}${percent > MOST_PERCENT ? MOST_PERCENT : size} %`;
}

/** More is no figure that anybody acts on. */
const MOST_PERCENT = 1000;

function slowdownText(percent: number): string {
  if (percent > MOST_PERCENT) return `more than ${MOST_PERCENT} %`;
  return `${percent.toFixed(percent < 99.5 ? 1 : 0)} %`;
}

/** `90 % interval`. */
export function levelText(level: number): string {
  return `${Number((level * 100).toPrecision(4))} % interval`;
}

/** `bfs, 4 nodes, scale 10, 50 %`. */
export function placeText({ program, nodes, scale, bw }: CellPlace): string {
  return `${program === '' ? '' : `${program}, `}${nodesText(nodes)}${sizeText(scale)}, ${bw} %`;
}
