import { joinWords } from '../../base/text.ts';
import { estimateText, sizeText } from '../../base/units.ts';
import { variableLabels } from '../../modeling/forms/predict.ts';
import { formatPercent, list, number, seconds, signedPercent } from '../format.ts';
import { type FitRow, shortTitle } from './fits.ts';
import type { Facts } from './page-facts.ts';

const DRIFT_PERCENT = 5;
/** A run with fewer samples of its hosts tells what held it up only roughly. */
const ENOUGH_SAMPLES = 3;

/** Why to read a part of the page with care, in one plain sentence; what it stands on where that is more than one thing. */
export interface Warning {
  readonly sentence: string;
  readonly details: readonly string[];
}

/** One doubt: in a few words for a list of several, and in full. */
interface Doubt {
  readonly words: string;
  readonly text: string;
  /** Whether the full text is for those who ask. */
  readonly isLong?: boolean;
}

/** What to be careful about, a sentence each: holes in the campaign, what disturbed the measurements, what the models cannot do. */
export function findWarnings(facts: Facts): Warning[] {
  return [
    ...together('This campaign is incomplete', incomplete(facts)),
    ...together('Treat small differences and small shares with caution', [
      ...(facts.marked === null ? [] : [{ words: disturbedWords(facts), text: facts.marked, isLong: true }]),
      ...drifted(facts),
      ...overRate(facts),
      ...coarse(facts),
    ]),
    ...together('Treat predictions for larger clusters with caution', [...disagreeing(facts), ...doubtful(facts.fits)]),
  ];
}

function together(lead: string, doubts: readonly Doubt[]): Warning[] {
  const [first] = doubts;
  if (first === undefined) return [];
  if (doubts.length === 1 && !first.isLong) return [{ sentence: first.text, details: [] }];
  const words = [...new Set(doubts.map((doubt) => doubt.words))];
  return [{ sentence: `${lead}: ${joinWords(words)}.`, details: doubts.map(({ text }) => text) }];
}

function disturbedWords({ markedCells, campaign: { cells } }: Facts): string {
  return `${number(markedCells)} of ${number(cells.done + cells.failed)} cells were disturbed`;
}

function incomplete({ campaign: { cells } }: Facts): Doubt[] {
  const { planned, done, failed } = cells;
  const open = planned - done - failed;
  const doubts: Doubt[] = [];
  if (failed > 0) {
    const text = `${number(failed)} of ${number(planned)} cells failed and are excluded from all figures.`;
    doubts.push({ words: `${number(failed)} cells failed`, text });
  }
  if (open > 0) {
    const text = `The campaign is not complete: ${number(open)} of ${number(planned)} cells have not run.`;
    doubts.push({ words: `${number(open)} cells have not run`, text });
  }
  return doubts;
}

/** A change that repetitions show too is none of the cluster's, and one of a few percent harms no answer. */
function drifted({ drift }: Facts): Doubt[] {
  const bracketed = drift.filter(({ later }) => later === 0);
  const large = bracketed.filter(
    ({ percent: change, isBeyondUsual }) => isBeyondUsual && Math.abs(change) > DRIFT_PERCENT,
  );
  const [worst] = [...large].sort((a, b) => Math.abs(b.percent) - Math.abs(a.percent));
  const open = drift.length - bracketed.length;
  const doubts: Doubt[] = [];
  if (worst !== undefined) {
    doubts.push({
      words: 'the machines drifted',
      text: `The baseline drifted by more than ${formatPercent(DRIFT_PERCENT)}, and by more than the noise between repetitions, in ${number(large.length)} of ${number(bracketed.length)} groups. The largest drift was ${signedPercent(worst.percent)} at ${number(worst.nodes)} nodes${sizeText(worst.scale, ', ', number)} (usual: ${signedPercent(worst.usualPercent)}). Smaller differences mean little there.`,
    });
  }
  if (open > 0) {
    doubts.push({
      words: 'drift is unknown in some groups',
      text: `In ${number(open)} of ${number(drift.length)} groups cells were retried after the last baseline run, so the drift there is unknown.`,
    });
  }
  return doubts;
}

function overRate({ throttle }: Facts): Doubt[] {
  return throttle
    .filter((row) => (row.maxAveragePercent ?? 0) > 100)
    .map((row) => ({
      words: 'hosts exceeded their rate',
      text: `At ${formatPercent(row.bw)} bandwidth a host's mean rate was above the set rate.`,
    }));
}

/** Runs too short for the samples of their hosts. */
function coarse({ why }: Facts): Doubt[] {
  const periods = (why?.runs ?? []).flatMap(({ sampling }) => sampling.map(({ intervalSeconds }) => intervalSeconds));
  if (why === null || periods.length === 0) return [];
  const period = Math.min(...periods);
  const short = why.rows.filter((row) => row.seconds < ENOUGH_SAMPLES * period);
  if (short.length === 0) return [];
  const least = Math.min(...short.map((row) => row.seconds));
  return [
    {
      words: 'samples are sparse',
      text: `In ${number(short.length)} of ${number(why.rows.length)} runs a ${why.noun} has fewer than ${ENOUGH_SAMPLES} samples per host (shortest ${least > 0 ? seconds(least) : 'under one time slice'}, sampled every ${seconds(period)}), so its bottlenecks are imprecise. Sample more often (sampling.hz in the inventory) or measure a larger scale.`,
    },
  ];
}

/** The parts of the time, each forecast by itself, against the model of the whole time. */
function disagreeing({ disagreement }: Facts): Doubt[] {
  if (disagreement === null) return [];
  const { nodes, sum, ct, low, high } = disagreement;
  return [
    {
      words: 'two forecasts disagree',
      text: `On ${number(nodes)} nodes the component forecasts add up to ${seconds(sum)}, but the model predicts ${estimateText({ value: ct, low, high }, seconds)}. These forecasts are left out.`,
    },
  ];
}

/** What a bound says, with all the models that it is about; then each model that does not fit. */
function doubtful(fits: readonly FitRow[]): Doubt[] {
  const aware = fits.filter(({ usesBandwidth }) => usesBandwidth);
  const atBound = AT_BOUND.flatMap(({ isAbout, text }) => {
    const about = aware.filter(isAbout).map(nameOf);
    return about.length === 0 ? [] : [{ words: 'one parameter is at its bound', text: `${list(about)}: ${text}` }];
  });
  const misspecified = aware
    .filter((fit) => fit.misspecified.length > 0)
    .map((fit) => ({
      words: 'one model does not fit',
      text: `${nameOf(fit)} is misspecified: its residuals depend on the ${list(fit.misspecified.map((one) => variableLabels[one]))}, so the true error is larger than the interval.`,
    }));
  return [...atBound, ...misspecified];
}

const AT_BOUND: readonly { readonly isAbout: (fit: FitRow) => boolean; readonly text: string }[] = [
  {
    isAbout: ({ alphaAtBound }) => alphaAtBound === 'lower',
    text: 'α is at its lower bound 1, so these cells show no effect of bandwidth.',
  },
  {
    isAbout: ({ alphaAtBound }) => alphaAtBound === 'upper',
    text: 'α is at its upper bound, so the effect of bandwidth is steeper than the model allows.',
  },
  {
    isAbout: ({ coefficients }) => coefficients.C1 === 0,
    text: 'C1 was fitted as 0, so the model attributes all time to communication.',
  },
];

function nameOf({ title, scale }: FitRow): string {
  return `${shortTitle(title)}${sizeText(scale ?? 0, ' at ', number)}`;
}
