import { goodRuns } from '../../../analysis/explain-campaign.ts';
import { readProfiledRuns, runsOfStore } from '../../../analysis/profiles/scaling/campaign-runs.ts';
import {
  type ExplainedScaling,
  explainScaling,
  type ScaledPart,
} from '../../../analysis/profiles/scaling/explain-scaling.ts';
import { describeVerdict } from '../../../analysis/profiles/scaling/verdicts.ts';
import { scalingWitnesses, witnessRuns } from '../../../analysis/profiles/scaling/witnesses.ts';
import { parseCount } from '../../../base/bounds.ts';
import { formatSeconds, nodesText, sizeText } from '../../../base/units.ts';
import { isCampaign } from '../../../experiments/store/campaign-folders.ts';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';
import { given, type Optional, type Switches } from '../flags.ts';
import { left, note, print, printJson, printTable, right } from '../print.ts';

/** Which call path of a campaign's profiled runs does not shrink with nodes, and which one the link slows. */
export async function scalingCommand(
  dir: string,
  { atNodes: asked, program, json }: Optional<'atNodes' | 'program'> & Switches,
): Promise<void> {
  const atNodes = given(asked, (text) => parseCount(text, '--at-nodes'));
  const { kind, runs, empty, good, ranksPerNode } = isCampaign(dir)
    ? await ofCampaign(dir, program)
    : { kind: 'wall', runs: await runsOfStore(dir, { program }), empty: 0, good: null, ranksPerNode: 1 };
  const noun = good?.options.platform.noun ?? 'run';
  const found = explainScaling(runs, { ranksPerNode, noun, atNodes });
  const witnesses =
    good === null || good.records.length === 0 ? null : scalingWitnesses(await witnessRuns(good), found);
  const { fits, ...rest } = found;
  if (json) {
    return printJson({
      kind,
      ...rest,
      refused: fits.kind === 'refused' ? fits.reason : null,
      witnesses,
      sentences: found.findings.map(({ sentence }) => sentence),
    });
  }
  printParts(found, noun);
  printPhases(found, witnesses?.path ?? []);
  print('');
  if (found.answer !== null) print(found.answer);
  if (witnesses?.sentence != null) print(witnesses.sentence);
  for (const { sentence } of found.findings) print(sentence);
  if (fits.kind === 'refused') note(`predict: no verdict: ${fits.reason}`);
  if (kind === 'cpu') note('predict: only CPU time was recorded, so waiting of ranks is missing (use --profile wall).');
  if (empty > 0)
    note(
      `predict: ${empty} profiled ${empty === 1 ? 'run' : 'runs'} recorded no call stacks (see predict status ${dir}).`,
    );
}

async function ofCampaign(dir: string, program: string | undefined) {
  const open = await openCampaign(dir);
  const { campaign, ...profiled } = await readProfiledRuns(open, { program });
  const good = await goodRuns(open, { program });
  return { ...profiled, good, ranksPerNode: campaign.inventory.ranksPerNode };
}

function printParts({ parts, range }: ExplainedScaling, noun: string): void {
  const { fewest, most, highest, lowest } = range;
  print(`Seconds of a ${noun} per rank${sizeText(range.scale, ' at ')}, by call path:`);
  const exponent = ({ judged }: ScaledPart): string => judged?.exponent.value?.toFixed(2) ?? '-';
  printTable(parts, [
    left('call path', ({ label }) => label),
    right(`${nodesText(fewest)}`, ({ onFewest }) => formatSeconds(onFewest)),
    right(`${nodesText(most)}`, ({ onMost }) => formatSeconds(onMost)),
    right('share', ({ percent }) => `${percent.toFixed(0)} %`),
    right('exponent', exponent),
    ...(lowest < highest ? [right<ScaledPart>(`at ${lowest} %`, ({ atLowest }) => formatSeconds(atLowest))] : []),
    ...forecastColumns(parts),
    left('verdict', ({ judged }) => describeVerdict(judged)),
  ]);
}

function forecastColumns(parts: readonly ScaledPart[]) {
  const nodes = parts[0]?.forecast?.nodes;
  if (nodes === undefined) return [];
  return [
    right<ScaledPart>(`on ${nodes} (forecast)`, ({ forecast }) => {
      const value = forecast?.highest.value ?? null;
      return value === null ? '-' : formatSeconds(value);
    }),
  ];
}

/** Call paths that are named of a phase. */
const NAMED = 3;

function printPhases(
  { phases, range }: ExplainedScaling,
  onPath: readonly { readonly name: string; readonly seconds: number }[],
): void {
  if (phases.length === 0) return;
  print(`\nPhases on ${nodesText(range.most)} at ${range.highest} % bandwidth:`);
  printTable(phases, [
    left('phase', ({ phase }) => phase),
    right('per rank', ({ seconds }) => formatSeconds(seconds)),
    right('critical path', ({ phase }) => {
      const found = onPath.find(({ name }) => name === phase);
      return found === undefined ? '-' : formatSeconds(found.seconds);
    }),
    left('call paths', ({ seconds, paths }) =>
      paths
        .slice(0, NAMED)
        .map((one) => `${one.label} ${((one.seconds / seconds) * 100).toFixed(0)} %`)
        .join(', '),
    ),
  ]);
}
