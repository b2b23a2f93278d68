import { harmonicMean, mean, median, quantile } from 'simple-statistics';
import { at, groupBy } from '../../base/lists.ts';
import { markNames, withMarks } from '../../experiments/marks.ts';
import type { Cell, CellRecord, Observation } from '../../experiments/records.ts';
import { studentQuantile } from '../../modeling/judge/distributions.ts';
import { logOf, poolScatter, type TypicalTime } from '../../modeling/questions/typical-times.ts';
import { isAt } from './main-setting.ts';

export type CellRow = ReturnType<typeof cellRows>[number];
export type PointRow = ReturnType<typeof computePoints>[number];

/** Statistics per finished cell, in order of scale, nodes, bandwidth, repetition. */
export function cellRows(records: readonly CellRecord[]) {
  return withMarks(records)
    .filter((record) => record.status === 'ok' && record.runs.length > 0)
    .map(({ cell, runs, marks }) => {
      const times = runs.map(({ ct }) => ct);
      return {
        ...cell,
        flags: markNames(marks),
        count: times.length,
        meanCt: mean(times),
        medianCt: median(times),
        minCt: Math.min(...times),
        maxCt: Math.max(...times),
        // Null where the workload reports no traversed edges.
        harmonicMeanTeps: tepsOf(runs.map(({ teps }) => teps)),
      };
    })
    .sort((a, b) => a.scale - b.scale || a.nodes - b.nodes || a.bw - b.bw || a.rep - b.rep);
}

/**
 * All repetitions of one setting together, with the increment against full bandwidth (Eq 4). `interval` is the mean's, 90 %, as wide
 * in proportion as that of the typical time: by the scatter between visits. Null where too few visits tell it. `noise` is one standard
 * error of it, relative.
 */
export function computePoints(
  rows: readonly Observation[],
  { cells, typical }: { readonly cells: readonly CellRow[]; readonly typical: readonly TypicalTime[] },
) {
  const points = groupBy(rows, (row) => `${row.scale} ${row.nodes} ${row.bw}`).map((group) => {
    const { nodes, scale, bw } = at(group, 0);
    const times = group.map((row) => row.ct);
    const isHere = isAt({ nodes, scale, bw });
    const own = cells.filter((cell) => cell.role === 'measure' && isHere(cell));
    const meanCt = mean(times);
    const known = typical.find(({ cell }) => isHere(cell));
    const off = known?.halfWidthPercent == null ? null : 1 + known.halfWidthPercent / 100;
    return {
      nodes,
      scale,
      bw,
      count: times.length,
      flagged: own.filter(({ flags }) => flags.length > 0).length,
      meanCt,
      interval: off === null ? null : { low: meanCt / off, high: meanCt * off },
      noise: known === undefined ? null : standardError(known.inLogs),
      q1Ct: quantile(times, 0.25),
      q3Ct: quantile(times, 0.75),
      harmonicMeanTeps: tepsOf(own.map((cell) => cell.harmonicMeanTeps)),
    };
  });
  const full = new Map(
    points.filter((point) => point.bw === 100).map((point) => [`${point.scale} ${point.nodes}`, point.meanCt]),
  );
  return points
    .map((point) => {
      const base = full.get(`${point.scale} ${point.nodes}`);
      return { ...point, ctiPercent: base === undefined ? null : ((point.meanCt - base) / base) * 100 };
    })
    .sort((a, b) => a.scale - b.scale || a.nodes - b.nodes || a.bw - b.bw);
}

function standardError({ visitScatter, visits }: TypicalTime['inLogs']): number | null {
  return visitScatter === null ? null : visitScatter.sd / Math.sqrt(visits);
}

export function listFailures(records: readonly CellRecord[]) {
  return records
    .filter((record) => record.status === 'failed')
    .map(({ cell: { nodes, scale, bw, rep }, reason }) => ({
      nodes,
      scale,
      bw,
      rep,
      reason: reason ?? 'no reason recorded',
    }));
}

