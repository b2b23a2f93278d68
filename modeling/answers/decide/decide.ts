import { at } from '../../../base/index.ts';
import { usesBandwidth } from '../../forms/form.ts';
import { predict } from '../../forms/predict.ts';
import { type Ensemble, estimates, measurable } from '../../judge/ensemble.ts';
import type { Estimate, Fit } from '../../records.ts';
import { demand } from '../demand.ts';
import { smallestAdmissible } from '../dominance.ts';
import { project } from '../project.ts';
import { type Definition, diminishingReturn } from './diminishing.ts';
import { graphBytes, nodesForMemory } from './memory.ts';
import { efficiency, speedup } from './speedup.ts';

interface DecideOptions {
  readonly nodes: readonly number[];
  /** Percent. */
  readonly bw: readonly number[];
  readonly scales: readonly number[];
  readonly isAdmissible: (nodes: number) => boolean;
  /** Edges per vertex. Default 16. */
  readonly edgeFactor?: number | undefined;
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
  /** Repetitions of a measured cell, for the interval in which its mean would fall. Default: as many as the rows have. */
  readonly repetitions?: number | undefined;
}

type Settled = ReturnType<typeof settle>;

function settle({ fit, noise }: Ensemble, options: DecideOptions) {
  const { memory } = options;
  return {
    ...options,
    edgeFactor: options.edgeFactor ?? 16,
    referenceNodes: options.referenceNodes ?? at(fit.trainedOn.nodes, 0),
    gainPercent: options.gainPercent ?? 10,
    efficiencyPercent: options.efficiencyPercent ?? 50,
    runs: options.runs ?? 1,
    ctiPercent: options.ctiPercent ?? 10,
    repetitions: options.repetitions ?? Math.max(1, Math.round(fit.rows / noise.within.length)),
    // What a rank of the bundled Graph500 holds at its peak (docs/models.md).
    memory: memory && { ...memory, bytesPerEdge: memory.bytesPerEdge ?? 40 },
  };
}

/** What a fit says to somebody who must decide. */
export type Decisions = ReturnType<typeof decide>;

/** Everything that a buyer asks of a fit, with intervals; `sentencesOf` says it in words. */
export function decide(ensemble: Ensemble, asked: DecideOptions) {
  const options = settle(ensemble, asked);
  const settings = options.scales.flatMap((scale) => options.bw.map((bw) => ({ scale, bw })));
  return {
    model: ensemble.fit.model,
    level: ensemble.level,
    referenceNodes: options.referenceNodes,
    options: choices(ensemble, options),
    diminishing: settings.flatMap((setting) => diminishing(ensemble, setting, options)),
    deadline: options.deadline === undefined ? null : meetDeadline(ensemble, options, options.deadline),
    linkRate: usesBandwidth(ensemble.fit.form)
      ? options.scales.flatMap((scale) => linkRates(ensemble, scale, options))
      : [],
    memory: options.scales.flatMap((scale) => memoryFor(scale, options)),
  };
}

function choices(ensemble: Ensemble, options: Settled) {
  const targets = project(ensemble.fit, options);
  const column = (of: (fit: Fit, target: (typeof targets)[number]) => number): Estimate[] =>
    estimates(ensemble, (fit) => targets.map((target) => of(fit, target)));
  const relative = (target: (typeof targets)[number]) => ({ ...target, nodes: options.referenceNodes });
  const ct = column((fit, target) => predict(fit, target));
  const measured = measurable(ensemble, (fit) => targets.map((target) => predict(fit, target)), options.repetitions);
  const fast = column((fit, target) => speedup(fit, target, relative(target)));
  const worth = column((fit, target) => efficiency(fit, target, relative(target)));
  return targets.map(({ nodes, bw, scale }, index) => {
    const [time, run] = [at(ct, index), at(measured, index)];
    const nodeHours = scaled(time, (nodes * options.runs) / 3600);
    return {
      nodes,
      bw,
      scale,
      ct: time,
      // Wider than `ct` by what makes cells lie off the curve.
      measured: { low: run.low, high: run.high },
      gteps: inverse(time, (options.edgeFactor * 2 ** scale) / 1e9),
      speedup: at(fast, index),
      efficiency: at(worth, index),
      nodeHours,
      cost: options.price === undefined ? null : scaled(nodeHours, options.price),
    };
  });
}

