import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runPredict } from '../run-predict.ts';

const data = (name: string): string => fileURLToPath(new URL(`../fixtures/modeling/${name}.csv`, import.meta.url));

const RANKS = ['--ranks-per-node', '18', '--base-scale', '25'];

const run = (...args: string[]) => runPredict(args);

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests look at
async function json(...args: string[]): Promise<any> {
  const { stdout, stderr, exitCode } = await run(...args, '--json');
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  return JSON.parse(stdout);
}

describe('fit', () => {
  test('numbers without --interval, value, low and high with it', async () => {
    const plain = await json('fit', '--data', data('eq6_s28'), '--model', 'eq6', ...RANKS);
    expect(plain.coefficients.C1).toBeCloseTo(115.932349, 5);
    expect(plain.alpha).toBeCloseTo(1.1076228872, 9);
    const wide = await json(
      'fit',
      '--data',
      data('eq6_s28'),
      '--model',
      'eq6',
      ...RANKS,
      '--interval',
      '0.9',
      '--bootstrap',
      '200',
      '--seed',
      '3',
    );
    expect(wide.coefficients.C1.value).toBe(plain.coefficients.C1);
    expect(wide.coefficients.C1.low).toBeLessThan(wide.coefficients.C1.value);
    expect(wide.alpha.high).toBeGreaterThan(wide.alpha.value);
    expect(wide.r2).toBe(plain.r2);
  });

  test('--model auto says what it chose, among what, and warns of what is misspecified', async () => {
    const auto = await json('fit', '--data', data('eq6_s28_latency'), '--model', 'auto', ...RANKS);
    expect(auto.chosen).toBe('eq6+sqrt(x)');
    expect(auto.model).toBe(auto.chosen);
    const { name, terms, score, warning } = auto.candidates[0];
    expect([name, terms, typeof score, warning]).toEqual([
      'eq6+sqrt(x)',
      ['C1/x', 'C2*w/sqrt(x)', 'C3*sqrt(x)'],
      'number',
      null,
    ]);
    expect(auto.warnings).toEqual([]);
    const paper = await run('fit', '--data', data('eq6_s28_latency'), '--model', 'eq6', ...RANKS);
    expect(paper.stdout).toMatch(/Careful: Misspecified: .* depend on the node counts/);
  });

  test('what is wrong with a flag is one sentence and exit code 2', async () => {
    for (const [args, message] of [
      [['--interval', '2'], /--interval: '2' is outside its range, 0.501 to 0.9999/],
      [['--bootstrap', '5'], /--bootstrap: '5'/],
      [['--model', 'eq9'], /The model 'eq9' is not one of auto, eq2/],
      [['--errors', 'big'], /--errors: 'big' is unknown/],
    ] as const) {
      const { stderr, exitCode } = await run('fit', '--data', data('eq6_s28'), ...RANKS, ...args);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(message);
    }
  });
});

describe('project', () => {
  test.each([
    ['eq2', 'C1=138.59,C2=4.004', 81],
    ['eq6', 'C1=118.026,C2=5.968,alpha=1.11', 25],
    ['eq3', 'C1=19.594353,C2=0.574235', 81],
    ['eq7', 'C1=15.25,C2=0.985,alpha=1.08', 16],
  ])("%s with the paper's coefficients gives Table V", async (model, coefficients, admissible) => {
    const { dominance } = await json(
      'project',
      '--coefficients',
      coefficients,
      '--model',
      model,
      ...RANKS,
      '--scale',
      '28',
      '--nodes',
      '64',
    );
    expect(dominance).toEqual([{ bw: 100, nodes: expect.any(Number), admissibleNodes: admissible }]);
  });

  test('intervals on times, rates, crossings; a measured run scatters more than the curve', async () => {
    const { projections, dominance, interval, baselines } = await json(
      'project',
      '--data',
      data('eq6_s28'),
      '--model',
      'eq6',
      ...RANKS,
      '--nodes',
      '64,256',
      '--bw',
      '20,100',
      '--interval',
      '--bootstrap',
      '200',
    );
    expect(interval).toBe(0.9);
    // At 100 % nothing was measured, so a line over nodes says nothing there; Eq 6 is what predicts.
    expect(baselines).toMatchObject({ nodes: 256, bw: 100, scale: 28, times: [{ name: 'amdahl' }] });
    expect(projections).toHaveLength(4);
    for (const { ct, gteps, measured } of projections) {
      expect(ct.low).toBeLessThan(ct.value);
      expect(gteps.low * ct.high).toBeCloseTo(gteps.value * ct.value, 9);
      expect(measured.high - measured.low).toBeGreaterThan(ct.high - ct.low);
    }
    expect(
      dominance.map(({ admissibleNodes }: { admissibleNodes: { value: number } }) => admissibleNodes.value),
    ).toEqual([9, 25]);
  });
});

