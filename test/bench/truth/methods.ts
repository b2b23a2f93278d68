// Ways of answering for node counts that were not seen: predict's own, and forms by themselves.
import { attempt } from '../../../base/errors.ts';
import { collapse } from '../../../modeling/fit/collapse.ts';
import { type Solved, solveModel } from '../../../modeling/fit/fit.ts';
import { paperModelFor, peerForms, variesIn } from '../../../modeling/forms/candidates.ts';
import type { Form } from '../../../modeling/forms/form.ts';
import type { ModelName } from '../../../modeling/forms/models.ts';
import { pmnfForm } from '../../../modeling/forms/pmnf.ts';
import { predict } from '../../../modeling/forms/predict.ts';
import { chooseAmong } from '../../../modeling/judge/compare-candidates.ts';
import type { Mixed } from '../../../modeling/judge/ensemble.ts';
import { extrapolate } from '../../../modeling/judge/predict-unseen.ts';
import { type Rows, settingAt } from '../../../modeling/rows.ts';
import { type Answer, LEVELS, type Outcome } from './score.ts';
import type { Split } from './tables.ts';

export interface Method {
  readonly name: string;
  /** False where only values are given, no intervals. */
  readonly intervals: boolean;
  readonly answer: (split: Split) => Omit<Outcome, 'set' | 'name'>;
}

const REFUSED = { answers: null } as const;

/** What `--model auto` says, with intervals of several levels. */
export const auto: Method = {
  name: 'predict',
  intervals: true,
  answer: ({ training, unseen, ranksPerNode, traffic }) => {
    const solved = attempt(() => chooseAmong(training, { ranksPerNode, traffic }).solved);
    if (!solved) return REFUSED;
    return { answers: answersOf(solved, unseen, LEVELS) };
  },
};

/** Of each unseen cell, with what lies inside the intervals of these levels besides that of 90 %. */
export function answersOf(solved: Solved | Mixed, unseen: Rows, levels: readonly number[]): Answer[] {
  const others = levels.map((level) => extrapolate(solved, unseen, { level }).cells);
  return extrapolate(solved, unseen, {}).cells.map(({ measured, predicted, interval, abstains }, index) => ({
    measured,
    predicted,
    low: interval?.low ?? 0,
    high: interval?.high ?? Number.MAX_VALUE,
    inside: others.map((cells) => {
      const { low, high } = cells[index]?.interval ?? { low: null, high: null };
      return measured >= (low ?? 0) && measured <= (high ?? Number.MAX_VALUE);
    }),
    abstains: abstains !== null,
  }));
}

/** The same where nobody measured the parts of times. */
export const withoutParts: Method = {
  ...auto,
  name: 'without parts',
  answer: ({ training, ...split }) =>
    auto.answer({
      ...split,
      training: { ...training, communication: new Float64Array(training.length).fill(Number.NaN) },
    }),
};

/** Forms by themselves, as least squares of relative errors finds them. */
const alone: readonly Method[] = (
  [
    ['Eq 2, Eq 6', (rows) => paperModelFor(variesIn(collapse(rows)))],
    ['Amdahl', (rows) => peerNamed(rows, 'amdahl')],
    ['USL', (rows) => peerNamed(rows, 'usl')],
    ['Ernest', (rows) => peerNamed(rows, 'ernest')],
    ["Extra-P's form", (rows, ranksPerNode) => pmnfForm(collapse(rows), { ranksPerNode, baseScale: 0 })],
  ] as const satisfies readonly (readonly [string, (rows: Rows, ranksPerNode: number) => Form | ModelName | null])[]
).map(([name, formFor]) => ({
  name,
  intervals: false,
  answer: ({ training, unseen, ranksPerNode }) => {
    const solved = attempt(() => {
      const form = formFor(training, ranksPerNode);
      return form && solveModel(form, training, { ranksPerNode, baseScale: 0, errors: 'relative' });
    });
    if (!solved) return REFUSED;
    const cells = collapse(unseen);
    const answers = Array.from(cells.mean, (measured, cell): Answer => {
      const predicted = predict(solved.fit, settingAt(cells, cell));
      return { measured, predicted, low: predicted, high: predicted, abstains: false };
    });
    return { answers };
  },
}));

function peerNamed(rows: Rows, name: string): Form | null {
  return peerForms(variesIn(collapse(rows))).find((form) => form.name === name) ?? null;
}

export const methods: readonly Method[] = [auto, ...alone];
