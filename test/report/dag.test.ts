import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { expect, it } from 'vitest';
import { explainJobs } from '../../analysis/dag/explain/explain-jobs.ts';
import { layoutDag } from '../../report/figures/draw-dag.ts';
import { renderDag } from '../../report/page/render-dag.ts';
import { paperJob } from '../analysis/dag/paper-job.ts';
import { simulateJob } from '../analysis/dag/simulate-job.ts';
import { watched } from '../analysis/dag/watched.ts';
import { times } from '../times.ts';
import { all, type Document } from './page.ts';

const simulated = simulateJob(paperJob(16, 5), { periodS: 60 });
const HOSTILE = `<img src=x onerror=alert(1)>"'`;
const run = {
  ...simulated.run,
  command: HOSTILE,
  vertices: simulated.run.vertices.map((vertex) => (vertex.id === 'ocr' ? { ...vertex, label: HOSTILE } : vertex)),
};
const read = watched({ ...simulated, run }, 'one');
const explained = explainJobs([read], { level: 0.9, target: 2.5, size: 4000, price: 0.1 });
const text = renderDag({ job: read.job, explained, generatedAt: '2024-05-01T10:00:00.000Z' });
const { document } = parseHTML(text) as unknown as { document: Document };

it('draws every task and edge, and marks the one that limits', () => {
  const titles = all(document, 'section#job svg g title').map(({ textContent }) => textContent);
  for (const { label } of [...explained.tasks, ...explained.edges]) {
    expect(titles.some((title) => title.startsWith(`${label}: `))).toBe(true);
  }
  const hot = all(document, 'section#job figure:first-of-type svg path').filter(
    (path) => path.getAttribute('stroke') === 'var(--use-1)',
  );
  expect(hot).toHaveLength(1);
});

it('escapes what others wrote, refers to nothing outside and runs no script', () => {
  expect(all(document, 'img')).toEqual([]);
  expect(document.querySelector('h1')?.textContent).toBe(HOSTILE);
  expect(text.match(/(?:src|href)\s*=\s*["']?(?!["'#])[^"'\s>]+/i)?.[0] ?? '').toMatch(/^(src=x)?$/);
  expect(text.match(/url\(|@import|<script|<link|<iframe|https?:/i)).toBeNull();
});

it('says the verdict, the advice and what the method does not see', () => {
  const said = document.querySelector('body')?.textContent ?? '';
  const [{ verdict, cautions }] = explained.runs as [(typeof explained.runs)[number]];
  for (const sentence of [verdict, ...cautions, ...explained.notes]) expect(said).toContain(sentence);
  expect(said).toContain('Stop here');
});

it('of a job too large to draw the history has the busiest, and says what is left out', () => {
  const chain = Array.from({ length: 70 }, (_, index) => index);
  const large = simulateJob(
    {
      tasks: chain.map((index) => ({ id: `t${index}`, instances: 1, serviceS: index === 50 ? 0.1 : 0.01 })),
      edges: chain.slice(1).map((index) => ({ id: `e${index}`, from: `t${index - 1}`, to: `t${index}`, capacity: 2 })),
      records: 100,
    },
    { periodS: 2 },
  );
  const job = watched(large, 'large');
  const rows = explainJobs([job], { level: 0.9, target: null, size: null, price: null });
  const page = renderDag({ job: job.job, explained: rows, generatedAt: '2024-05-01T10:00:00.000Z' });
  expect(page).toContain('70 tasks, too many to draw');
  expect(page).toContain('99 further tasks and edges are not drawn');
  expect(page).toMatch(/<text[^>]*>t50<title>/);
});

it('lays out any graph so that edges go to the right and no two things are in one place', () => {
  const graphs = fc.integer({ min: 1, max: 12 }).chain((vertices) =>
    fc.record({
      vertices: fc.constant(vertices),
      edges: fc
        .array(fc.tuple(fc.nat(vertices - 1), fc.nat(vertices - 1)), { maxLength: 25 })
        .map((pairs) => pairs.flatMap(([a, b]) => (a === b ? [] : [{ from: Math.min(a, b), to: Math.max(a, b) }]))),
    }),
  );
  fc.assert(
    fc.property(graphs, (graph) => {
      const { column, row, passes, rows } = layoutDag(graph);
      for (const { from, to } of graph.edges) expect(column[from]).toBeLessThan(column[to] as number);
      const used = [
        ...column.map((at, vertex) => `${at} ${row[vertex]}`),
        ...passes.flatMap((list, edge) =>
          list.map((at, index) => `${(column[graph.edges[edge]?.from ?? 0] ?? 0) + 1 + index} ${at}`),
        ),
      ];
      expect(new Set(used).size).toBe(used.length);
      expect(Math.max(...row)).toBeLessThan(rows);
    }),
    { numRuns: times(40) },
  );
});
