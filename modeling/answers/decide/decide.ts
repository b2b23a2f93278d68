import { at } from '../../../base/lists.ts';
import { EDGE_FACTOR } from '../../../experiments/workloads/graph500.ts';
import { usesBandwidth } from '../../forms/form.ts';
import { predict } from '../../forms/predict.ts';
import { createAbstention } from '../../judge/abstain.ts';
import { type Ensemble, estimates, measurable } from '../../judge/ensemble.ts';
import type { Estimate } from '../../model-records.ts';
import { smallestAdmissible } from '../dominance.ts';
import { findNeededBandwidth } from '../needed-bandwidth.ts';
import { projectAll } from '../project.ts';
import { type Definition, findDiminishingReturn, speedup } from './diminishing.ts';

interface DecideOptions {
  readonly nodes: readonly number[];
  /** Percent. */
  readonly bw: readonly number[];
  readonly scales: readonly number[];
  readonly isAdmissible: (nodes: number) => boolean;
  /** Edges per vertex, null for programs without graphs: no GTEPS and no memory then. Default: Graph500's. */
  readonly edgeFactor?: number | null | undefined;
  /** Speedup and efficiency are relative to this node count, at the same bandwidth and scale. Default: the smallest fitted to. */
  readonly referenceNodes?: number | undefined;
  /** Time that doubling the nodes must save. Default 10. */
  readonly gainPercent?: number | undefined;
  /** Below it efficiency is too low. Default 50. */
  readonly efficiencyPercent?: number | undefined;
  /** Completion time (s) to stay under. */
  readonly deadline?: number | undefined;
  /** Price of one node for an hour, in any currency. */
  readonly price?: number | undefined;
  /** Searches (or runs) to pay for. Default 1. */
  readonly runs?: number | undefined;
  /** Completion time increment that a slower link may cost. Default 10. */
  readonly ctiPercent?: number | undefined;
  /** Rate of the full link, bit/s, where it is known. */
  readonly lineRateBps?: number | undefined;
  /** Left out, memory is not asked about; 40 bytes per edge by default. */
  readonly memory?:
    | { readonly bytesPerEdge?: number | undefined; readonly bytesPerNode?: number | undefined }
    | undefined;
}

type Settled = ReturnType<typeof settle>;

function settle(ensemble: Ensemble, options: DecideOptions) {
  const { fit } = ensemble;
  const { memory } = options;
  return {
    ...options,
    edgeFactor: options.edgeFactor === undefined ? EDGE_FACTOR : options.edgeFactor,
    referenceNodes: options.referenceNodes ?? at(fit.trainedOn.nodes, 0),
    gainPercent: options.gainPercent ?? 10,
    efficiencyPercent: options.efficiencyPercent ?? 50,
    runs: options.runs ?? 1,
    ctiPercent: options.ctiPercent ?? 10,
    // What a rank of the bundled Graph500 holds at its peak (docs/methods.md).
    memory: memory && { ...memory, bytesPerEdge: memory.bytesPerEdge ?? 40 },
  };
}

/** How often a cell of the rows was measured, on average: so often a projection's own measurement would be. */
export function repetitionsOf({ fit, cells }: Ensemble): number {
  return Math.max(1, Math.round(fit.rows / cells.length));
}

/** What a fit says to somebody who must decide. */
export type Decisions = ReturnType<typeof decide>;

/** Everything that a buyer asks of a fit, with intervals; `describeDecisions` says it in words. */
export function decide(ensemble: Ensemble, asked: DecideOptions) {
  const options = settle(ensemble, asked);
  const clusters = choices(ensemble, options);
  const answered = clusters.filter(({ abstains }) => abstains === null);
  const settings = options.scales.flatMap((scale) => options.bw.map((bw) => ({ scale, bw })));
  return {
    model: ensemble.fit.model,
    level: ensemble.level,
    referenceNodes: options.referenceNodes,
    options: clusters,
    diminishing: settings.flatMap((setting) => {
      const own = clusters.filter(({ scale, bw }) => scale === setting.scale && bw === setting.bw);
      return diminishing(ensemble, setting, { ...options, clusters: own });
    }),
    deadline: options.deadline === undefined || answered.length === 0 ? null : meetDeadline(answered, options.deadline),
    // Where there is no prediction, or none is believed, nothing else is said.
    linkRate:
      usesBandwidth(ensemble.fit.form) && ensemble.doubt === null
        ? options.scales.flatMap((scale) =>
            linkRates(ensemble, scale, {
              ...options,
              nodes: options.nodes.filter((count) =>
                answered.some((one) => one.nodes === count && one.scale === scale),
              ),
            }),
          )
        : [],
    memory: options.scales.flatMap((scale) => memoryFor(scale, options)),
  };
}

function choices(ensemble: Ensemble, options: Settled) {
  const { referenceNodes } = options;
  const targets = projectAll(ensemble, options);
  const measured = measurable(
    ensemble,
    (fit) => targets.map((target) => predict(fit, target)),
    repetitionsOf(ensemble),
  );
  const fast = estimates(ensemble, (fit) =>
    targets.map((target) => speedup(fit, target, { ...target, nodes: referenceNodes })),
  );
  return targets.map(({ nodes, bw, scale, ct, gteps, abstains }, index) => {
    const { low, high } = at(measured, index);
    const nodeHours = scaled(ct, (nodes * options.runs) / 3600);
    return {
      ...{ nodes, bw, scale, ct },
      // Wider than `ct` by what makes cells lie off the curve.
      measured: { low, high },
      gteps,
      speedup: at(fast, index),
      efficiencyPercent: scaled(at(fast, index), (100 * referenceNodes) / nodes),
      nodeHours,
      cost: options.price === undefined ? null : scaled(nodeHours, options.price),
      abstains,
    };
  });
}

