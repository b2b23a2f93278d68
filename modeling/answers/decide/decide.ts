import { at } from '../../../base/lists.ts';
import { EDGE_FACTOR } from '../../../experiments/workloads/graph500.ts';
import { usesBandwidth } from '../../forms/form.ts';
import { createAbstention } from '../../judge/abstain.ts';
import { type Ensemble, estimates } from '../../judge/ensemble.ts';
import { smallestAdmissible } from '../dominance.ts';
import { findNeededBandwidth } from '../needed-bandwidth.ts';
import { type Definition, findDiminishingReturn } from './diminishing.ts';
import { type ClustersAsked, referenceOf, scaled, type ToldCluster, tellClusters } from './tell-clusters.ts';

interface DecideOptions extends ClustersAsked {
  readonly isAdmissible: (nodes: number) => boolean;
  /** Time that doubling the nodes must save. Default 10. */
  readonly gainPercent?: number | undefined;
  /** Below it efficiency is too low. Default 50. */
  readonly efficiencyPercent?: number | undefined;
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
    referenceNodes: referenceOf(fit, options),
    gainPercent: options.gainPercent ?? 10,
    efficiencyPercent: options.efficiencyPercent ?? 50,
    ctiPercent: options.ctiPercent ?? 10,
    // What a rank of the bundled Graph500 holds at its peak (docs/methods.md).
    memory: memory && { ...memory, bytesPerEdge: memory.bytesPerEdge ?? 40 },
  };
}

/** What a fit says to somebody who must decide. */
export type Decisions = ReturnType<typeof decide>;

/** Everything that a buyer asks of a fit, with intervals; `describeDecisions` says it in words. */
export function decide(ensemble: Ensemble, asked: DecideOptions) {
  const options = settle(ensemble, asked);
  const clusters = tellClusters(ensemble, options);
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

function diminishing(
  ensemble: Ensemble,
  { scale, bw }: { readonly scale: number; readonly bw: number },
  {
    gainPercent,
    efficiencyPercent: least,
    referenceNodes,
    isAdmissible,
    clusters,
  }: Settled & { readonly clusters: readonly ToldCluster[] },
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
function meetDeadline(clusters: readonly ToldCluster[], seconds: number) {
  const scale = Math.max(...clusters.map((one) => one.scale));
  const all = clusters.filter((one) => one.scale === scale);
  const pick = (ok: (one: (typeof all)[number]) => boolean, rank: 'nodes' | 'nodeHours') => {
    const cost = (one: (typeof all)[number]): number =>
      rank === 'nodes' ? one.nodes : (one.nodeHours.value ?? Infinity);
    const [best] = all.filter(ok).sort((a, b) => cost(a) - cost(b) || a.bw - b.bw || a.nodes - b.nodes);
    if (best === undefined) return null;
    const { nodes, bw, scale, ct, nodeHours, cost: price } = best;
    return { nodes, bw, scale, ct, nodeHours, cost: price };
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