/** What probes and counters say about each bandwidth, over all cells that ran at it; shares are percent of the set rate. */
export function summariseThrottle(records: readonly CellRecord[]) {
  const proofs = records.flatMap(({ status, proof }) => (status === 'ok' && proof ? [proof] : []));
  return groupBy(proofs, (proof) => String(proof.bw))
    .map((group) => {
      const { bw, rateBps } = at(group, 0);
      const share = (bps: number, rate: number): number => (bps / rate) * 100;
      const averages = group.flatMap((proof) => proof.classes.map((one) => share(one.averageBps, proof.rateBps)));
      const probes = group.flatMap((proof) =>
        proof.probes.flatMap((probe) => [share(probe.outBps, proof.rateBps), share(probe.inBps, proof.rateBps)]),
      );
      const roundTrips = group.flatMap(({ probes: ring }) => ring.flatMap(({ roundTripMs }) => roundTripMs ?? []));
      return {
        bw,
        setBps: rateBps,
        maxAveragePercent: averages.length === 0 ? null : Math.max(...averages),
        meanAveragePercent: averages.length === 0 ? null : mean(averages),
        probeMinPercent: probes.length === 0 ? null : Math.min(...probes),
        probeMaxPercent: probes.length === 0 ? null : Math.max(...probes),
        roundTripMs: roundTrips.length === 0 ? null : median([...roundTrips]),
        cells: group.length,
      };
    })
    .sort((a, b) => a.bw - b.bw);
}

function tepsOf(values: readonly (number | null)[]): number | null {
  const rates = values.filter((value) => value !== null);
  return rates.length === 0 ? null : harmonicMean([...rates]);
}

/** Of the interval within which an undisturbed repetition of a baseline lies. */
const LEVEL = 0.99;

/**
 * The baseline of each (nodes, scale) group against its repetition at the end, by the medians of their times, and what an
 * undisturbed repetition may differ by. That is the scatter between repetitions of one setting, all settings pooled; without
 * repetitions the scatter of a run's own searches stands for it, which is wider. Null where neither is known.
 */
export function computeDrift(records: readonly CellRecord[]) {
  const good = records.filter(({ status, runs }) => status === 'ok' && runs.length > 0);
  const noise = repetitionNoise(good) ?? poolScatter(good.map(({ runs }) => runs.map(({ ct }) => Math.log(ct))));
  return groupBy(good, ({ cell }) => groupOf(cell)).flatMap((group) => {
    const end = group.find(({ cell }) => cell.role === 'drift');
    if (end === undefined) return [];
    const { nodes, scale, bw } = end.cell;
    const measured = group.filter(({ cell }) => cell.role === 'measure');
    const starts = measured.filter(({ cell }) => cell.bw === bw);
    if (starts.length === 0) return [];
    const start = mean(starts.map(logOf));
    const change = logOf(end) - start;
    const usual = noise && studentQuantile(noise.freedom, LEVEL) * noise.sd * Math.sqrt(1 + 1 / starts.length);
    return {
      ...{ nodes, scale, startCt: Math.exp(start), endCt: Math.exp(logOf(end)), percent: percentOf(change) },
      /** What an undisturbed repetition stays within. */
      usualPercent: usual === null ? null : percentOf(usual),
      isBeyondUsual: usual !== null && Math.abs(change) > usual,
      /** Cells of the group that had their first turn after the repetition, so that it does not stand at their end. */
      later: groupBy(measured, ({ cell }) => String(cell.bw)).filter((visits) =>
        visits.every(({ startedAt }) => startedAt > end.startedAt),
      ).length,
    };
  });
}

/** Of repetitions of one setting, all settings pooled. */
function repetitionNoise(records: readonly CellRecord[]) {
  const measured = records.filter(({ cell }) => cell.role === 'measure');
  const settings = groupBy(measured, ({ cell }) => JSON.stringify([groupOf(cell), cell.bw]));
  return poolScatter(settings.map((cells) => cells.map(logOf)));
}

function percentOf(change: number): number {
  return (Math.exp(change) - 1) * 100;
}

function groupOf({ nodes, scale, params }: Cell): string {
  return JSON.stringify([nodes, scale, Object.entries(params ?? {}).sort()]);
}
