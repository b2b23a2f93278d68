// Lines of what the bench `truth` prints.
import { distinct } from '../../../modeling/rows.ts';
import { type Answer, isInside, LEVELS, type Outcome, summary } from './score.ts';
import type { Split } from './tables.ts';

export function printHead(title: string): void {
  console.log(`\n${title}`);
  console.log(
    row('', ['n', 'refused', 'median %', 'mean %', 'p90 %', 'inside %', 'half %', 'score', 'worst x', 'abstains %']),
  );
}

/** Figures of some outcomes under the head. */
export function line(name: string, outcomes: readonly Outcome[], intervals: boolean): string {
  const all = summary(outcomes);
  const digits = (value: number, count = 1): string => (Number.isFinite(value) ? value.toFixed(count) : '-');
  return row(name, [
    String(all.outcomes),
    String(all.refused),
    digits(all.median),
    digits(all.mean),
    digits(all.p90),
    ...(intervals
      ? [digits(all.coverage, 0), digits(all.halfWidth), digits(all.intervalScore, 2), digits(all.worst, 2)]
      : ['-', '-', '-', '-']),
    digits(all.abstained, 0),
  ]);
}

/** Of the real tables: how many in a hundred lie inside the intervals of each probability, by distance and by what trained. */
export function printCoverage(splits: readonly Split[], outcomes: readonly Outcome[]): void {
  const cells = splits.flatMap((split, table) => {
    const counts = distinct(split.training, 'nodes');
    const unseen = distinct(split.unseen, 'nodes');
    const repeated = split.training.ct.length > counts.length ? 'repeated' : 'each once';
    return (outcomes[table]?.answers ?? []).map((answer, index) => {
      const distance = (unseen[index] ?? Number.NaN) / (counts.at(-1) ?? Number.NaN);
      const far = [2.2, 4.5, 9].find((bound) => distance <= bound);
      return {
        answer,
        bins: [
          'all',
          far === undefined ? 'beyond 9 times the nodes' : `up to ${far} times the nodes`,
          counts.length > 4 ? '5 and more counts' : `${counts.length} counts`,
          repeated,
        ],
      };
    });
  });
  console.log(
    row('Inside, in a hundred', [
      'n',
      ...[LEVELS[0], LEVELS[1], 0.9, LEVELS[2]].map((one) => `${Math.floor(one * 100)} %`),
    ]),
  );
  for (const bin of [...new Set(cells.flatMap(({ bins }) => bins))].sort()) {
    const own = cells.flatMap(({ answer, bins }) => (bins.includes(bin) ? [answer] : []));
    const share = (inside: (one: Answer) => boolean): string =>
      ((own.filter(inside).length / own.length) * 100).toFixed(0);
    const at = (level: number) => (one: Answer) => one.inside?.[level] === true;
    console.log(row(`  ${bin}`, [String(own.length), share(at(0)), share(at(1)), share(isInside), share(at(2))]));
  }
}

export function row(name: string, cells: readonly string[]): string {
  return name.padEnd(34) + cells.map((cell) => cell.padStart(11)).join('');
}
