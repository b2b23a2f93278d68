import { describe, expect, it } from 'vitest';
import { describeLargest, describeSkill } from '../../modeling/judge/baselines.ts';
import { type Answers, ASKED, answerLines } from '../../report/answers/answers-schema.ts';
import { emulated, paper, type Sweep } from './campaign.ts';
import { all, pageFrom, pageOf, tableOf } from './page.ts';

const pages: Readonly<Record<string, Sweep>> = { emulated, paper };

describe.each(Object.entries(pages))('the page of the %s campaign', (_, sweep) => {
  const page = pageOf(sweep);
  const { document, text, data } = page;
  const { answers } = data;
  if (answers === null) throw new Error('no answers');

  it('refers to nothing outside and runs no script but its planner', () => {
    expect(text.match(/(?:src|href)\s*=\s*["']?(?!["'#]|data:text\/csv;)[^"'\s>]+/i)).toBeNull();
    expect(text.match(/url\(|@import|<script|<link|<iframe|https?:/i)).toBeNull();
    expect(text.match(/<[^>]*\son\w+\s*=/i)).toBeNull();
    expect(page.whole.match(/<script/g)).toHaveLength(2);
    expect(page.whole).toContain('<section hidden id="planner"');
    expect(page.whole.match(/https?:(?!\/\/www\.w3\.org\/2000\/svg)|fetch\(|import\(|eval\(/)).toBeNull();
  });

  it('has a title, a first sentence with numbers and a heading per section', () => {
    expect(document.querySelector('title')?.textContent).toBe(data.title);
    expect(document.querySelector('.first')?.textContent).toMatch(/\d+\snodes/);
    expect(all(document, '.story dt').map(({ textContent }) => textContent)).toEqual(
      answerLines(answers).map(({ question }) => question),
    );
    expect(all(document, 'section h2').length).toBeGreaterThanOrEqual(7);
  });

  it('says in one place whether more nodes help, and never both that they do and that they do not', () => {
    const said = document.querySelector('body')?.textContent ?? '';
    expect(said).not.toMatch(/time is least at|more nodes make it slower|time only falls|more nodes never help/);
    const { verdict, sentence } = answers.moreNodes;
    expect(said.replaceAll('\u202f', ' ')).toContain(sentence);
    expect(/More nodes help/.test(said)).toBe(verdict === 'yes');
    expect(/More nodes do not help/.test(said)).toBe(verdict === 'no');
    if (verdict === 'yes') expect(said).not.toMatch(/nodes are slower than|time rises|then rises|do not help/i);
  });

  it('says what baselines predict beside the blind test and beside the largest cluster', () => {
    const { skill, medianErrorPercent } = answers.trust;
    const { baselines, projections, fits, points } = data;
    if (skill === null || medianErrorPercent === null) throw new Error('no blind test');
    expect(document.querySelector('#models')?.textContent).toContain(describeSkill(skill, medianErrorPercent));
    const predicted = projections.filter(({ abstains, fit }) => abstains === null && fit === fits[0]?.id);
    const [farthest, measured] = [predicted, points].map((rows) => Math.max(...rows.map(({ nodes }) => nodes)));
    expect(baselines?.nodes).toBe(farthest === measured ? undefined : farthest);
    const said = document.querySelector('#projections')?.textContent;
    expect(said).toContain(baselines === null ? '' : describeLargest(baselines));
  });

  it('is the same text every time', () => {
    expect(pageFrom(data).text === text).toBe(true);
  });

  it('links each entry of its contents to a section', () => {
    const links = all(document, 'nav a');
    expect(links.length).toBeGreaterThanOrEqual(7);
    for (const link of links) {
      expect(document.querySelector(`section${link.getAttribute('href') ?? ''}`), link.textContent).not.toBeNull();
    }
  });

  it('gives every figure a caption, a legend, and axes with units', () => {
    const figures = all(document, 'figure');
    expect(figures.length).toBeGreaterThanOrEqual(9);
    for (const figure of figures) {
      const name = figure.querySelector('figcaption strong')?.textContent ?? '';
      expect(name).not.toBe('');
      expect(all(figure, '.legend li').length, name).toBeGreaterThan(1);
      const svg = figure.querySelector('.chart svg');
      expect(svg?.getAttribute('role')).toBe('img');
      expect(svg?.getAttribute('aria-label')).toContain('Horizontal: ');
      for (const axis of ['x', 'y']) {
        const label = svg?.querySelector(`g[data-mark="${axis}-axis label"]`)?.textContent ?? '';
        expect(label, name).toMatch(/\((?:nodes|s|%|% of line rate|s, logarithmic|GTEPS, logarithmic)\)/);
      }
    }
  });

  it('names no part of a drawing that has no role, and lets what scrolls be reached by keys', () => {
    expect(text.match(/<g [^>]*aria-label/)).toBeNull();
    const scrolling = [...all(document, '.table'), ...all(document, '.wide .chart')];
    for (const one of scrolling)
      expect([one.getAttribute('tabindex'), one.getAttribute('role')]).toEqual(['0', 'group']);
    expect(scrolling.length).toBeGreaterThan(5);
  });

  it('says in the alternative text of a figure where its lines begin and end', () => {
    const svg = document.querySelector('#scaling .chart svg');
    expect(svg?.getAttribute('aria-label')).toMatch(/ 100\s%: [\d.]+ at 4, [\d.]+ at 25\.$/);
  });

  it('labels every tick and draws at finite places', () => {
    const drawings = all(document, '.chart svg');
    expect(drawings.length).toBeGreaterThanOrEqual(9);
    for (const svg of drawings) {
      for (const axis of ['x', 'y']) {
        const labels = all(svg, `g[data-mark="${axis}-axis tick label"] text`).map((one) => one.textContent);
        expect(labels.length).toBeGreaterThan(0);
        expect(labels.filter((label) => !/\d/.test(label))).toEqual([]);
      }
    }
    expect(text.match(/.{0,60}(?:NaN|Infinity|undefined|\[object).{0,60}/)).toBeNull();
  });

  it('gives a bandwidth the same colour in every figure', () => {
    const colours = new Map<string, Set<string>>();
    for (const entry of all(document, 'li[data-series^="bw-"]')) {
      const colour = /var\(--[\w-]+\)/.exec(entry.outerHTML)?.[0] ?? '';
      const label = entry.textContent;
      colours.set(label, (colours.get(label) ?? new Set()).add(colour));
    }
    expect(colours.size).toBeGreaterThan(3);
    for (const [label, used] of colours) expect(used.size, label).toBe(1);
    expect(new Set([...colours.values()].flatMap((used) => [...used])).size).toBe(colours.size);
  });

  it('defines every colour that it uses', () => {
    const used = new Set([...text.matchAll(/var\((--[\w-]+)\)/g)].map((match) => match[1] ?? ''));
    expect(used.size).toBeGreaterThan(10);
    for (const name of used) expect(text, name).toContain(`${name}:`);
  });

  it('shows the values of the data in its tables', () => {
    const cells = tableOf(page, /^Statistics of the timed searches/);
    expect(cells.map((row) => row[7])).toEqual(data.cells.map((cell) => cell.meanCt));
    const alphas = tableOf(page, /^Fitted models/).map((row) => row.filter((value) => value !== null));
    expect(alphas).toHaveLength(data.fits.length);
    expect(alphas.length).toBeGreaterThan(0);
    data.fits.forEach((fit, index) => {
      expect(alphas[index]).toEqual(expect.arrayContaining([fit.mse, ...Object.values(fit.coefficients)]));
    });
    const held = data.check?.rows.filter((row) => row.set === 'heldOut') ?? [];
    const shown = tableOf(page, /^Predictions for node counts/);
    expect(shown.map((row) => row.slice(4).filter((value) => value !== null))).toEqual(
      held.map((row) => [row.predicted, row.measured, row.errorPercent]),
    );
    const crossings = tableOf(page, /^Cluster size from which communication dominates$/);
    expect(crossings.map((row) => row[3])).toEqual(data.dominance.map((row) => row.nodes));
    expect(tableOf(page, /^Set rate/).map((row) => row.slice(0, 2))).toEqual(
      data.throttle.map((row) => [row.bw, row.setBps]),
    );
    const means = tableOf(page, /^Mean completion time \(s\)/).flatMap((row) => row.slice(2));
    expect(means).toEqual(data.points.map((point) => point.meanCt));
  });
});

describe('hostile text', () => {
  it('is escaped wherever it comes from', () => {
    const bad = `<script>alert("1")</script><img src=x onerror='x'>&"`;
    const { data } = pageOf(emulated);
    const page = pageFrom({
      ...data,
      title: bad,
      answers: data.answers && worded(data.answers, bad),
      headings: { ...data.headings, scaling: bad, why: bad },
      warnings: [{ sentence: bad, details: [bad] }],
      campaign: { ...data.campaign, cluster: bad, workload: bad, launcher: bad as 'srun', kernels: [bad] },
      failures: [{ nodes: 4, scale: 19, bw: 10, rep: 1, reason: bad }],
      fits: data.fits.map((fit) => ({ ...fit, title: bad, formula: bad })),
      check: data.check && { ...data.check, rows: data.check.rows.map((row) => ({ ...row, model: bad })) },
      missing: { drift: bad },
      drift: [],
      plan: data.plan && { ...data.plan, command: bad, noun: bad },
    });
    expect(page.whole).not.toMatch(/<script>alert|<img/i);
    expect(page.text).not.toMatch(/<script|<img/i);
    expect(all(page.document, 'script, img')).toEqual([]);
    expect(page.document.querySelector('h1')?.textContent).toBe(bad);
    expect(all(page.document, '.warnings li').map(({ textContent }) => textContent.includes(bad))).toEqual([
      true,
      true,
    ]);
  });
});

describe('characters that are not seen', () => {
  it('stand as JSON writes them, in texts, attributes and drawings', () => {
    const bad = 'a\u001b[2J\u202eb\u2066c\u0000d\u200ee';
    const { data } = pageOf(emulated);
    const page = pageFrom({
      ...data,
      title: bad,
      headings: { ...data.headings, scaling: bad },
      campaign: { ...data.campaign, cluster: bad, workload: bad, kernels: [bad] },
      failures: [{ nodes: 4, scale: 19, bw: 10, rep: 1, reason: bad }],
      fits: data.fits.map((fit) => ({ ...fit, title: bad, formula: bad })),
    });
    expect(page.text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    expect(page.document.querySelector('h1')?.textContent).toBe('a\\u001b[2J\\u202eb\\u2066c\\u0000d\\u200ee');
  });
});

describe('numbers that are none', () => {
  it('become dashes in tables and are left out of figures', () => {
    const { data } = pageOf(emulated);
    const broken = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const pick = (index: number): number => broken[index % broken.length] ?? Number.NaN;
    const { text } = pageFrom({
      ...data,
      cells: data.cells.map((cell, index) => ({ ...cell, meanCt: pick(index), harmonicMeanTeps: pick(index) })),
      points: data.points.map((point, index) =>
        index % 2 ? { ...point, meanCt: pick(index), ctiPercent: pick(index) } : point,
      ),
      projections: data.projections.map((row, index) =>
        index % 3 ? row : { ...row, ct: pick(index), gteps: pick(index) },
      ),
      curves: data.curves.map((curve) => ({
        ...curve,
        points: curve.points.map((p, i) => (i % 2 ? p : { ...p, ct: pick(i) })),
      })),
      demand: data.demand.map((row, index) => ({ ...row, bw: index % 2 ? row.bw : pick(index) })),
      fits: data.fits.map((fit) => ({ ...fit, r2: Number.NaN, mse: Number.NaN })),
    });
    expect(text.match(/.{0,60}(?:NaN|Infinity|undefined).{0,60}/)).toBeNull();
  });
});

/** The same answers in other words. */
function worded(answers: Answers, text: string): Answers {
  const words = { question: text, short: text, sentence: text, detail: text };
  return Object.assign({ ...answers }, ...ASKED.map((id) => ({ [id]: { ...answers[id], ...words } })));
}
