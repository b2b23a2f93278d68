// What tables and sentences say of the paper's job, worked out from its service times, instances and link.
import { describe, expect, it } from 'vitest';
import { explainJobs } from '../../../analysis/dag/explain/explain-jobs.ts';
import type { ExplainedJobs } from '../../../analysis/dag/explain/explained.ts';
import {
  edgeColumns,
  type JobColumn,
  runColumns,
  stepColumns,
  targetWords,
  taskColumns,
} from '../../../analysis/dag/explain/job-tables.ts';
import { adviceWords, crossingWords, dagFindings } from '../../../analysis/dag/explain/job-words.ts';
import { paperJob } from './paper-job.ts';
import { simulateAndWatch } from './watched.ts';

const OPTIONS = { level: 0.9, target: 2.5, size: 4000, price: 0.1 };
const runOf = (ocr: number, pdf: number) => simulateAndWatch(paperJob(ocr, pdf), { periodS: 60 });
const labelOf = runOf(1, 1).job.labelOf;

/** The cells of some columns, by the titles. */
function table<Row>(columns: readonly JobColumn<Row>[], rows: readonly Row[], heads: readonly string[]): string[][] {
  return rows.map((row) =>
    heads.map((head) => (columns.find((one) => one.head === head) ?? expect.fail(head)).text(row)),
  );
}
/** `2.79/s (2.77 to 2.81/s)`: the rate is the middle one of the three. */
function rateIn(text = ''): number {
  const [, rate, low, high] = (/^([\d.]+)\/s \(([\d.]+) to ([\d.]+)\/s\)$/.exec(text) ?? []).map(Number);
  expect(rate).toBeGreaterThanOrEqual(low ?? Number.NaN);
  expect(rate).toBeLessThanOrEqual(high ?? Number.NaN);
  return rate ?? Number.NaN;
}

describe('the job of 16 OCR and 5 PDF instances, which its link limits to 2.78 records a second', () => {
  const explained = explainJobs([runOf(4, 1), runOf(16, 5)], OPTIONS);

  it('tasks: busy by what they take of a record, and limited by their instances', () => {
    const rows = table(taskColumns(explained), explained.tasks, ['task', 'instances', 'busy', 'waits', 'limits to']);
    const taken = { 'file-reader': [0.1, 1], ocr: [4.4, 16], 'pdf-creator': [1.12, 5], 'inverted-index': [0.03, 1] };
    for (const [index, [task, [seconds = 0, instances = 0]]] of Object.entries(taken).entries()) {
      const [named, count, busy = '', waits = '', limit] = rows[index] ?? [];
      expect([named, count]).toEqual([task, String(instances)]);
      expect(Math.abs(Number.parseInt(busy, 10) - (100 * 2.78 * seconds) / instances)).toBeLessThan(1.5);
      expect(Number.parseInt(busy, 10) + Number.parseInt(waits, 10)).toBe(100);
      expect(rateIn(limit) / (instances / seconds)).toBeCloseTo(1, 1.5);
    }
    // One record of 4,000: in most periods it does nothing.
    expect(rows.at(-1)).toEqual(['index-writer', '1', '0 %', '100 %', '?']);
  });

  it('edges: the one that limits has its rate, of the others nothing is known', () => {
    const [first = [], ...others] = table(edgeColumns(explained), explained.edges, [
      'edge',
      'full',
      'bottleneck',
      'limits to',
    ]);
    expect(first[0]).toBe('file-reader → ocr');
    expect(Number.parseInt(first[1] ?? '', 10)).toBeGreaterThan(95);
    expect(rateIn(first[3])).toBeCloseTo(2.78, 1);
    expect(others.map(([, ...cells]) => cells)).toEqual(Array(4).fill(['0 %', '0 %', '?']));
  });

  it('runs: the first limited by PDF Creator, whose instance takes 1.12 s; more of both reach the link', () => {
    const heads = ['instances', 'bandwidth', 'rate', 'predicted', 'limited by', 'of the time'];
    const [first = [], second = []] = table(runColumns(explained, labelOf), explained.runs, heads);
    expect([first[0], first[1], first[3], first[4]]).toEqual(['1 4 1 1 1 1', '?', '', "Task 'pdf-creator'"]);
    expect(Number.parseFloat(first[2] ?? '')).toBeCloseTo(1 / 1.12, 1);
    // By the first run alone the tasks allow 16 / 4.4.
    expect(rateIn(second[3])).toBeCloseTo(16 / 4.4, 1);
    expect([second[4], Number.parseFloat(second[2] ?? '')]).toEqual([
      'Edge file-reader → ocr',
      expect.closeTo(2.78, 1),
    ]);
  });

  it('2.5 records a second take 11 OCR and 3 PDF instances, 16 machines with the two others', () => {
    const [said = '', safe] = targetWords(explained, labelOf);
    expect(said).toMatch(
      /^For 2\.5\/s: 1 of 'file-reader', 11 of 'ocr', 3 of 'pdf-creator', .*, 16 machines, the whole job in 26 min/,
    );
    expect(safe).toMatch(
      /^With the upper ends of the intervals: 1 of 'file-reader', 1[12] of 'ocr', 3 of 'pdf-creator',/,
    );
    const beyond = explainJobs([runOf(16, 5)], { ...OPTIONS, target: 9 });
    expect(targetWords(beyond, labelOf)).toEqual([
      expect.stringMatching(
        /^9\/s cannot be reached: the edge file-reader → ocr limits the job to 2\.\d+\/s .*, however many/,
      ),
    ]);
    expect(targetWords({ ...explained, target: null }, labelOf)).toEqual([]);
  });

  it('advises to stop, and finds the edge', () => {
    const { advice } = explained.runs.at(-1) ?? expect.fail();
    expect(adviceWords(advice, labelOf)).toMatch(
      /^Stop here: more instances of '.*' would be idle, because the edge file-reader → ocr/,
    );
    const [finding] = dagFindings(explained, labelOf);
    expect(finding).toMatchObject({ kind: 'dag/io-bottleneck', where: 'file-reader → ocr' });
    expect((finding?.seconds ?? 0) / (explained.runs.at(-1)?.seconds ?? 1)).toBeCloseTo(
      (finding?.percent ?? 0) / 100,
      9,
    );
  });
});

