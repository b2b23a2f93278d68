import { harmonicMean, mean, median, quantile } from 'simple-statistics';
import { at, groupBy } from '../../base/lists.ts';
import type { CellRecord, Observation } from '../../experiments/records.ts';
import type { TypicalTime } from '../../modeling/questions/typical-times.ts';
import { isAt } from './main-setting.ts';

export type CellRow = ReturnType<typeof cellRows>[number];
export type PointRow = ReturnType<typeof computePoints>[number];

/** Statistics per finished cell, in order of scale, nodes, bandwidth, repetition. */
export function cellRows(records: readonly CellRecord[]) {
  return records
    .filter((record) => record.status === 'ok' && record.runs.length > 0)
    .map(({ cell, runs }) => {
      const times = runs.map(({ ct }) => ct);
      return {
        ...cell,
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
 * in proportion as that of the typical time: by the scatter between visits. Null where too few visits tell it.
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
      meanCt,
      interval: off === null ? null : { low: meanCt / off, high: meanCt * off },
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
      return {
        bw,
        setBps: rateBps,
        maxAveragePercent: averages.length === 0 ? null : Math.max(...averages),
        meanAveragePercent: averages.length === 0 ? null : mean(averages),
        probeMinPercent: probes.length === 0 ? null : Math.min(...probes),
        probeMaxPercent: probes.length === 0 ? null : Math.max(...probes),
        cells: group.length,
      };
    })
    .sort((a, b) => a.bw - b.bw);
}

function tepsOf(values: readonly (number | null)[]): number | null {
  const rates = values.filter((value) => value !== null);
  return rates.length === 0 ? null : harmonicMean([...rates]);
}
