import { describe, expect, it } from 'vitest';
import { answersSchema } from '../../report/answers/answers-schema.ts';
import { buildReport } from '../../report/content/build-report.ts';
import { plain } from '../modeling/plain-data.ts';
import { isLong } from '../times.ts';
import { campaignOf, emulated as measured, paper, type Sweep } from './campaign.ts';
import { all, pageFrom, pageOf, warned } from './page.ts';

const emulated: Sweep = isLong ? measured : { ...measured, bw: [10, 50, 100] };
const truth = emulated.truth ?? (() => 1);
const sweeps: Readonly<Record<string, Sweep>> = {
  'one node count': { ...emulated, nodes: [9] },
  'one bandwidth': { ...emulated, bw: [100] },
  'one node count and one bandwidth': { ...emulated, nodes: [9], bw: [100] },
  'two scales on one node': {
    ...emulated,
    nodes: [1],
    scales: [18, 19],
    truth: ({ scale, bw }) => 2 ** (scale - 20) * (1 + 1 / bw),
  },
  'one search per cell': { ...emulated, roots: 1, reps: 1 },
  'equal times everywhere': { ...emulated, truth: () => 0.5, noise: 0 },
  'times from microseconds to hours': { ...emulated, truth: ({ nodes, bw }) => 1e-6 * 40 ** (nodes / 5) * (100 / bw) },
  'many node counts': {
    ...paper,
    scales: [26],
    nodes: Array.from({ length: isLong ? 32 : 16 }, (_, index) => index + 1),
  },
  'no cell at all': { ...emulated, nodes: [] },
  ...(isLong
    ? {
        'one bandwidth below full': { ...emulated, bw: [10] },
        'two node counts': { ...emulated, nodes: [4, 9] },
        'times that rise with nodes': { ...emulated, truth: ({ nodes }) => nodes },
        'no effect of bandwidth': { ...emulated, truth: ({ nodes }) => 1 / nodes },
      }
    : {}),
};

describe.each(Object.entries(sweeps))('a campaign with %s', (name, sweep) => {
  const { document, text, data } = pageOf(sweep);

  it('renders without a number that is none', () => {
    expect(text.match(/.{0,60}(?:NaN|Infinity|undefined|\[object).{0,60}/)).toBeNull();
    expect(all(document, 'section').length, name).toBeGreaterThanOrEqual(7);
  });

  it('has answers that keep to their schema, or none where nothing was measured', () => {
    if (sweep.nodes.length === 0) expect(data.answers).toBeNull();
    else expect(answersSchema.parse(data.answers)).toEqual(data.answers);
  });

  it('leaves no section empty', () => {
    const sections = all(document, 'section');
    expect(sections.length).toBeGreaterThanOrEqual(7);
    for (const section of sections) {
      const content = all(section, 'figure, table, .missing, dl');
      expect(content.length, section.getAttribute('id') ?? '').toBeGreaterThan(0);
    }
    expect(data.campaign.cells.failed).toBe(0);
  });
});

describe('failed cells', () => {
  const input = campaignOf({ ...emulated, truth });
  const failAll = (share: number) =>
    input.records.map((record, index) =>
      index % share === 0
        ? {
            ...record,
            status: 'failed' as const,
            reason: 'the program ended with exit status 3',
            runs: [],
            proof: null,
          }
        : record,
    );

  it('are listed with their reason, counted, and in no figure', () => {
    const report = buildReport({ ...input, records: failAll(7) });
    const { document } = pageFrom(report);
    expect(report.campaign.cells.failed).toBe(report.failures.length);
    expect(warned(report).join(' ')).toContain(`${report.failures.length} of ${input.records.length} cells failed`);
    expect(document.querySelector('#measured')?.textContent).toContain('exit status 3');
    expect(report.cells.length).toBe(input.records.length - report.failures.length);
  });

  it('that are all cells leave a page that says so', () => {
    const report = plain(buildReport({ ...input, records: failAll(1) }));
    const { document, text } = pageFrom(report);
    expect(document.querySelector('.first')?.textContent).toContain('No result yet');
    expect(all(document, '.missing').length).toBeGreaterThanOrEqual(5);
    expect(text.match(/.{0,60}(?:NaN|Infinity|undefined).{0,60}/)).toBeNull();
  });
});

it('a workload without edges has no throughput figure and no GTEPS', () => {
  const input = campaignOf({ ...emulated, workload: 'stencil' });
  const records = input.records.map((record) => ({
    ...record,
    runs: record.runs.map((run) => ({ ...run, teps: null, nedge: null })),
  }));
  const report = buildReport({ ...input, records, noun: 'run', edgeFactor: null });
  const { document, data } = pageFrom(plain(report));
  expect(data.projections.length).toBeGreaterThan(0);
  expect(data.projections.filter((row) => row.gteps !== null)).toEqual([]);
  expect(document.querySelector('#projections')?.textContent).not.toContain('GTEPS');
  expect(document.querySelector('.story')?.textContent).toContain('one run takes');
});
