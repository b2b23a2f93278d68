import { quantile } from 'simple-statistics';
import { attempt, PredictError } from '../../base/errors.ts';
import { ascending, at } from '../../base/lists.ts';
import { chooseTargetNodes, findCrossovers, smallestAdmissible } from '../../modeling/answers/dominance.ts';
import { measuredDemand } from '../../modeling/answers/needed-bandwidth.ts';
import { projectAll } from '../../modeling/answers/project.ts';
import { type Cells, collapse, pickCells } from '../../modeling/fit/collapse.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { formula } from '../../modeling/forms/form.ts';
import type { ModelName } from '../../modeling/forms/models.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { createRandom, studentQuantile } from '../../modeling/judge/distributions.ts';
import { bootstrap, type Ensemble, estimatedCoefficients, estimates } from '../../modeling/judge/ensemble.ts';
import type { Demand, Estimate } from '../../modeling/model-records.ts';
import type { Measurements } from '../../modeling/questions/measurements.ts';
import { distinct, indicesAt, indicesWhere, type Selection, settingAt, type Target } from '../../modeling/rows.ts';
import { chooseValues } from './main-setting.ts';

/** What is drawn and tabulated of rows, and how it is fitted: one equation, to one or several parts of them. */
const KINDS = ['eq2', 'eq3', 'throttled', 'eq5', 'eq6', 'eq7'] as const;
type Kind = (typeof KINDS)[number];

