import { median } from 'simple-statistics';
import { attempt } from '../../base/errors.ts';
import { at, last } from '../../base/lists.ts';
import { type Cells, collapse } from '../fit/collapse.ts';
import { quality, solveModel } from '../fit/fit.ts';
import { betweenNodes, variesIn } from '../forms/candidates.ts';
import type { Form, Term } from '../forms/form.ts';
import { predict } from '../forms/predict.ts';
import type { Fit } from '../model-records.ts';
import { distinct, rowsFrom, settingAt } from '../rows.ts';
import { bootstrap, type Mixed } from './ensemble.ts';
import { findMode } from './find-mode.ts';
import { createMember, type Member } from './member.ts';
import { computeCovariance } from './strays.ts';

/** Times the largest node count at which the fit follows the mixture, beside the measured ones. */
const FACTORS = [2, 4, 8];
const REPLICATES = 300;
/** By so much (ln) it may miss the medians before powers move far. */
const NEAR = 0.03;
/** Of the powers of x of what is no work: they may move so far, so that terms stay what they stand for. */
const SHRINK_SD = 0.2;
const NAMED = { name: 'auto', title: 'All models by weight' } as const;
const NO_STRAYS = {
  ...{ cell: 0, offset: 0, bend: { nodes: 0, slowdown: 0, scale: 0, threads: 0 } },
  beyond: { median: 0, sd: 0, upward: 0 },
};

/**
 * One formula for what a mixture predicts, so that what is printed is what predicts: the form that gave the mixture its name, with free
 * powers of x, or the sum of work, transfers and the rest, whichever comes nearer to the medians of the replicas at all
 * measured settings, between their bandwidths, and on up to eight times the nodes. R2 and MSE are those on the rows.
 */
export function nearestFit(solved: Mixed): Fit {
  const { fit, cells, asked, parts } = solved;
  const medians = mediansOf(solved);
  const [nearest] =
    parts === null
      ? formsFor(cells, asked)
          .flatMap((form) => nearestOf(form, medians, solved) ?? [])
          .sort((a, b) => a.miss - b.miss)
      : [sumOfMeasured(solved)];
  if (!nearest) return fit;
  const found = { ...fit, ...nearest, form: { ...nearest.form, ...NAMED, volume: asked.volume }, model: NAMED.name };
  const predicted = Float64Array.from({ length: cells.length }, (_, cell) => predict(found, settingAt(cells, cell)));
  return { ...found, ...quality(cells, predicted) };
}

type Found = ReturnType<Member['toFit']>;

/** Each measured part by itself: so that terms stay what was measured. */
function sumOfMeasured(solved: Mixed): Found | null {
  const [work, other] = solved.asked.terms.map((term) => {
    const form = { ...solved.asked, terms: [term] };
    return nearestOf(form, mediansOf(solved, term.part), solved);
  });
  if (!work || !other) return null;
  return {
    form: { ...work.form, terms: [...work.form.terms, ...other.form.terms] },
    coefficients: { ...work.coefficients, ...other.coefficients },
    alpha: null,
  };
}

/** Of all of a time, or of one part of it. */
function mediansOf(solved: Mixed, part?: Term['part']): Cells {
  const { cells } = solved;
  const nodes = distinct(cells, 'nodes');
  const grid = [...nodes, ...FACTORS.map((factor) => factor * last(nodes))].flatMap((count) =>
    withMiddles(distinct(cells, 'bw')).flatMap((bw) =>
      distinct(cells, 'scale').flatMap((scale) =>
        distinct(cells, 'threads').map((threads) => ({ nodes: count, bw, scale, threads })),
      ),
    ),
  );
  const replicas = bootstrap(solved, { replicates: REPLICATES }).replicas.map((one) => (part ? only(one, part) : one));
  return collapse(
    rowsFrom(grid.map((target) => ({ ...target, ct: median(replicas.map((one) => predict(one, target))) }))),
  );
}

/** With one between each two: needs of bandwidth mostly lie there. */
function withMiddles(levels: readonly number[]): number[] {
  return levels.flatMap((level, index) => (index === 0 ? [level] : [Math.sqrt(at(levels, index - 1) * level), level]));
}

function only(fit: Fit, part: Term['part']): Fit {
  return { ...fit, form: { ...fit.form, terms: fit.form.terms.filter((term) => term.part === part) } };
}

function nearestOf(form: Form, medians: Cells, { fit }: Mixed): (Found & { readonly miss: number }) | null {
  const { ranksPerNode, baseScale } = fit;
  const start = attempt(() =>
    solveModel(form, medians, { ranksPerNode, baseScale, errors: 'relative', setAside: false }),
  );
  if (start === null) return null;
  const shrinks = start.asked.terms.map(({ part, counted, basis }) =>
    part === 'processing' || counted !== undefined || form.fixed.includes('nodes')
      ? undefined
      : { mean: -(basis.x ?? 0), sd: SHRINK_SD },
  );
  const member = createMember({ form: start.asked, solved: start, shrinks });
  const y = medians.mean.map((mean) => Math.log(mean));
  const variance = y.map(() => NEAR ** 2);
  const covariance = computeCovariance(medians, { variance, columns: [] }, NO_STRAYS);
  const { values } = findMode(member, { y, covariance, start: member.start });
  const misses = member.logTimes(values).map((time, cell) => time - at(y, cell));
  const miss = misses.reduce((sum, one) => sum + one ** 2, 0);
  return { ...member.toFit(values), miss };
}

function formsFor(cells: Cells, asked: Form): Form[] {
  const forms = [asked, generalForm(cells, asked)];
  const isThreaded = variesIn(cells).threads && distinct(cells, 'nodes').includes(1);
  return isThreaded ? [...forms, ...forms.map(betweenNodes)] : forms;
}

/** Work that ranks share, transfers, and what depends on no link: waiting, latency, work that all do. */
function generalForm(cells: Cells, { fixed, freeSize }: Form): Form {
  const varies = variesIn(cells);
  const D = varies.scale ? { D: 1 } : {};
  const bases = [{ ...D, x: -1 }, ...(varies.bw ? [{ ...D, s: 1, x: -0.5 }] : []), { ...D, x: 0 }];
  const terms = bases.map(
    (basis, index): Term => ({ name: `C${index + 1}`, part: index === 0 ? 'processing' : 'communication', basis }),
  );
  return { ...NAMED, terms, fixed, needsTwo: [], freeSize };
}