function diminishing(
  ensemble: Ensemble,
  { scale, bw }: { readonly scale: number; readonly bw: number },
  { gainPercent, efficiencyPercent, referenceNodes, isAdmissible }: Settled,
) {
  const { terms } = ensemble.fit.form;
  const splits = ['processing', 'communication'].every((part) => terms.some((term) => term.part === part));
  const definitions: Definition[] = [
    ...(splits ? [{ kind: 'communication-dominates' as const }] : []),
    { kind: 'doubling-gains-less', percent: gainPercent },
    { kind: 'efficiency-below', percent: efficiencyPercent, reference: { nodes: referenceNodes, bw, scale } },
    { kind: 'time-rises' },
  ];
  const found = estimates(ensemble, (fit) => definitions.map((one) => diminishingReturn(fit, one, { bw, scale })));
  return definitions.map((definition, index) => {
    const nodes = at(found, index);
    const admissible = (count: number | null): number | null =>
      count === null ? null : smallestAdmissible(count, isAdmissible);
    return {
      definition: definition.kind,
      percent: 'percent' in definition ? definition.percent : null,
      scale,
      bw,
      nodes,
      admissibleNodes: { value: admissible(nodes.value), low: admissible(nodes.low), high: admissible(nodes.high) },
    };
  });
}

/** Of the choices asked about, the smallest cluster under the deadline and the cheapest; `sure` by the interval's upper end. */
function meetDeadline(ensemble: Ensemble, options: Settled, deadline: number) {
  const all = choices(ensemble, options);
  const pick = (ok: (one: (typeof all)[number]) => boolean, rank: 'nodes' | 'nodeHours') => {
    const cost = (one: (typeof all)[number]): number =>
      rank === 'nodes' ? one.nodes : (one.nodeHours.value ?? Infinity);
    const [best] = all.filter(ok).sort((a, b) => cost(a) - cost(b) || a.bw - b.bw || a.nodes - b.nodes);
    return best ? { nodes: best.nodes, bw: best.bw, scale: best.scale, ct: best.ct, nodeHours: best.nodeHours } : null;
  };
  const likely = (one: (typeof all)[number]): boolean => (one.ct.value ?? Infinity) <= deadline;
  const sure = (one: (typeof all)[number]): boolean => (one.ct.high ?? Infinity) <= deadline;
  return {
    seconds: deadline,
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
  const bw = estimates(ensemble, (fit) => asked.map((count) => demand(fit, { nodes: count, scale, ctiPercent }).bw));
  return asked.map((count, index) => {
    const share = at(bw, index);
    return {
      nodes: count,
      scale,
      ctiPercent,
      bw: share,
      rateBps: lineRateBps === undefined ? null : scaled(share, lineRateBps / 100),
    };
  });
}

function memoryFor(scale: number, { edgeFactor, memory, nodes, isAdmissible }: Settled) {
  if (!memory) return [];
  const { bytesPerEdge, bytesPerNode } = memory;
  const need = { scale, edgeFactor, bytesPerEdge };
  const least =
    bytesPerNode === undefined ? null : smallestAdmissible(nodesForMemory(need, bytesPerNode), isAdmissible);
  return [
    {
      scale,
      bytesPerEdge,
      totalBytes: graphBytes(need),
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

/** over / x: the interval's ends change places. */
function inverse({ value, low, high }: Estimate, over: number): Estimate {
  const under = (one: number | null): number | null => (one === null ? 0 : over / one);
  return { value: under(value), low: under(high), high: low === null ? null : under(low) };
}
