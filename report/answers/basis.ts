import { attempt } from '../../base/errors.ts';
import { ascending, at } from '../../base/lists.ts';
import type { CellRecord, Observation } from '../../experiments/records.ts';
import { type Campaign, findAddedNodes } from '../../experiments/store/campaign.ts';
import { listObservations } from '../../experiments/store/observations.ts';
import { chooseTargetNodes } from '../../modeling/answers/dominance.ts';
import { predict } from '../../modeling/forms/predict.ts';
import type { TrafficPoint } from '../../modeling/forms/traffic-form.ts';
import { createAbstention, describeDoubt } from '../../modeling/judge/abstain.ts';
import { type Choice, chooseAmong } from '../../modeling/judge/compare-candidates.ts';
import { bootstrap, type Ensemble, estimates } from '../../modeling/judge/ensemble.ts';
import { leaveLargestOut } from '../../modeling/judge/predict-unseen.ts';
import type { Estimate, Extrapolation } from '../../modeling/model-records.ts';
import { typicalTimes } from '../../modeling/questions/typical-times.ts';
import { type Rows, rowsFrom } from '../../modeling/rows.ts';
import { mainSetting, type Setting } from '../content/main-setting.ts';
import { type CellRow, cellRows, computePoints, type PointRow } from '../content/statistics.ts';

/** One program of a campaign, as it was measured. */
export interface Measured {
  readonly planned: Campaign;
  /** Of this program alone. */
  readonly records: readonly CellRecord[];
  /** Default: every timed search of the finished cells, without the drift cells. */
  readonly rows?: readonly Observation[];
  /** What the hosts sent per search, where counters tell. */
  readonly traffic?: readonly TrafficPoint[];
  /** What people call one timed run. */
  readonly noun: string;
  /** Edges per vertex; null for programs without graphs. */
  readonly edgeFactor: number | null;
  /** Node counts on which the workload can run. Default: all. */
  readonly isAdmissible?: (nodes: number) => boolean;
  /** The campaign's folder; null for none yet. */
  readonly dir?: string | null;
  /** Which of several programs; null for the only one. */
  readonly program?: string | null;
}

/** The same, modelled once: answers, figures and tables all draw on it. */
export interface AnswerBasis extends Required<Omit<Measured, 'rows'>> {
  readonly ranksPerNode: number;
  /** Larger than all others, and measured later. */
  readonly addedNodes: readonly number[];
  readonly cells: readonly CellRow[];
  readonly points: readonly PointRow[];
  readonly rows: Rows;
  /** The configuration that most is said about; null where nothing was measured. */
  readonly setting: Setting | null;
  /** Node counts to project to, measured ones among them. */
  readonly targets: readonly number[];
  /** All forms on all rows; null where the rows determine none. */
  readonly choice: Choice | null;
  /** The draws of that choice: the only ones that are made. */
  readonly ensemble: Ensemble | null;
  /** Larger node counts predicted by a choice that never saw them; null where there are too few. */
  readonly blind: Extrapolation | null;
  readonly model: ModelInUse;
}

/** Draws that may be asked for node counts, with a prediction per target at the main configuration; or why there are none. */
export type ModelInUse =
  | {
      readonly ensemble: Ensemble;
      readonly choice: Choice;
      readonly predictions: readonly Prediction[];
      readonly why: null;
    }
  | { readonly ensemble: null; readonly why: string };

interface Prediction {
  readonly nodes: number;
  /** Seconds. */
  readonly ct: Estimate;
}

export function fitBasis({ rows: given, ...input }: Measured): AnswerBasis {
  const { planned, records } = input;
  const measured = { traffic: [], isAdmissible: () => true, dir: null, program: null, ...input };
  const { traffic, isAdmissible } = measured;
  const observations = given ?? listObservations(records);
  const cells = cellRows(records);
  const points = computePoints(observations, { cells, typical: typicalTimes(planned, records) });
  const rows = rowsFrom(observations);
  const [first] = records;
  const ranksPerNode = first === undefined ? planned.inventory.ranksPerNode : first.cell.ranks / first.cell.nodes;
  const addedNodes = findAddedNodes(planned);
  const setting = points.length === 0 ? null : mainSetting(points);
  const choice = setting === null ? null : attempt(() => chooseAmong(rows, { ranksPerNode, traffic }));
  const counts = ascending(points.map(({ nodes }) => nodes));
  const targets = chooseTargetNodes(counts, isAdmissible);
  const errors = choice?.comparison.errors;
  const options = { ranksPerNode, traffic, errors, interval: {}, count: heldOutCount(counts, addedNodes) };
  const blind = choice && attempt(() => leaveLargestOut('auto', rows, options));
  const ensemble = choice && bootstrap(choice.solved, { doubt: describeDoubt(blind) });
  const model = modelInUse({ setting, choice, ensemble, targets });
  return {
    ...{ ...measured, ranksPerNode, addedNodes, targets },
    ...{ cells, points, rows, setting, choice, ensemble, blind, model },
  };
}

/** Node counts that were added later, else the largest third, are left out of a blind test; two must stay. */
export function heldOutCount(counts: readonly number[], addedNodes: readonly number[]): number {
  const added = counts.filter((nodes) => addedNodes.includes(nodes)).length;
  const wanted = added > 0 ? added : Math.floor(counts.length / 3);
  return Math.max(1, Math.min(wanted, counts.length - 2));
}

function modelInUse({
  setting,
  choice,
  ensemble,
  targets,
}: Pick<AnswerBasis, 'setting' | 'choice' | 'ensemble' | 'targets'>): ModelInUse {
  const none = (why: string): ModelInUse => ({ ensemble: null, why });
  if (setting === null) return none('nothing was measured');
  if (choice === null || ensemble === null) return none('no model fits these times');
  const { form, trainedOn } = ensemble.fit;
  if (form.fixed.includes('nodes')) return none('one cluster size tells nothing of others');
  if (!trainedOn.scales.includes(setting.scale)) return none('no model fits these times');
  if (ensemble.doubt !== null) return none(ensemble.doubt);
  const { scale, bw } = setting;
  const abstains = createAbstention(ensemble);
  const asked = [setting.nodes, ...targets.filter((nodes) => nodes > setting.nodes)];
  const times = estimates(ensemble, (fit) => asked.map((nodes) => predict(fit, { nodes, scale, bw })));
  const answered = asked.map((nodes, index) => {
    const ct = at(times, index);
    return abstains({ nodes, scale, bw }, ct) === null ? { nodes, ct } : null;
  });
  if (answered[0] === null) return none('no model describes the largest measured cluster');
  const open = answered.indexOf(null);
  const predictions = answered.slice(0, open === -1 ? undefined : open).filter((one) => one !== null);
  return { ensemble, choice, predictions, why: null };
}
