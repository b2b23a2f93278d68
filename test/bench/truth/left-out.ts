// How sure answers are of programs that no constant was chosen on: each program's tables with the constants that are best on
// all others. Programs are few: figures have intervals from resampled programs (cluster bootstrap).
import { quantile } from 'simple-statistics';
import { attempt } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { chooseAmong } from '../../../modeling/judge/compare-candidates.ts';
import { createRandom } from '../../../modeling/judge/distributions.ts';
import { answersOf } from './methods.ts';
import { line, printCoverage, printHead, row } from './print.ts';
import { intervalScore, isInside, LEVELS, type Outcome } from './score.ts';
import { type Split, tableSplits } from './tables.ts';
import { SHIPPED, VARIANTS, type Variant, withVariant } from './variants.ts';

const SHARES = [0.4, 0.6];
const RESAMPLES = 4000;

interface Table {
  readonly share: number;
  readonly split: Split;
}

interface Answered {
  readonly share: number;
  readonly outcome: Outcome;
}

export function printLeftOut(folder: string): void {
  const tables = SHARES.flatMap((share) => tableSplits(folder, share).map((split): Table => ({ share, split })));
  const programs = [...new Set(tables.map(({ split }) => split.set))];
  const byTable = tables.map((table) => answer(table, { variants: VARIANTS, levels: [] }));
  const all = VARIANTS.map((variant, index) => ({ variant, answered: byTable.map((one) => at(one, index)) }));
  const chosen = new Map(
    programs.map((program) => {
      const others = programs.filter((one) => one !== program);
      const scores = all.map(({ answered }) => scoreOf(sumsOf(answered), others));
      return [program, at(VARIANTS, scores.indexOf(Math.min(...scores)))];
    }),
  );
  const shipped = at(all, 0).answered;
  const leftOut = tables.flatMap((table) =>
    answer(table, { variants: [chosen.get(table.split.set) ?? SHIPPED], levels: LEVELS }),
  );
  printVariants(all, { programs, shipped, chosen });
  for (const share of SHARES) {
    const ofShare = (answered: readonly Answered[]): Outcome[] =>
      answered.filter((one) => one.share === share).map(({ outcome }) => outcome);
    printHead(`The smallest ${share * 100} % of the node counts train`);
    console.log(line('as shipped', ofShare(shipped), true));
    console.log(line('chosen without the program', ofShare(leftOut), true));
    const splits = tables.filter((one) => one.share === share).map(({ split }) => split);
    printCoverage(splits, ofShare(leftOut));
  }
  printSureness(programs, { 'as shipped': shipped, 'chosen without the program': leftOut });
}

/** With each variant; null where the rows determine no form. */
function answer(
  { share, split: { set, name, training, unseen, ranksPerNode } }: Table,
  { variants, levels }: { readonly variants: readonly Variant[]; readonly levels: readonly number[] },
): Answered[] {
  const solved = attempt(() => chooseAmong(training, { ranksPerNode }).solved);
  return variants.map((variant) => {
    const answers = solved && answersOf(withVariant(solved, variant), unseen, levels);
    return { share, outcome: { set, name, answers } };
  });
}

/** Over the answers of each program. */
type Sums = ReadonlyMap<string, { readonly answers: number; readonly inside: number; readonly score: number }>;

function sumsOf(answered: readonly Answered[]): Sums {
  const sums = new Map<string, { answers: number; inside: number; score: number }>();
  for (const { outcome } of answered) {
    const { answers, inside, score } = sums.get(outcome.set) ?? { answers: 0, inside: 0, score: 0 };
    const own = outcome.answers ?? [];
    sums.set(outcome.set, {
      answers: answers + own.length,
      inside: inside + own.filter(isInside).length,
      score: own.reduce((sum, one) => sum + intervalScore(one), score),
    });
  }
  return sums;
}

/** Mean interval score of all answers of these programs. */
function scoreOf(sums: Sums, programs: readonly string[]): number {
  return meanOf(sums, programs, 'score');
}

function coverageOf(sums: Sums, programs: readonly string[]): number {
  return meanOf(sums, programs, 'inside') * 100;
}

function meanOf(sums: Sums, programs: readonly string[], figure: 'inside' | 'score'): number {
  const total = (key: 'answers' | 'inside' | 'score'): number =>
    programs.reduce((sum, one) => sum + (sums.get(one)?.[key] ?? 0), 0);
  return total(figure) / total('answers');
}

function printVariants(
  all: readonly { readonly variant: Variant; readonly answered: readonly Answered[] }[],
  {
    programs,
    shipped,
    chosen,
  }: {
    readonly programs: readonly string[];
    readonly shipped: readonly Answered[];
    readonly chosen: ReadonlyMap<string, Variant>;
  },
): void {
  console.log(`\n${programs.length} programs: mean interval score, and by how much it is less than as shipped`);
  const shares = [...SHARES.map((share) => `${share * 100} %`), 'both'];
  console.log(`${row('', [...shares, 'less by'])}  (90 % interval), and the programs without which it is the best`);
  const before = sumsOf(shipped);
  for (const { variant, answered } of all) {
    const some = [...SHARES.map((share) => answered.filter((one) => one.share === share)), answered];
    const scores = some.map((one) => scoreOf(sumsOf(one), programs).toFixed(3));
    const after = sumsOf(answered);
    const gain = (drawn: readonly string[]): number => scoreOf(before, drawn) - scoreOf(after, drawn);
    const without = programs.filter((program) => chosen.get(program) === variant);
    const range = formatRange(resampled(programs, gain), 3);
    console.log(
      `${row(variant.name, [...scores, gain(programs).toFixed(3)])}  ${range.padEnd(18)} ${without.join(', ')}`,
    );
  }
}

function printSureness(programs: readonly string[], methods: Readonly<Record<string, readonly Answered[]>>): void {
  console.log('\nWith programs resampled: 90 % intervals of what lies inside, in a hundred, and of the score');
  for (const [name, answered] of Object.entries(methods)) {
    for (const shares of [...SHARES.map((share) => [share]), SHARES]) {
      const sums = sumsOf(answered.filter(({ share }) => shares.includes(share)));
      const coverage = (drawn: readonly string[]): number => coverageOf(sums, drawn);
      const score = (drawn: readonly string[]): number => scoreOf(sums, drawn);
      const figures = [
        `${coverage(programs).toFixed(0)} ${formatRange(resampled(programs, coverage), 0)}`,
        `${score(programs).toFixed(2)} ${formatRange(resampled(programs, score), 2)}`,
      ];
      const trained = shares.map((share) => `${share * 100} %`).join(' and ');
      console.log(`  ${`${name}, ${trained}`.padEnd(44)}${figures.map((one) => one.padEnd(24)).join('')}`);
    }
  }
}

interface Range {
  readonly low: number;
  readonly high: number;
}

/** 90 % interval of a figure over as many programs, drawn with replacement. */
function resampled(programs: readonly string[], figure: (drawn: readonly string[]) => number): Range {
  const random = createRandom(1);
  const values = Array.from({ length: RESAMPLES }, () =>
    figure(programs.map(() => at(programs, Math.floor(random.uniform() * programs.length)))),
  );
  return { low: quantile(values, 0.05), high: quantile(values, 0.95) };
}

function formatRange({ low, high }: Range, digits: number): string {
  return `(${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
