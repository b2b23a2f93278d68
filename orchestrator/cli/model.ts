import {
  attempt,
  formatSeconds,
  groupAlike,
  parseBytes,
  parseNumber,
  parseSeconds,
  trimNumber,
} from '../../base/index.ts';
import { type OpenCampaign, openCampaign } from '../../experiments/index.ts';
import {
  bootstrap,
  chooseAndFit,
  clusterOf,
  type Decisions,
  decide,
  diagnose,
  doubtOf,
  type Estimate,
  estimatedCoefficients,
  formula,
  leaveLargest,
  type Measurements,
  sentencesOf,
  sizeWords,
  solveModel,
  validate,
} from '../../modeling/index.ts';
import { measuredPrograms, readAnswers } from '../../report/index.ts';
import { given, type Optional } from './flags.ts';
import {
  bootstrapOptions,
  cannotRun,
  type ModelFlags,
  parseQuestion,
  projectionTargets,
  requireOneSource,
  sourceOf,
} from './parse-question.ts';
import { ends, left, print, printCareful, printJson, printTable, right, scaleColumn } from './print.ts';
import { printAnswers } from './print-answers.ts';

type Wish = 'deadline' | 'gain' | 'efficiency' | 'cti' | 'price' | 'runs' | 'reference';
type Memory = 'bytesPerEdge' | 'edgeFactor' | 'memory';
export type ModelCommandFlags = ModelFlags & Optional<Wish | Memory | 'nodes'>;

/** What a model says of a campaign or a file: the answers, the model, and clusters to choose from. Plain data, for JSON and terminal. */
export type Modelled = Awaited<ReturnType<typeof modelled>>;

/** What an older name of this command shows of it. */
interface View {
  /** Default: true. */
  readonly projecting?: boolean;
  /** Its JSON. */
  readonly shape?: (result: Modelled) => object;
}

/**
 * Fits, projects and plans. Of a campaign of several programs each one by itself, unless one is named. `projecting`: --scale and --bw
 * are what is asked for, not what is fitted to.
 */
export async function modelCommand(
  dir: string | undefined,
  flags: ModelCommandFlags,
  { projecting = true, shape = (result) => result }: View = {},
): Promise<void> {
  requireOneSource(dir, flags);
  const open = dir === undefined ? null : await openCampaign(dir);
  const programs = open !== null && flags.program === undefined ? measuredPrograms(open) : [];
  if (programs.length < 2) return show(await modelled(open, flags, projecting), { ...flags, shape });
  const all = [];
  for (const program of programs) {
    const one = await modelled(open, { ...flags, program }, projecting);
    if (flags.json) all.push({ program, ...shape(one) });
    else {
      print(`${program === programs[0] ? '' : '\n'}${program}`);
      show(one, { shape });
    }
  }
  if (flags.json) printJson({ programs: all });
}

async function modelled(open: OpenCampaign | null, flags: ModelCommandFlags, projecting: boolean) {
  const options = bootstrapOptions(flags);
  const source = await sourceOf(open, flags);
  const { answers, basis } = open === null ? { answers: null, basis: null } : await readAnswers(open, flags);
  const chosen = await chooseAndFit(source, parseQuestion(flags, { projecting }));
  const { solved, comparison, form, options: fitted } = chosen;
  // Coefficients are those of one form: other forms call other things C2.
  const one = comparison ? solveModel(form, source.rows, fitted) : solved;
  const { fit } = one;
  const isOwn = basis?.choice != null && comparison !== null && basis.choice.comparison.chosen === comparison.chosen;
  const blind = isOwn ? basis.blind : attempt(() => leaveLargest(chosen, source.rows));
  const ensemble = bootstrap(solved, { ...options, doubt: doubtOf(blind) });
  const checked = attempt(() => validate(form, source.rows, { ...fitted, folds: Math.min(5, fit.rows) }));
  const nodes = flags.nodes ?? basis?.targets.join(',') ?? fit.trainedOn.nodes.join(',');
  const asked = { ...flags, nodes };
  const decisions =
    fit.form.fixed.includes('nodes') && flags.nodes === undefined ? null : plan(ensemble, source, asked);
  const { coefficients, alpha } = estimatedCoefficients(bootstrap(one, options));
  return {
    answers,
    model: {
      name: fit.model,
      title: fit.form.title,
      formula: formula(fit.form),
      coefficients,
      alpha,
      level: options.level,
      ranksPerNode: fit.ranksPerNode,
      baseScale: fit.baseScale,
      trainedOn: fit.trainedOn,
      ...{ r2: fit.r2, mse: fit.mse, rows: fit.rows },
      heldOut: checked?.score ?? null,
    },
    meaning: comparison?.sentence ?? null,
    decisions,
    sentences: decisions === null ? [] : sentencesOf(decisions, source.noun),
    warnings: [...diagnose(one).warnings, ...(flags.nodes === undefined ? [] : cannotRun(flags.nodes, source))],
  };
}

