import { parseNumber, parseSeconds } from '../../base/bounds.ts';
import { attempt } from '../../base/errors.ts';
import { last } from '../../base/lists.ts';
import { parseBytes } from '../../base/units.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { type Decisions, decide } from '../../modeling/answers/decide/decide.ts';
import { describeDecisions } from '../../modeling/answers/decide/decision-sentences.ts';
import { describeThreads, tellThreads } from '../../modeling/answers/threads-law.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { formula } from '../../modeling/forms/form.ts';
import { describeDoubt } from '../../modeling/judge/abstain.ts';
import { compareLargest, describeLargest } from '../../modeling/judge/baselines.ts';
import { formulaWithNumbers } from '../../modeling/judge/describe-fit.ts';
import { diagnose } from '../../modeling/judge/diagnose.ts';
import { bootstrap, estimatedCoefficients } from '../../modeling/judge/ensemble.ts';
import { validate } from '../../modeling/judge/validate.ts';
import type { Fit } from '../../modeling/model-records.ts';
import { askedFor, chooseAndFit, leaveLargest } from '../../modeling/questions/choose-and-fit.ts';
import { clusterOf, type Measurements } from '../../modeling/questions/measurements.ts';
import { sizeWords } from '../../modeling/rows.ts';
import { readAnswers } from '../../report/content/from-campaign.ts';
import { given } from './flags.ts';
import {
  bootstrapOptions,
  cannotRun,
  type ModelCommandFlags,
  openSource,
  parseBandwidths,
  parseQuestion,
  parseScales,
  projectionTargets,
  sourceOf,
} from './parse-question.ts';

/** Plain data, for JSON and terminal. */
export type Modelled = Awaited<ReturnType<typeof modelled>>;

/** Flags that ask for other rows, or another model of them. */
const OTHER_ROWS = ['model', 'errors', 'baseScale', 'atNodes', 'trainNodes', 'ranksPerNode'] as const;

/** What a model says of a campaign or a file: the answers, the model, and clusters to choose from. */
export async function modelled(open: OpenCampaign | null, flags: ModelCommandFlags, projecting: boolean) {
  const options = bootstrapOptions(flags);
  const source = await sourceOf(open, flags);
  // Answers are those of one program, with one number of threads.
  const isOne = open !== null && flags.threads === undefined;
  const { answers, basis } = isOne ? await readAnswers(open, flags) : { answers: null, basis: null };
  const question = parseQuestion(flags, { projecting });
  // Of all rows and all forms the answers have made the choice and the blind test.
  const isWhole = projecting && OTHER_ROWS.every((name) => flags[name] === undefined);
  const known = basis?.choice && isWhole ? { ...basis.choice, traffic: basis.traffic } : null;
  const chosen = await chooseAndFit(source, question, known);
  const { solved, comparison, form, options: fitted } = chosen;
  // Coefficients are those of one form: other forms call other things C2.
  const one = comparison ? askedFor(solveModel(form, source.rows, fitted), question) : solved;
  const { fit } = one;
  const blind = basis !== null && isWhole ? basis.blind : attempt(() => leaveLargest(chosen, source.rows));
  const ensemble = bootstrap(solved, { ...options, doubt: describeDoubt(blind) });
  const checked = attempt(() => validate(form, source.rows, { ...fitted, folds: Math.min(5, fit.rows) }));
  const nodes = flags.nodes ?? basis?.targets.join(',') ?? fit.trainedOn.nodes.join(',');
  const asked = { ...flags, nodes };
  const decisions =
    fit.form.fixed.includes('nodes') && flags.nodes === undefined ? null : plan(ensemble, source, asked);
  const answered = decisions?.options.filter(({ abstains }) => abstains === null) ?? [];
  const baselines = compareLargest(
    ensemble,
    answered.map(({ ct, ...target }) => ({ ...target, ct: ct.value })),
  );
  const { coefficients, alpha } = estimatedCoefficients(bootstrap(one, options));
  const threads = fit.threads === undefined ? null : tellThreads(ensemble, placeOf(fit, flags));
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
      size: sizeWords(fit.baseScale, fit.trainedOn.scales),
      trainedOn: fit.trainedOn,
      ...{ r2: fit.r2, mse: fit.mse, rows: fit.rows },
      heldOut: checked?.score ?? null,
    },
    /** Of each rank, where runs have several numbers of them. */
    threads,
    meaning: comparison?.sentence ?? null,
    /** By what the numbers come: the formula of all models together; null where that of the one model is. */
    predictedBy: comparison === null ? null : formulaWithNumbers(comparison.fit),
    decisions,
    /** About what was measured. */
    careful: [...source.warnings],
    sentences: [
      ...(threads === null ? [] : describeThreads(threads, options.level)),
      ...(decisions === null ? [] : describeDecisions(decisions)),
      ...(baselines ? [describeLargest(baselines)] : []),
    ],
    baselines,
    warnings: [...diagnose(one).warnings, ...(flags.nodes === undefined ? [] : cannotRun(flags.nodes, source))],
  };
}

/** The largest cluster measured, on the link and at the size that are asked about last. */
function placeOf({ trainedOn }: Fit, { bw, scale }: ModelCommandFlags) {
  return {
    nodes: last(trainedOn.nodes),
    bw: last(given(bw, parseBandwidths) ?? trainedOn.bw),
    scale: last(given(scale, parseScales) ?? trainedOn.scales),
  };
}

/** The fit alone. */
export async function fitted(dir: string | undefined, flags: ModelCommandFlags): Promise<object> {
  const options = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const chosenFit = await chooseAndFit(source, parseQuestion(flags));
  const { comparison, form } = chosenFit;
  const solved = comparison ? solveModel(form, source.rows, chosenFit.options) : chosenFit.solved;
  const chosen = comparison ? { chosen: comparison.chosen, candidates: comparison.candidates } : {};
  const estimated = flags.interval === undefined ? {} : estimatedCoefficients(bootstrap(solved, options));
  return { ...solved.fit, ...estimated, ...chosen, warnings: diagnose(solved).warnings };
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
    linkPrice: number(flags.linkPrice, '--link-price'),
    lineRateBps: cluster.lineRateBps,
  });
}