/** A mean over repetitions, seconds; ends are null where one repetition tells no scatter. */
interface MeasuredCell extends Target {
  readonly runs: number;
  readonly ct: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** An equation that was fitted to a part of the rows. */
export interface FittedEquation {
  readonly model: string;
  readonly formula: string;
  /** What the part has. */
  readonly scales: readonly number[];
  readonly nodes: readonly number[];
  readonly bw: readonly number[];
  readonly baseScale: number;
  /** By name, alpha among them. */
  readonly constants: Readonly<Record<string, Estimate>>;
  readonly r2: number;
  /** s². */
  readonly mse: number;
  readonly rows: number;
  /** At every configuration that it was fitted to, seconds. */
  readonly predicted: readonly (Target & { readonly ct: number })[];
}

/** Rows of the paper's kind as figures and tables (Medya et al., Fig. 2 to 8, Tables II to V), as plain data: what the page shows. */
export interface RowsData {
  readonly title: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly sources: readonly string[];
  readonly rows: number;
  readonly ranksPerNode: number;
  /** What one figure shows that shows one scale. */
  readonly scale: number;
  readonly cells: readonly MeasuredCell[];
  readonly fits: Readonly<Record<Kind, readonly FittedEquation[]>>;
  /** Bandwidth demand as measured, percent, with an interval by the scatter of the repetitions. */
  readonly demands: readonly (Omit<Demand, 'bw'> & { readonly bw: Estimate })[];
  readonly projections: readonly ({ readonly model: string } & ReturnType<typeof projectAll>[number])[];
  readonly dominance: readonly {
    readonly model: string;
    readonly scale: number;
    readonly bw: number;
    readonly nodes: Estimate;
    readonly admissibleNodes: Estimate;
  }[];
  /** What rows it takes, where there is nothing to show. */
  readonly missing: Partial<Readonly<Record<Kind | 'demands' | 'projections', string>>>;
}

interface Asked {
  readonly sources: readonly string[];
  readonly title?: string | undefined;
  /** ISO 8601. */
  readonly generatedAt: string;
  /** D = 2^(scale - baseScale); default: one below the smallest scale of a fit. */
  readonly baseScale?: number | undefined;
}

const LEVEL = 0.9;
/** Percent: Fig. 4 (a) shows the measured bandwidth nearest to it. */
const THROTTLED = 20;
/** Percent of time for which Fig. 3 (b) asks what bandwidth is needed. */
const INCREMENTS = [5, 10, 20];
/** Bandwidths that Fig. 7 and 8 show. */
const LINKS = 4;

/** Everything that rows allow; `missing` says what the rest needs. */
export function buildRows(source: Measurements, { sources, title, generatedAt, baseScale }: Asked): RowsData {
  const { ranksPerNode } = source;
  const cells = collapse(source.rows);
  const scale = scaleShown(cells);
  const fitted = KINDS.map((kind) => ({ kind, ...fitAll(partsOf(kind, cells), { ranksPerNode, baseScale }) }));
  const demands = demandsOf(pickCells(cells, indicesAt(cells, { scale })));
  const ensembles = fitted.flatMap(({ kind, ensembles: made }) => {
    // Of the generalised models the one of most scales.
    const ensemble = made.findLast(({ fit }) => fit.trainedOn.scales.includes(scale));
    return ensemble === undefined || kind === 'throttled' || kind === 'eq5' ? [] : [ensemble];
  });
  const projections = ensembles.flatMap((ensemble) => projectionsOf(ensemble, source, { cells, scale }));
  return {
    title: title ?? 'Measured rows as figures and tables',
    ...{ generatedAt, sources, rows: source.rows.length, ranksPerNode, scale },
    cells: Array.from({ length: cells.length }, (_, index) => measuredAt(cells, index)),
    fits: byKind(fitted.map(({ kind, equations }) => [kind, equations])),
    ...{ demands, projections },
    dominance: ensembles.map((ensemble) => dominanceOf(ensemble, source, scale)),
    missing: {
      ...Object.fromEntries(fitted.flatMap(({ kind, why }) => (why === null ? [] : [[kind, why]]))),
      ...(demands.length > 0 ? {} : { demands: 'Needs rows of one scale at 100 % and at lower bandwidths.' }),
      ...(projections.length > 0 ? {} : { projections: 'Needs rows of a second node count.' }),
    },
  };
}

function byKind<T>(entries: readonly (readonly [Kind, T])[]): Readonly<Record<Kind, T>> {
  return Object.fromEntries(entries) as Record<Kind, T>;
}

/** The largest with several node counts and bandwidths, else the largest. */
function scaleShown(cells: Cells): number {
  const varied = variedScales(cells);
  return varied.at(-1) ?? at(cells.scale, cells.length - 1);
}

function variedScales(cells: Cells): readonly number[] {
  return distinct(cells, 'scale').filter((scale) => {
    const own = pickCells(cells, indicesAt(cells, { scale }));
    return distinct(own, 'nodes').length > 1 && distinct(own, 'bw').length > 1;
  });
}

function measuredAt(cells: Cells, index: number): MeasuredCell {
  const [runs, ct] = [at(cells.count, index), at(cells.mean, index)];
  const half = runs < 2 ? null : studentQuantile(runs - 1, LEVEL) * standardError(cells, index);
  const ends = half === null ? { low: null, high: null } : { low: ct - half, high: ct + half };
  return { ...settingAt(cells, index), runs, ct, ...ends };
}

/** Of the mean of a cell of at least two rows. */
function standardError({ m2, count }: Cells, index: number): number {
  const runs = at(count, index);
  return Math.sqrt(at(m2, index) / (runs - 1) / runs);
}

interface Part {
  readonly model: ModelName;
  readonly cells: Cells;
  readonly at: Selection;
}

/** What an equation is fitted to; in words where the rows have no such part. */
function partsOf(kind: Kind, cells: Cells): readonly Part[] | string {
  const scales = distinct(cells, 'scale');
  const varied = variedScales(cells);
  switch (kind) {
    case 'eq2':
      return scales.map((scale) => ({ model: kind, cells, at: { scale, bw: 100 } }));
    case 'eq3':
      return scales.length < 2 ? 'Eq 3 needs rows of a second scale.' : [{ model: 'eq3', cells, at: { bw: 100 } }];
    case 'throttled': {
      const lower = distinct(cells, 'bw').filter((bw) => bw < 100);
      const [bw] = [...lower].sort((a, b) => Math.abs(a - THROTTLED) - Math.abs(b - THROTTLED));
      return bw === undefined ? 'Needs rows of a bandwidth below 100 %.' : [{ model: 'eq3', cells, at: { bw } }];
    }
    case 'eq5':
      return scales.flatMap((scale) =>
        distinct(pickCells(cells, indicesAt(cells, { scale })), 'nodes').map((nodes) => ({
          ...{ model: kind, cells, at: { scale, nodes } },
        })),
      );
    case 'eq6':
      return scales.map((scale) => ({ model: kind, cells, at: { scale } }));
    case 'eq7':
      return varied.length < 2
        ? 'Eq 7 needs rows of a second scale with several bandwidths and node counts.'
        : varied.slice(1).map((most) => ({
            ...{ model: kind, at: {} },
            cells: pickCells(
              cells,
              indicesWhere(cells, (cell) => varied.includes(at(cells.scale, cell)) && at(cells.scale, cell) <= most),
            ),
          }));
  }
}

interface Fitting {
  readonly ranksPerNode: number;
  readonly baseScale: number | undefined;
}

/** As `predict model` fits a named model: what cannot be fitted is left out, and `why` is what the first one said where nothing can. */
function fitAll(parts: readonly Part[] | string, options: Fitting) {
  if (typeof parts === 'string') return { equations: [], ensembles: [], why: parts };
  const equations: FittedEquation[] = [];
  const ensembles: Ensemble[] = [];
  let why: string | null = null;
  for (const { model, cells, at: selection } of parts) {
    try {
      const ensemble = bootstrap(solveModel(model, cells, { ...options, at: selection }), { level: LEVEL });
      ensembles.push(ensemble);
      equations.push(describe(ensemble));
    } catch (error) {
      if (!(error instanceof PredictError)) throw error;
      why ??= error.message;
    }
  }
  return { equations, ensembles, why: equations.length === 0 ? why : null };
}

function describe(ensemble: Ensemble): FittedEquation {
  const { fit, cells } = ensemble;
  const { coefficients, alpha } = estimatedCoefficients(ensemble);
  const { scales, nodes, bw } = fit.trainedOn;
  return {
    ...{ model: fit.model, formula: formula(fit.form), scales, nodes, bw, baseScale: fit.baseScale },
    constants: { ...coefficients, ...(alpha === null ? {} : { alpha }) },
    ...{ r2: fit.r2, mse: fit.mse, rows: fit.rows },
    predicted: Array.from({ length: cells.length }, (_, index) => {
      const target = settingAt(cells, index);
      return { ...target, ct: predict(fit, target) };
    }),
  };
}

/** So many draws of all means tell an interval of what follows from them. */
const DRAWS = 400;

/** As measured at one scale, per node count and increment. */
function demandsOf(cells: Cells): RowsData['demands'] {
  const own = distinct(cells, 'nodes').map((nodes) => pickCells(cells, indicesAt(cells, { nodes })));
  return INCREMENTS.flatMap((ctiPercent) =>
    own.flatMap((some) => {
      const [scale, nodes] = [at(some.scale, 0), at(some.nodes, 0)];
      const asked = { nodes, scale, ctiPercent };
      const demand = some.length < 2 ? null : attempt(() => measuredDemand(some, asked));
      if (demand === null) return [];
      return [{ ...demand, bw: { value: demand.bw, ...drawn(some, (draw) => measuredDemand(draw, asked).bw) } }];
    }),
  );
}

/** The interval of a number that follows from means, by draws of what each may be. */
function drawn(cells: Cells, numberOf: (cells: Cells) => number): Pick<Estimate, 'low' | 'high'> {
  if (cells.count.some((runs) => runs < 2)) return { low: null, high: null };
  const { normal } = createRandom(1);
  const numbers = Array.from({ length: DRAWS }, () =>
    numberOf({ ...cells, mean: cells.mean.map((mean, index) => mean + normal() * standardError(cells, index)) }),
  );
  return { low: quantile(numbers, (1 - LEVEL) / 2), high: quantile(numbers, (1 + LEVEL) / 2) };
}

interface Shown {
  readonly cells: Cells;
  readonly scale: number;
}

/** Times of larger clusters: at 100 % where the model knows no bandwidth, else on several links. */
function projectionsOf(
  ensemble: Ensemble,
  { isAdmissible, edgeFactor }: Pick<Measurements, 'isAdmissible' | 'edgeFactor'>,
  { cells, scale }: Shown,
): RowsData['projections'] {
  const { fit } = ensemble;
  const nodes = chooseTargetNodes(distinct(cells, 'nodes'), isAdmissible);
  const bw = fit.form.fixed.includes('bw') ? [100] : ascending([...chooseValues(fit.trainedOn.bw, LINKS), 100]);
  return projectAll(ensemble, { nodes, bw, scales: [scale], edgeFactor }).map((one) => ({ model: fit.model, ...one }));
}

/** From which node count on communication takes longer than processing at full bandwidth. */
function dominanceOf(
  ensemble: Ensemble,
  { isAdmissible }: Pick<Measurements, 'isAdmissible'>,
  scale: number,
): RowsData['dominance'][number] {
  const nodes = at(
    estimates(ensemble, (fit) => findCrossovers(fit, { bw: [100], scale })),
    0,
  );
  const next = (count: number | null): number | null =>
    count === null ? null : smallestAdmissible(count, isAdmissible);
  const admissibleNodes = { value: next(nodes.value), low: next(nodes.low), high: next(nodes.high) };
  return { model: ensemble.fit.model, scale, bw: 100, nodes, admissibleNodes };
}