function plan(
  ensemble: ReturnType<typeof bootstrap>,
  source: Measurements,
  flags: ModelCommandFlags & { readonly nodes: string },
): Decisions {
  const number = (text: string | undefined, what: Parameters<typeof parseNumber>[1]): number | undefined =>
    given(text, (one) => parseNumber(one, what));
  const cluster = clusterOf(source.campaign);
  return decide(ensemble, {
    ...projectionTargets(ensemble.fit, flags, source.isAdmissible),
    isAdmissible: source.isAdmissible,
    edgeFactor: number(flags.edgeFactor, '--edge-factor') ?? source.edgeFactor,
    referenceNodes: number(flags.reference, '--reference'),
    gainPercent: number(flags.gain, '--gain'),
    efficiencyPercent: number(flags.efficiency, '--efficiency'),
    ctiPercent: number(flags.cti, '--cti'),
    runs: number(flags.runs, '--runs'),
    memory: {
      bytesPerEdge: number(flags.bytesPerEdge, '--bytes-per-edge'),
      bytesPerNode: given(flags.memory, parseBytes) ?? cluster.memoryBytes,
    },
    deadline: given(flags.deadline, (text) => parseSeconds(text, '--deadline')),
    price: number(flags.price, '--price') ?? cluster.price,
    lineRateBps: cluster.lineRateBps,
  });
}

function show(
  result: Modelled,
  { json = false, shape }: { readonly json?: boolean; readonly shape: (result: Modelled) => object },
): void {
  if (json) {
    printJson(shape(result));
    return;
  }
  const { answers, model, meaning, decisions, sentences, warnings } = result;
  if (answers !== null) {
    printAnswers(answers);
    print('');
  }
  print(model.title);
  print(model.formula);
  for (const line of coefficientLines(model)) print(line);
  print(
    `x = ${model.ranksPerNode} n, D = ${sizeWords(model.baseScale, model.trainedOn.scales)}; intervals ${model.level * 100} %`,
  );
  const heldOut =
    model.heldOut === null
      ? ''
      : `; held-out rows: R2 ${model.heldOut.r2.toFixed(4)}, median error ${model.heldOut.medianErrorPercent.toFixed(1)} %`;
  print(`R2 ${model.r2.toFixed(4)}, MSE ${trimNumber(model.mse)} s², ${model.rows} rows${heldOut}`);
  if (meaning !== null) print(meaning);
  for (const sentence of sentences) print(sentence);
  for (const warning of groupAlike(warnings)) printCareful(warning);
  if (decisions === null) return;
  print('');
  printChoices(decisions);
}

function coefficientLines({ coefficients, alpha }: Modelled['model']): string[] {
  const line = (name: string, one: Estimate): string =>
    `${name} = ${(one.value ?? 0).toPrecision(4)} (${ends(one, (value) => value.toPrecision(3))})`;
  return [
    ...Object.entries(coefficients).map(([name, one]) => line(name, one)),
    ...(alpha ? [line('alpha', alpha)] : []),
  ];
}

/** Where there is no prediction the table says so, and nothing else. */
function printChoices({ options, level }: Decisions): void {
  const said = ({ abstains }: { readonly abstains: string | null }, one: Estimate | null): Estimate | null =>
    abstains === null ? one : null;
  const digits = (value: number): string => value.toPrecision(3);
  const percent = (one: number): string => `${one.toFixed(0)} %`;
  const value = (one: Estimate | null, text: (value: number) => string): string =>
    one?.value == null ? '-' : text(one.value);
  const cost = right<(typeof options)[number]>('cost', (choice) => value(said(choice, choice.cost), digits));
  const gteps = right<(typeof options)[number]>('GTEPS', (choice) => value(said(choice, choice.gteps), digits));
  printTable(options, [
    ...scaleColumn(options, ({ scale }) => scale),
    right('bw %', ({ bw }) => bw),
    right('nodes', ({ nodes }) => nodes),
    right('CT', (one) => value(said(one, one.ct), formatSeconds)),
    left(`${level * 100} % interval`, (one) => (one.abstains === null ? ends(one.ct, formatSeconds) : 'no prediction')),
    left('a run there', (one) => (one.abstains === null ? ends(one.measured, formatSeconds) : '-')),
    ...(options.some((choice) => choice.gteps !== null) ? [gteps] : []),
    right('speedup', (one) => value(said(one, one.speedup), digits)),
    right('efficiency', (one) => value(said(one, one.efficiencyPercent), percent)),
    right('node-hours', (one) => value(said(one, one.nodeHours), digits)),
    ...(options.some((choice) => choice.cost !== null) ? [cost] : []),
  ]);
}