function diminishing(
  ensemble: Ensemble,
  { scale, bw }: { readonly scale: number; readonly bw: number },
  {
    gainPercent,
    efficiencyPercent: least,
    referenceNodes,
    isAdmissible,
    clusters,
  }: Settled & { readonly clusters: ReturnType<typeof choices> },
) {
  const { terms } = ensemble.fit.form;
  const splits = ['processing', 'communication'].every((part) => terms.some((term) => term.part === part));
  const definitions: Definition[] = [
    ...(splits ? [{ kind: 'communication-dominates' as const }] : []),
    { kind: 'doubling-gains-less', percent: gainPercent },
    { kind: 'efficiency-below', percent: least, reference: { nodes: referenceNodes, bw, scale } },
    { kind: 'time-rises' },
  ];
  const found = estimates(ensemble, (fit) => definitions.map((one) => findDiminishingReturn(fit, one, { bw, scale })));
  const abstains = createAbstention(ensemble);
  // Where predictions end, nothing is said from there on.
  const open = clusters.filter((one) => one.abstains !== null);
  const end = open.length === 0 ? null : open.reduce((a, b) => (b.nodes < a.nodes ? b : a));
  const before = clusters.filter(({ nodes }) => end === null || nodes < end.nodes);
  const within = before.reduce((most, { nodes }) => Math.max(most, nodes), 0);
  const beyond = (count: number): string | null => (count > within ? (end?.abstains ?? null) : null);
  return definitions.map((definition, index) => {
    const nodes = at(found, index);
    const count = nodes.value ?? nodes.low;
    const where = count === null ? null : { nodes: count, bw, scale };
    const admissible = (count: number | null): number | null =>
      count === null ? null : smallestAdmissible(count, isAdmissible);
    return {
      definition: definition.kind,
      percent: 'percent' in definition ? definition.percent : null,
      scale,
      bw,
      nodes,
      // Why there is no prediction at that node count or from there on, and so nothing to say of it; null where there is one.
      abstains: ensemble.doubt ?? (where && (abstains(where) ?? beyond(where.nodes))),
      admissibleNodes: { value: admissible(nodes.value), low: admissible(nodes.low), high: admissible(nodes.high) },
    };
  });
}

/** Of the clusters asked about, at the largest scale, the smallest under the deadline and the cheapest; `sure` by the interval's upper end. */
function meetDeadline(clusters: ReturnType<typeof choices>, seconds: number) {
  const scale = Math.max(...clusters.map((one) => one.scale));
  const all = clusters.filter((one) => one.scale === scale);
  const pick = (ok: (one: (typeof all)[number]) => boolean, rank: 'nodes' | 'nodeHours') => {
    const cost = (one: (typeof all)[number]): number =>
      rank === 'nodes' ? one.nodes : (one.nodeHours.value ?? Infinity);
    const [best] = all.filter(ok).sort((a, b) => cost(a) - cost(b) || a.bw - b.bw || a.nodes - b.nodes);
    return best ? { nodes: best.nodes, bw: best.bw, scale: best.scale, ct: best.ct, nodeHours: best.nodeHours } : null;
  };
  const likely = (one: (typeof all)[number]): boolean => (one.ct.value ?? Infinity) <= seconds;
  const sure = (one: (typeof all)[number]): boolean => (one.ct.high ?? Infinity) <= seconds;
  return {
    seconds,
    smallest: pick(likely, 'nodes'),
    smallestSure: pick(sure, 'nodes'),
    cheapest: pick(likely, 'nodeHours'),
    cheapestSure: pick(sure, 'nodeHours'),
  };
}

function linkRates(ensemble: Ensemble, scale: number, { nodes, ctiPercent, lineRateBps }: Settled) {
  const asked = nodes.filter(
    (count) => !ensemble.fit.form.fixed.includes('nodes') || ensemble.fit.trainedOn.nodes.includes(count),
  );
  return asked.flatMap((count) => {
    const needed = findNeededBandwidth(ensemble, ensemble.cells, { nodes: count, scale, ctiPercent });
    if (needed === null) return [];
    const { bw, atMost, lowest } = needed;
    const rateBps = lineRateBps === undefined ? null : scaled(bw, lineRateBps / 100);
    return [{ nodes: count, scale, ctiPercent, bw, atMost, lowest, rateBps }];
  });
}

function memoryFor(scale: number, { edgeFactor, memory, nodes, isAdmissible }: Settled) {
  if (!memory || edgeFactor === null) return [];
  const { bytesPerEdge, bytesPerNode } = memory;
  const totalBytes = edgeFactor * 2 ** scale * bytesPerEdge;
  const least =
    bytesPerNode === undefined
      ? null
      : smallestAdmissible(Math.max(1, Math.ceil(totalBytes / bytesPerNode)), isAdmissible);
  return [
    {
      scale,
      bytesPerEdge,
      totalBytes,
      bytesPerNode: bytesPerNode ?? null,
      smallestNodes: least,
      tooSmall: least === null ? [] : nodes.filter((count) => count < least),
    },
  ];
}

function scaled({ value, low, high }: Estimate, factor: number): Estimate {
  const times = (one: number | null): number | null => (one === null ? null : one * factor);
  return { value: times(value), low: times(low), high: times(high) };
}