it('steps from one instance of each: OCR first, to as many as PDF Creator allows, then both in turn', () => {
  const explained = explainJobs([runOf(1, 1)], OPTIONS);
  const columns = stepColumns(explained, labelOf);
  const heads = ['more of', "'ocr'", "'pdf-creator'", 'machines', 'rate', 'price', 'then limits'];
  const [now = [], next = [], then = []] = table(columns, explained.steps, heads);
  expect(columns.map(({ head }) => head)).not.toContain("'file-reader'");
  expect(now.slice(0, 4)).toEqual(['(current)', '1', '1', '4']);
  expect(rateIn(now[4])).toBeCloseTo(1 / 4.4, 2);
  // 4,000 records take 293 minutes: five hours of four machines.
  expect([now[5], now[6]]).toEqual(['2.00', "Task 'ocr'"]);
  expect([next.slice(0, 4), next[6]]).toEqual([['ocr', '4', '1', '7'], "Task 'pdf-creator'"]);
  expect(rateIn(next[4])).toBeCloseTo(1 / 1.12, 1);
  expect(then.slice(0, 3)).toEqual(['pdf-creator', '4', '2']);
  const advice = explained.runs[0]?.advice ?? expect.fail();
  expect(adviceWords(advice, labelOf)).toBe(
    "Give 'ocr' 2 instances instead of 1; with 4 the next busiest task limits as much.",
  );
  expect(dagFindings(explained, labelOf)[0]?.sentence).toMatch(
    /^Task 'ocr' is the bottleneck in \d+ % of the time\. Give 'ocr' .* That is [34]\.\d\d times the rate\.$/,
  );
});

it('bytes are told in MB and by their rates, and columns of which nothing is known are not there', () => {
  const task = { label: 't', instances: 1, busy: null, imbalance: null, cpu: 0.5, disk: null, share: 0.25 };
  const explained = {
    ...{ unit: 'bytes', edges: [], steps: [], tellsMachines: false },
    tasks: [
      {
        ...task,
        busyS: { value: 2e-6, low: null, high: null },
        limit: { value: 2048, low: null, high: null },
        basis: 'at most',
      },
    ],
  } as unknown as ExplainedJobs;
  const columns = taskColumns(explained);
  expect(columns.map(({ head, text }) => [head, text(explained.tasks[0] ?? expect.fail())])).toEqual([
    ...[
      ['task', 't'],
      ['instances', '1'],
      ['busy', '?'],
      ['waits', '?'],
      ['busiest', '?'],
      ['on a CPU', '50 %'],
    ],
    ...[
      ['bottleneck', '25 %'],
      ['CPU per MB', '2 s'],
      ['limits to', 'at least 2 KiB/s'],
    ],
  ]);
});

it.each([
  [null, { limited: 20, free: 50 }, 'up to 20 % of the bandwidth in these runs, and not from 50 % on.'],
  [
    { value: 30, low: 25, high: 40 },
    { limited: 20, free: null },
    'up to 20 % of the bandwidth in these runs, in all of them. By the limits the crossover is at 30 % (25 to 40 %).',
  ],
])('an edge that runs at several bandwidths show to limit: %j, %j', (crossingBw, seenCrossing, said) => {
  expect(crossingWords([{ label: 'a → b', crossingBw, seenCrossing }])).toEqual([
    `The edge a → b is the bottleneck ${said}`,
  ]);
  expect(crossingWords([{ label: 'a → b', crossingBw, seenCrossing: null }])).toEqual([]);
});
