import { formatRate, formatSeconds, nodesText, trimNumber } from '../../base/units.ts';
import { PROBE_BAND } from '../../throttle/proof.ts';
import type { InParallel, ProvedLevel, SweepEvent } from './campaign-events.ts';
import type { LiveState } from './live-state.ts';

// What a sweep and its events say to people: the same words on stderr, on a terminal that follows, and on the live page.

/** `median 12.5 ms of 16 (4 s in all)`, or why the run failed. */
export function outcomeText({ status, reason, runs, medianS, timing }: SweepEvent & { kind: 'cell-finished' }): string {
  if (status === 'failed') return `failed: ${reason}`;
  const median = formatSeconds(medianS ?? Number.NaN);
  return `median ${median} of ${runs} (${formatSeconds(timing.totalMs / 1000)} in all)`;
}

export function retriedText({ attempt, reason }: SweepEvent & { kind: 'cell-retried' }, name: string): string {
  return `attempt ${attempt} of ${name} was invalid, retrying: ${reason}`;
}

export function addedText({ cells, why }: SweepEvent & { kind: 'visits-added' }): string {
  return `${cells.length} more ${cells.length === 1 ? 'repetition' : 'repetitions'}: ${why}.`;
}

/** What runs of a size took beside others, and what follows from it. */
export function inParallelText({ nodes, runs, percent, noisePercent, isAlone }: InParallel): string {
  const longer = `${Math.abs(percent).toFixed(1)} % ${percent < 0 ? 'shorter' : 'longer'}`;
  const noise = `${Math.abs(percent) > noisePercent ? 'beyond' : 'within'} noise (${noisePercent.toFixed(1)} %)`;
  const rest = isAlone ? 'the other runs of this size are measured alone' : 'runs of this size go in parallel';
  return `On ${nodesText(nodes)} ${runs} runs at once took ${longer} than one alone, ${noise}: ${rest}.`;
}

/** What was set, what the probes measured, and between what they have to be. Two sentences at most. */
export function provedText({ bw, rateBps, latencyMs, probes, isNew }: ProvedLevel): string {
  if (probes === null) return 'One host sends nothing, so no link was probed.';
  const { count, lowestBps, lowestHost, highestBps, roundTripMs } = probes;
  const percent = (bps: number): number => Math.round((bps / rateBps) * 100);
  const [low, high] = [PROBE_BAND.low, PROBE_BAND.high].map((share) => share * 100);
  const asked = bw < 100 ? `${formatRate(rateBps)} set; ${low} to ${high} % proves it` : 'the line rate, not throttled';
  const reached = `${formatRate(lowestBps)} (${lowestHost}) to ${formatRate(highestBps)}`;
  const [least, most] = [percent(lowestBps), percent(highestBps)];
  const share = `${least === most ? least : `${least} to ${most}`} % of ${asked}`;
  const trip =
    roundTripMs === undefined
      ? ''
      : ` Nine of ten small messages took at most ${trimNumber(roundTripMs)} ms there and back`;
  const added = latencyMs === undefined ? '' : `, of which ${2 * latencyMs} ms are added`;
  const when = isNew ? '' : 'Proved for an earlier cell, and still set: ';
  return `${when}${isNew ? 'Probes' : 'probes'} of ${count} hosts reached ${reached}: ${share}.${trip === '' ? '' : `${trip}${added}.`}`;
}

const STANDINGS: Readonly<Record<LiveState['sweep'], string>> = {
  none: 'No sweep has run yet',
  preparing: 'Preparing the hosts',
  running: 'Running',
  killed: 'Killed',
  complete: 'Complete',
  incomplete: 'Incomplete',
  interrupted: 'Interrupted',
  failed: 'Stopped',
};

/** `Running: 5 of 20 cells done, 1 failed`. */
export function standingText({ sweep, cells }: Pick<LiveState, 'sweep' | 'cells'>): string {
  const { planned, done, failed, unmeasured } = cells;
  if (planned === 0) return STANDINGS[sweep];
  const given = unmeasured === 0 ? '' : `, ${unmeasured} given up`;
  return `${STANDINGS[sweep]}: ${done} of ${planned} cells done, ${failed} failed${given}`;
}

/** Seconds that are left, as exactly as they are known. */
export function leftText(seconds: number): string {
  return formatSeconds(Math.max(1, Math.round(seconds)));
}
