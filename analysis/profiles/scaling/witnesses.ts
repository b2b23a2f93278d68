import { own } from '../../../base/lists.ts';
import { formatSeconds } from '../../../base/units.ts';
import { componentNames, type Run, secondsOf } from '../../across/run-of-cell.ts';
import { explainCampaign, type GoodRuns } from '../../explain-campaign.ts';
import { pathCampaign } from '../../path/across/path-campaign.ts';
import { meansOver, pathRun } from '../../path/across/path-runs.ts';
import { TRANSFER, WORK } from '../../path/run-graph.ts';
import { asWork } from '../../path/run-paths.ts';
import { componentLabel } from '../../sources/runs/summarise.ts';
import type { ExplainedScaling } from './explain-scaling.ts';

/** A component of the measured runs, judged as call paths are. */
interface WitnessPart {
  readonly name: string;
  readonly label: string;
  /** Seconds of a timed run on the most nodes at the highest bandwidth. */
  readonly seconds: number;
  /** What of them is beyond the share that 1/nodes would leave of those on the fewest. */
  readonly excess: number;
}

/** What Grade10 and the critical path say of the measured runs of the campaign whose profiled runs are judged. */
export interface ScalingWitnesses {
  /** Components that hold a timed run up, the most excess first; empty where nothing could be explained. */
  readonly grade10: readonly WitnessPart[];
  /** Traced phases on the critical path, the most excess first. */
  readonly path: readonly WitnessPart[];
  /** Whether the critical path exceeds its share most, or nearly so, in the traced phase where call paths do; null where one of them has none. */
  readonly agrees: boolean | null;
  readonly sentence: string | null;
}

/** The measured runs of a program as Grade10 and the critical path see them; empty where one of them has nothing to go by. */
interface WitnessRuns {
  readonly grade10: readonly Run[];
  readonly path: readonly Run[];
  /** What people call a component of Grade10. */
  readonly label: (name: string) => string;
}

/** Reads them from a campaign. Errors: badInput for damaged files, and for runs of several programs. */
export async function witnessRuns(good: GoodRuns): Promise<WitnessRuns> {
  const { platform } = good.options;
  const explained = await explainCampaign(good);
  const paths = await pathCampaign(good);
  return {
    grade10: explained?.runs.map(({ run }) => run) ?? [],
    path: (paths?.cells ?? []).map(({ cell, meanNs, kinds }) => pathRun({ cell, meanNs: asWork(meanNs, kinds) })),
    label: (name) => componentLabel(name, platform),
  };
}

/** Asks both of the same program's measurements. */
export function scalingWitnesses(
  { grade10: held, path: followed, label }: WitnessRuns,
  { range, phases: profiled }: Pick<ExplainedScaling, 'range' | 'phases'>,
): ScalingWitnesses {
  const grade10 = excesses(held, range, label);
  const path = excesses(followed.map(byPhase), range, (name) => name);
  return { grade10, path, ...agreementOf(profiled, { grade10, path }) };
}

/** The two parts of an exchange are one phase. */
function byPhase(run: Run): Run {
  const components: Record<string, number> = {};
  for (const [key, seconds] of Object.entries(run.components)) {
    const suffix = [TRANSFER, WORK].find((each) => key.endsWith(each)) ?? '';
    const phase = key.slice(0, key.length - suffix.length);
    components[phase] = (own(components, phase) ?? 0) + seconds;
  }
  return { ...run, components };
}

function excesses(
  all: readonly Run[],
  { scale, fewest, most, highest }: ExplainedScaling['range'],
  label: (name: string) => string,
): readonly WitnessPart[] {
  const runs = all.filter((run) => run.scale === scale && run.bw === highest);
  const means = meansOver(runs);
  const [small, large] = [means.find(({ nodes }) => nodes === fewest), means.find(({ nodes }) => nodes === most)];
  if (small === undefined || large === undefined) return [];
  const at = (mean: typeof small, name: string): number =>
    secondsOf({ ...mean, scale, bw: highest, rep: 1, imbalance: 0 }, name);
  return componentNames(runs)
    .map((name) => {
      const seconds = at(large, name);
      return { name, label: label(name), seconds, excess: seconds - (at(small, name) * fewest) / most };
    })
    .sort((a, b) => b.excess - a.excess);
}

/** A part of the largest excess that is as good as it. */
const NEARLY = 0.8;

function agreementOf(
  profiled: ExplainedScaling['phases'],
  { grade10, path }: Pick<ScalingWitnesses, 'grade10' | 'path'>,
): Pick<ScalingWitnesses, 'agrees' | 'sentence'> {
  const [held, onPath] = [grade10[0], path[0]];
  const [first] = profiled.toSorted((a, b) => b.excess - a.excess);
  const there = path.find(({ name }) => name === first?.phase)?.excess ?? 0;
  const agrees = first === undefined || onPath === undefined ? null : there >= NEARLY * onPath.excess;
  const same = onPath?.name === first?.phase ? ', the same' : `; in ${first?.phase} ${formatSeconds(there)}`;
  const said = [
    first &&
      `By phase, call paths exceed ideal scaling most in ${first.phase} (${formatSeconds(first.excess)} per rank)`,
    onPath && `the critical path does so in ${onPath.name} (${formatSeconds(onPath.excess)}${first ? same : ''})`,
    held && `Grade10 attributes most of it to ${held.label} (${formatSeconds(held.excess)})`,
  ].filter((part) => typeof part === 'string');
  return { agrees, sentence: said.length === 0 ? null : `${said.join(', ')}.` };
}
