import { expect, test } from 'vitest';
import { expand } from '../../../analysis/profiles/questions/expand.ts';
import { runHistory } from '../../../analysis/profiles/questions/history.ts';
import { seriesJudge } from '../../../analysis/profiles/questions/judges.ts';
import { leastStdOf, rankRows, series } from '../../../analysis/profiles/questions/path-series.ts';
import { mulberry32 } from '../../../base/lists.ts';
import { selectionOf } from './make.ts';

/** Where the time of a program goes, in expected samples; `sort` is called from two places. */
const PROGRAM: readonly (readonly [stack: string, samples: number])[] = [
  ['main', 40],
  ['main;load', 900],
  ['main;load;parse', 4000],
  ['main;load;parse;alloc', 700],
  ['main;join', 2500],
  ['main;join;hash', 6000],
  ['main;join;hash;alloc', 900],
  ['main;report', 500],
  ['main;report;sort', 300],
  ['main;join;sort', 1700],
  ['main;join;sort;compare', 800],
  ['main;report;print', 2600],
];

/** Samples of one run, each count Poisson's by a normal with its variance; what ends in `slow` takes so many times as long. */
function runOf(seed: number, slow: string, factor: number): string {
  const random = mulberry32(seed);
  return PROGRAM.map(([stack, samples]) => {
    const mean = samples * (stack.split(';').at(-1) === slow ? factor : 1);
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return `${stack} ${Math.max(0, Math.round(mean + Math.sqrt(mean) * normal))}\n`;
  }).join('');
}

test.each([1, 2, 3, 4, 5, 6])(
  'a function that takes 20 %% longer in the last of ten runs comes first, with its context (seed %d)',
  (seed) => {
    const texts = Array.from({ length: 10 }, (_, run) => runOf(100 * seed + run, 'hash', run === 9 ? 1.2 : 1));
    const selection = selectionOf(texts.map((text) => ({ text })));
    const question = { benchmark: 'b', candidate: null, window: 10, value: 'total', noise: true } as const;
    const { rows, warnings } = series(selection, question);
    expect(warnings).toEqual([]);
    expect(rows[0]?.codePath).toBe('hash');
    const callers = ['join', 'main'];
    expect(
      rows.filter(({ score, codePath }) => score > 4 && !callers.includes(codePath)).map(({ codePath }) => codePath),
    ).toEqual(['hash']);
    const runs = runHistory(selection, question);
    const judge = seriesJudge(runs, { value: 'total', leastStd: leastStdOf(runs, { value: 'total', noise: true }) });
    const [branch] = expand(judge, {
      ...{
        path: selection.names.id('hash'),
        names: selection.names,
        negatives: false,
        threshold: 2,
        maxDepth: 10,
        maxBreadth: 3,
      },
      direction: 'parents',
    });
    expect(branch?.map(({ codePath }) => codePath)).toEqual(['hash', 'join', 'main']);
  },
);

test.each([1, 2, 3])(
  'rarely seen code paths score higher by a sample or two, and rank below what takes more without doubt (seed %d)',
  (seed) => {
    const texts = Array.from({ length: 10 }, (_, run) => {
      const rare = run === 9 ? 3 : run === 4 ? 1 : 0;
      return `${runOf(100 * seed + run, 'sort', run === 9 ? 1.2 : 1)}main;tick;interrupt ${rare}\n`;
    });
    const question = { benchmark: 'b', candidate: null, window: 10, value: 'total', noise: true } as const;
    const { rows } = series(selectionOf(texts.map((text) => ({ text }))), question);
    const first = (rank: 'change' | 'score') => rankRows(rows, rank)[0]?.codePath;
    expect(['interrupt', 'tick']).toContain(first('score'));
    expect(first('change')).toBe('sort');
    for (const { beyond, diff, std } of rankRows(rows, 'change'))
      expect(beyond).toBeCloseTo(std > 0 ? diff - 2 * std : 0, 9);
  },
);
