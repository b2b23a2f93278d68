import { resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { groupAlike } from '../../base/text.ts';
import { endsText, formatSeconds, threeDigits, trimNumber } from '../../base/units.ts';
import { canonicalJson } from '../../experiments/store/digest.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import type { Decisions } from '../../modeling/answers/decide/decide.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import { eachProgram, printAnswers } from './each-program.ts';
import { refuseFlags } from './flags.ts';
import type { Modelled } from './modelled.ts';
import { type ModelCommandFlags, openNamed } from './parse-question.ts';
import { type Answer, cellColumns, left, note, print, printCareful, printTable, right } from './print.ts';

/** One question that is asked of a model by itself; all that it says of clusters without one. */
export async function modelCommand(dir: string | undefined, flags: ModelCommandFlags): Promise<Answer> {
  const { rank, view, target, budget, nodes, coefficients, json } = flags;
  if (rank) return await (await import('./rank-models.ts')).rankModels(dir, flags);
  if ((target ?? budget) !== undefined) {
    refuseFlags(flags, ['threads'], 'is about clusters: with --target name a program that has them, by --program.');
    return await (await import('./advise-cells.ts')).adviseCells(dir, flags);
  }
  refuseFlags(flags, ['roots', 'overhead'], 'is about what to measure next: add --target and --budget.');
  if (coefficients !== undefined) refuseFlags(flags, ['threads'], 'is about rows: leave it out with --coefficients.');
  if (coefficients !== undefined || (view === 'project' && json)) {
    if (nodes === undefined) throw badInput('--coefficients needs --nodes: say which clusters to project to.');
    return await (await import('./project-command.ts')).projectCommand(dir, { ...flags, nodes });
  }
  if (view === 'fit' && json) {
    return { json: await (await import('./modelled.ts')).fitted(dir, flags), say: () => undefined };
  }
  return await tellModel(dir, flags);
}

/** Of a campaign of several programs each one by itself, unless one is named. */
async function tellModel(dir: string | undefined, { view, ...flags }: ModelCommandFlags): Promise<Answer> {
  const open = await openNamed(dir, flags);
  // To a fit, --scale and --bw say what it is fitted to; else they are what is asked for.
  const projecting = view !== 'fit';
  const shape = (result: Modelled): object => (view === 'plan' ? planOf(result) : result);
  return await eachProgram(open, flags, async (program) => {
    const one = await modelledOnce(open, { ...flags, program }, projecting);
    for (const warning of one.careful) note(`predict: ${warning}`);
    return { json: shape(one), say: () => printModel(one) };
  });
}

/** What clusters come to alone. */
function planOf({ decisions, meaning, predictedBy, sentences, baselines, warnings }: Modelled): object {
  return {
    ...decisions,
    predictedBy,
    baselines,
    sentences: meaning === null ? sentences : [meaning, ...sentences],
    warnings,
  };
}

/** Of a campaign it is made once for as long as nothing of it changes. */
async function modelledOnce(
  open: OpenCampaign | null,
  { json: _, ...flags }: ModelCommandFlags,
  projecting: boolean,
): Promise<Modelled> {
  const make = async (): Promise<Modelled> => {
    // Loaded only where something is to be made.
    const { modelled } = await import('./modelled.ts');
    return await modelled(open, flags, projecting);
  };
  if (open === null) return await make();
  const settings = canonicalJson({ dir: resolve(open.dir), flags, projecting });
  return await open.kept({ kind: 'models', settings, make });
}

function printModel({
  answers,
  model,
  threads: told,
  meaning,
  predictedBy,
  decisions,
  sentences,
  warnings,
}: Modelled): void {
  if (answers !== null) {
    printAnswers(answers);
    print('');
  }
  print(model.title);
  print(model.formula);
  for (const line of coefficientLines(model)) print(line);
  const threads =
    told === null ? '' : `t = ${told.threads} ${told.threads === 1 ? 'thread' : 'threads'} of each rank, `;
  print(`x = ${model.ranksPerNode} n, ${threads}D = ${model.size}; intervals ${model.level * 100} %`);
  const heldOut =
    model.heldOut === null
      ? ''
      : `; held-out rows: R2 ${model.heldOut.r2.toFixed(4)}, median error ${model.heldOut.medianErrorPercent.toFixed(1)} %`;
  print(`R2 ${model.r2.toFixed(4)}, MSE ${trimNumber(model.mse)} s², ${model.rows} rows${heldOut}`);
  if (predictedBy !== null) print(`All models by weight predict ${predictedBy}`);
  if (meaning !== null) print(meaning);
  for (const sentence of sentences) print(sentence);
  for (const warning of groupAlike(warnings)) printCareful(warning);
  if (decisions === null) return;
  print('');
  printChoices(decisions);
}

function coefficientLines({ coefficients, alpha }: Modelled['model']): string[] {
  const line = (name: string, one: Estimate): string =>
    `${name} = ${(one.value ?? 0).toPrecision(4)} (${endsText(one, (value) => value.toPrecision(3))})`;
  return [
    ...Object.entries(coefficients).map(([name, one]) => line(name, one)),
    ...(alpha ? [line('alpha', alpha)] : []),
  ];
}

/** A table of more node counts is thinned, so that the answers above it stay in sight. */
const MOST_COUNTS = 12;

/** Where there is no prediction the table says so, and nothing else. */
function printChoices(decisions: Decisions): void {
  const { options: all, level, deadline } = decisions;
  const counts = [...new Set(all.map(({ nodes }) => nodes))];
  const kept = thinned(counts, decisions);
  const options = all.filter(({ nodes }) => kept.has(nodes));
  const said = ({ abstains }: { readonly abstains: string | null }, one: Estimate | null): Estimate | null =>
    abstains === null ? one : null;
  const percent = (one: number): string => `${one.toFixed(0)} %`;
  const value = (one: Estimate | null, text: (value: number) => string): string =>
    one?.value == null ? '-' : text(one.value);
  const cost = right<(typeof options)[number]>('cost', (choice) => value(said(choice, choice.cost), threeDigits));
  const inTime = ({ abstains, withinDeadlinePercent }: (typeof options)[number]): string =>
    abstains !== null || withinDeadlinePercent === null ? '-' : percent(withinDeadlinePercent);
  const gteps = right<(typeof options)[number]>('GTEPS', (choice) => value(said(choice, choice.gteps), threeDigits));
  printTable(options, [
    ...cellColumns(options, (option) => option),
    right('CT', (one) => value(said(one, one.ct), formatSeconds)),
    left(`${level * 100} % interval`, (one) =>
      one.abstains === null ? endsText(one.ct, formatSeconds) : 'no prediction',
    ),
    left('a run there', (one) => (one.abstains === null ? endsText(one.measured, formatSeconds) : '-')),
    ...(options.some((choice) => choice.gteps !== null) ? [gteps] : []),
    right('speedup', (one) => value(said(one, one.speedup), threeDigits)),
    right('efficiency', (one) => value(said(one, one.efficiencyPercent), percent)),
    right('node-hours', (one) => value(said(one, one.nodeHours), threeDigits)),
    ...(options.some((choice) => choice.cost !== null) ? [cost] : []),
    ...(deadline === null ? [] : [right(`within ${formatSeconds(deadline.seconds)}`, inTime)]),
  ]);
  if (kept.size < counts.length) print(`${kept.size} of ${counts.length} node counts are shown; --json has all.`);
}

/** The smallest and the largest count, some between them, and those that the sentences about a deadline name. */
function thinned(counts: readonly number[], { deadline }: Decisions): ReadonlySet<number> {
  const step = Math.ceil(counts.length / MOST_COUNTS);
  const last = counts.length - 1;
  const even = counts.filter((_, index) => index === 0 || (last - index) % step === 0);
  const named = [deadline?.smallest, deadline?.smallestSure, deadline?.cheapest];
  return new Set([...even, ...named.flatMap((one) => (one == null ? [] : [one.nodes]))]);
}