describe('compare, plan and advise', () => {
  test('compare asks all models for the node counts that were kept out', async () => {
    const { chosen, unseen } = await json(
      'compare',
      '--data',
      data('eq6_s28'),
      ...RANKS,
      '--train-nodes',
      '4,9',
      '--bootstrap',
      '100',
    );
    expect(chosen).toBe('eq6');
    const own = unseen.find(({ name }: { name: string }) => name === 'eq6');
    expect(own.heldOutNodes).toEqual([16, 25]);
    expect(own.medianErrorPercent).toBeLessThan(3);
    expect(own.perBandwidth).toHaveLength(21);
    expect(own.insidePercent).toBeGreaterThan(60);
  });

  test('plan answers in sentences and a table', async () => {
    const flags = [
      '--data',
      data('eq6_s28_latency'),
      ...RANKS,
      '--nodes',
      '36..256',
      '--deadline',
      '0.5',
      '--memory',
      '64GiB',
      '--bootstrap',
      '100',
    ];
    const { options, sentences, deadline, memory } = await json('plan', ...flags);
    expect(options.map(({ nodes }: { nodes: number }) => nodes)).toEqual([
      36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 256,
    ]);
    const inTime = options.find(({ ct }: { ct: { value: number } }) => ct.value <= 0.5);
    // By the law behind the rows 81 nodes are the first.
    expect(inTime.nodes).toBeGreaterThanOrEqual(49);
    expect(inTime.nodes).toBeLessThanOrEqual(100);
    expect(deadline.smallest.nodes).toBe(inTime.nodes);
    expect(memory[0].smallestNodes).toBe(4);
    expect(sentences.join(' ')).toContain(`The smallest cluster under 500 ms is ${inTime.nodes} nodes`);
    const { stdout } = await run('plan', ...flags);
    expect(stdout).toMatch(/nodes +bw % +CT +90 % interval/);
  });

  test('advise names cells that sweep --cells takes', async () => {
    const advice = await json(
      'advise',
      '--data',
      data('eq6_s28'),
      ...RANKS,
      '--target',
      'nodes=100,bw=100,scale=28',
      '--budget',
      '1',
      '--nodes',
      '4..36',
      '--bootstrap',
      '100',
    );
    expect(advice.cells.length).toBeGreaterThan(0);
    expect(advice.after.high - advice.after.low).toBeLessThan(advice.before.high - advice.before.low);
    const folder = mkdtempSync(join(tmpdir(), 'advice-'));
    writeFileSync(join(folder, 'advice.json'), JSON.stringify(advice));
    const { parseCells } = await import('../../experiments/parse-cells.ts');
    expect(parseCells(join(folder, 'advice.json'))).toHaveLength(advice.cells.length);
  });
});

describe('exchange', () => {
  test.each(['csv', 'parquet', 'extrap-text', 'extrap-json', 'extrap-jsonl'])(
    '%s goes out and comes back as the same fit',
    async (format) => {
      const folder = mkdtempSync(join(tmpdir(), 'exchange-'));
      const [out, rows] = [join(folder, 'out'), join(folder, 'rows.csv')];
      await json('export', '--data', data('eq3_s26-30'), '--format', format, '--out', out);
      const seen = await json('import', out, '--format', format, '--out', rows);
      expect(seen.series).toHaveLength(1);
      const before = await json('fit', '--data', data('eq3_s26-30'), '--model', 'eq3', ...RANKS);
      const after = await json('fit', '--data', rows, '--model', 'eq3', ...RANKS);
      expect(after.coefficients.C1).toBeCloseTo(before.coefficients.C1, 9);
      expect(readFileSync(rows, 'utf8')).toMatch(/^scale,n,bw,rep,ct\n/);
    },
  );

  test('- is standard output for a file that is written, and nothing else goes there', async () => {
    const rows = data('eq3_s26-30');
    const [plain, dash] = await Promise.all([
      run('export', '--data', rows, '--format', 'csv'),
      run('export', '--data', rows, '--format', 'csv', '--out', '-'),
    ]);
    expect([dash.exitCode, dash.stdout]).toEqual([0, plain.stdout]);
    expect(dash.stderr).toContain('csv: -');
    expect(await run('import', rows, '--out', '-')).toMatchObject({
      stdout: expect.stringMatching(/^scale,n,bw,rep,ct\n/),
    });
    for (const [words, message] of [
      [
        ['export', '--data', rows, '--format', 'csv', '--json'],
        '--out - and --json would both write to standard output: name',
      ],
      [['sweep', '--nodes', '4', '--dry-run'], '--out -: standard output cannot be a folder: name one.'],
    ] as const) {
      const { exitCode, stdout, stderr } = await run(...words, '--out', '-');
      expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
    }
  });

  test('a point given twice is refused with its line', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'exchange-')), 'twice.txt');
    writeFileSync(path, 'PARAMETER p\nPOINTS 4 8 4\nREGION main\nMETRIC time\nDATA 1\nDATA 2\nDATA 3\n');
    const { stderr, exitCode } = await run('import', path, '--format', 'extrap-text');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/twice\.txt, line 2: .*4/);
  });
});
