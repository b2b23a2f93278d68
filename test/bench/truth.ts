// How far predictions for unseen node counts are off, and whether intervals hold them: real tables, programs on the emulated
// cluster, made campaigns. `npm run bench -- truth [--tables FOLDER] [--campaigns N]`; docs/evaluation.md says what came out.
// `--left-out`: the tables of each program with constants that were chosen without it.
// `--against FOLDER`: the `predict` of another checkout and this one side by side, each by its command line.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../base/paths.ts';
import { launched } from './truth/launched.ts';
import { printLeftOut } from './truth/left-out.ts';
import { auto, type Method, methods, withoutParts } from './truth/methods.ts';
import { line, printCoverage, printHead } from './truth/print.ts';
import { campaignSplit, programSplits } from './truth/programs.ts';
import type { Outcome } from './truth/score.ts';
import { knownTruths, syntheticSplits } from './truth/synthetic.ts';
import { type Split, tableSplits } from './truth/tables.ts';

const { values } = parseArgs({
  args: process.argv.slice(process.argv.indexOf('truth') + 1),
  options: {
    tables: { type: 'string', default: join('test', 'fixtures', 'real-clusters') },
    campaigns: { type: 'string' },
    against: { type: 'string' },
    'left-out': { type: 'boolean', default: false },
  },
});

const PROGRAMS = join('test', 'fixtures', 'mpi-programs');
const PARTS = join('test', 'fixtures', 'real-parts');
const COUNTED = join('test', 'fixtures', 'campaigns', 'alltoall');
const MADE = 'Made campaigns of 4 to 25 nodes, asked for 100 and 256';
const programs = async (share: number): Promise<Split[]> => [
  ...programSplits(PROGRAMS, share),
  await campaignSplit(COUNTED, share),
];

if (values['left-out']) {
  printLeftOut(values.tables);
} else if (values.against === undefined) {
  for (const share of [0.4, 0.6]) {
    const splits = tableSplits(values.tables, share);
    const [own] = print(`Real tables, the smallest ${share * 100} % of the node counts train`, splits, methods);
    printCoverage(splits, own ?? []);
  }
  for (const share of [0.4, 0.6]) {
    print(`Real tables with communication, ${share * 100} % train`, tableSplits(PARTS, share), [auto, withoutParts]);
  }
  for (const share of [0.4, 0.6]) {
    print(`Programs on the emulated cluster, ${share * 100} % train`, await programs(share), methods);
  }
  print(MADE, syntheticSplits(Number(values.campaigns ?? 8)), methods);
} else {
  const both = [launched('this one', projectRoot()), launched('the other', values.against)];
  for (const share of [0.4, 0.6]) {
    print(
      `Real tables, the smallest ${share * 100} % of the node counts train`,
      tableSplits(values.tables, share),
      both,
    );
  }
  print('Programs on the emulated cluster, 40 % train', await programs(0.4), both);
  print(MADE, syntheticSplits(Number(values.campaigns ?? 1)), both);
}

/** Returns what each method answered. */
function print(title: string, splits: readonly Split[], asked: readonly Method[]): Outcome[][] {
  printHead(title);
  return asked.map((method) => {
    const outcomes = splits.map((split): Outcome => ({ set: split.set, name: split.name, ...method.answer(split) }));
    console.log(line(method.name, outcomes, method.intervals));
    if (method !== asked[0] && values.against === undefined) return outcomes;
    for (const set of new Set(splits.map((split) => split.set))) {
      console.log(
        line(
          `  ${set}`,
          outcomes.filter((one) => one.set === set),
          true,
        ),
      );
    }
    for (const [name, known] of [
      ['  form known', true],
      ['  form not known', false],
    ] as const) {
      const some = outcomes.filter(({ set }) => set.startsWith('synthetic') && knownTruths.includes(set) === known);
      if (some.length > 0) console.log(line(name, some, true));
    }
    for (const [name, abstained] of [
      ['  answered', false],
      ['  abstained from', true],
    ] as const) {
      const some = outcomes.map((one) => ({
        ...one,
        answers: one.answers?.filter(({ abstains }) => abstains === abstained) ?? null,
      }));
      console.log(
        line(
          name,
          some.filter(({ answers }) => answers?.length !== 0),
          true,
        ),
      );
    }
    console.log(silentLine(outcomes));
    return outcomes;
  });
}

/** Of answers that are wrong by more than 10 %, how many neither abstain nor lie inside their interval. */
function silentLine(outcomes: readonly Outcome[]): string {
  const wrong = outcomes.flatMap(({ answers }) =>
    (answers ?? [])
      .filter(({ measured, predicted }) => Math.abs(predicted / measured - 1) > 0.1)
      .map(({ measured, low, high, abstains }) => ({ silent: !abstains && (measured < low || measured > high) })),
  );
  return `  of ${wrong.length} answers wrong by more than 10 % ${wrong.filter(({ silent }) => silent).length} lie outside their interval and are not abstained from`;
}
