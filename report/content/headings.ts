import { UNEXPLAINED } from '../../analysis/index.ts';
import { capital } from '../../base/index.ts';
import { heldUp } from '../answers/held-up.ts';
import type { Answers } from '../answers/schema.ts';
import { roughly } from '../answers/words.ts';
import type { Facts } from '../data.ts';
import { list, number, percent } from '../format.ts';
import { ALIKE, areAlike, measuredTime } from './alike.ts';
import { mainSetting, timeOver } from './time-over.ts';

/** What each section shows in this campaign; a neutral title where that is nothing in particular. */
export function headingsOf(facts: Facts, answers: Answers | null) {
  const error = answers?.trust.medianErrorPercent ?? null;
  return {
    scaling: capital(timeOver(facts.points)),
    bandwidth: slowdown(facts) ?? 'Effect of bandwidth',
    why: holding(facts) ?? 'Why: what limits a run',
    callStacks: facts.callStacks?.stops
      ? `Call stacks: ${facts.callStacks.stops} stops scaling`
      : 'Call stacks: where ranks were',
    models:
      error === null ? 'The models, and how far to trust them' : `Predictions had a median error of ${roughly(error)}`,
    projections: 'Predictions for larger clusters',
    throttle: throttled(facts) ?? 'Was the network throttled correctly?',
  };
}

function slowdown({ points, noun }: Facts): string | null {
  if (points.length === 0) return null;
  const { nodes, scale, bw } = mainSetting(points);
  const own = points.filter((point) => point.nodes === nodes && point.scale === scale).sort((a, b) => a.bw - b.bw);
  const [low, full] = [own[0], own.find((point) => point.bw === bw)];
  if (low === undefined || full === undefined || low === full) return null;
  const times = low.meanCt / full.meanCt;
  const where = `at ${percent(low.bw)} bandwidth`;
  if (!(times > 0 && Number.isFinite(times))) return null;
  if (times < ALIKE && times > 1 / ALIKE) return `A ${noun} takes hardly longer ${where}`;
  if (times < 1) return null;
  const within = areAlike(measuredTime(low), measuredTime(full)) ? ', within noise' : '';
  return `A ${noun} takes ${number(times)} times as long ${where}${within}`;
}

/** By Grade10, at the largest measured setting. */
function holding({ points, why }: Facts): string | null {
  if (why === null || points.length === 0) return null;
  const [most] = heldUp(why, mainSetting(points)).toSorted((a, b) => b.percent - a.percent);
  if (most === undefined || most.name === UNEXPLAINED) return null;
  return `Why: a ${why.noun} is limited by ${most.label} for ${percent(Math.round(most.percent))} of its time`;
}

function throttled({ throttle }: Facts): string | null {
  if (throttle.length === 0) return null;
  const over = throttle.filter(({ maxAveragePercent }) => (maxAveragePercent ?? 0) > 100);
  if (over.length > 0) return `At ${list(over.map(({ bw }) => bw))} % bandwidth a host used more than its limit`;
  return throttle.some(({ maxAveragePercent }) => maxAveragePercent === null)
    ? null
    : 'No host used more than its limit';
}
