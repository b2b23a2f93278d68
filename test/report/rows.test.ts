import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { at } from '../../base/lists.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { fromFiles } from '../../modeling/questions/measurements.ts';
import { report } from '../../orchestrator/cli/report.ts';
import { buildRows, type RowsData } from '../../report/content/build-rows.ts';
import { renderRowsReport } from '../../report/render.ts';
import { tempFolder } from '../experiments/make.ts';
import { fixturePath } from '../modeling/fixtures.ts';

const GENERATED = '2026-01-02T03:04:05Z';
const PER_NODE = 18;

const base = fixturePath('eq3_s26-30');
const refined = fixturePath('eq6_s28');
const source = await fromFiles([base, refined], { ranksPerNode: PER_NODE });
const data = buildRows(source, { sources: ['base.csv', 'refined.csv'], generatedAt: GENERATED });

/** Least squares on all rows by the normal equations, with D / x and D / sqrt(x) as columns. */
function leastSquares(path: string, wanted: (scale: number) => boolean): [number, number] {
  let [aa, ab, bb, ay, by] = [0, 0, 0, 0, 0];
  for (const line of readFileSync(path, 'utf8').trim().split('\n').slice(1)) {
    const [scale = 0, nodes = 0, , , ct = 0] = line.split(',').map(Number);
    if (!wanted(scale)) continue;
    const size = wanted(scale - 1) || wanted(scale + 1) ? 2 ** (scale - 25) : 1;
    const [a, b] = [size / (PER_NODE * nodes), size / Math.sqrt(PER_NODE * nodes)];
    [aa, ab, bb] = [aa + a * a, ab + a * b, bb + b * b];
    [ay, by] = [ay + a * ct, by + b * ct];
  }
  const det = aa * bb - ab * ab;
  return [(ay * bb - by * ab) / det, (aa * by - ab * ay) / det];
}

const constantOf = (equation: RowsData['fits']['eq2'][number], name: string): number =>
  equation.constants[name]?.value ?? Number.NaN;

test('Table II is the least-squares solution of each scale, and Eq 3 that of all', () => {
  expect(data.fits.eq2.map(({ scales }) => scales)).toEqual([[26], [27], [28], [29], [30]]);
  for (const equation of [...data.fits.eq2, ...data.fits.eq3]) {
    const [c1, c2] = leastSquares(base, (scale) => equation.scales.includes(scale));
    expect(constantOf(equation, 'C1') / c1).toBeCloseTo(1, 8);
    expect(constantOf(equation, 'C2') / c2).toBeCloseTo(1, 8);
  }
  expect(at(data.fits.eq3, 0).baseScale).toBe(25);
});

test('Eq 6 is what predict model fits, and Table V where its two parts are equal', () => {
  const { fit } = solveModel('eq6', source.rows, { ranksPerNode: PER_NODE, at: { scale: 28 } });
  const [own] = data.fits.eq6;
  expect([own?.r2, own?.mse, own && constantOf(own, 'alpha')]).toEqual([fit.r2, fit.mse, fit.alpha]);

  expect(data.dominance.map(({ model, scale }) => [model, scale])).toEqual([
    ['eq2', 28],
    ['eq3', 28],
    ['eq6', 28],
  ]);
  for (const { model, nodes, admissibleNodes } of data.dominance) {
    const equation = Object.values(data.fits)
      .flat()
      .find((one) => one.model === model && one.scales.includes(28));
    if (equation === undefined) throw new Error(`no ${model}`);
    const alpha = equation.constants.alpha?.value ?? 1;
    // C1 / x = C2 alpha / sqrt(x), x = 18 n.
    const crossing = (constantOf(equation, 'C1') / (constantOf(equation, 'C2') * alpha)) ** 2 / PER_NODE;
    expect((nodes.value ?? 0) / crossing).toBeCloseTo(1, 6);
    expect(admissibleNodes.value).toBe(Math.ceil(Math.sqrt(crossing)) ** 2);
    expect([(nodes.low ?? 0) < crossing, (nodes.high ?? Infinity) > crossing]).toEqual([true, true]);
  }
});

test('the page has every figure that the rows allow, and says what the others need', () => {
  const { document } = parseHTML(renderRowsReport(data));
  const texts = (selector: string): string[] => [...document.querySelectorAll(selector)].map((one) => one.textContent);
  const titles = texts('figure strong').map((text) => text.split(':')[0]);
  const drawn = ['2 (a)', '2 (b)', '3 (a)', '3 (b)', '4 (a)', '4 (b)', '5 (a)', '5 (b)', '6 (a)'];
  expect(titles).toEqual([...drawn, '7 (a)', '7 (b)', '8 (a)', '8 (b)'].map((name) => `Figure ${name}`));
  expect(
    texts('caption')
      .filter((text) => text.startsWith('Table'))
      .map((text) => text.split(':')[0]),
  ).toEqual(['I', 'II', 'III', 'V'].map((name) => `Table ${name}`));
  expect(texts('.missing').map((text) => text.split(':')[0])).toEqual([
    'Table IV and Figure 6 (b)',
    'The rest of Figure 8',
  ]);
  // A dot for each scale and node count, moved apart where several stand on one count.
  const [first] = document.querySelectorAll('figure');
  const places = [...(first?.querySelectorAll('circle:has(title)') ?? [])].map((dot) => dot.getAttribute('cx'));
  expect([places.length, new Set(places).size]).toEqual([20, 20]);
});

test('without a folder the command reads rows and writes their page', async () => {
  const dir = tempFolder();
  const out = join(dir, 'page.html');
  const answer = await report(undefined, [], { data: [fixturePath('eq5_s29_n25')], out, ranksPerNode: '18' });
  const { fits, missing } = answer.json as RowsData;
  expect(constantOf(at(fits.eq5, 0), 'C')).toBeCloseTo(1.023502, 6);
  expect(Object.keys(missing)).toEqual(['eq2', 'eq3', 'throttled', 'eq6', 'eq7', 'demands', 'projections']);
  expect(readFileSync(out, 'utf8')).toContain('Figure 4 (b)');
  await expect(report(undefined, [], {})).rejects.toThrow('Name one source');
  await expect(report(dir, [], { ranksPerNode: '18' })).rejects.toThrow('--ranks-per-node is about rows');
});
