import { describe, expect, it } from 'vitest';
import type { ReportData } from '../../report/content/build-report.ts';
import { emulated } from './campaign.ts';
import { all, type Element, pageFrom, pageOf } from './page.ts';

type Why = NonNullable<ReportData['why']>;

const stretch = (from: number, to: number, ...groups: string[]) => ({ from, to, groups });

const numbers = (...values: number[]) => values;
const processors = { metricType: 'cpu', label: 'the processors', group: 'cpu' };
const link = { metricType: 'link', label: 'the link', group: 'network' };

/** Two cluster sizes at two bandwidths; 60 ms of a search are the processors', the rest the network's. */
const why: Why = {
  noun: 'search',
  model: 'graph500',
  warnings: [],
  findings: [
    {
      ...{ kind: 'across/takeover', where: 'scale 20', seconds: null, percent: null, interval: null },
      sentence: 'The <network> overtakes.',
    },
  ],
  components: [
    { name: 'cpu', label: 'the processors' },
    { name: 'network', label: 'the network' },
  ],
  rows: [4, 9].flatMap((nodes) =>
    [100, 10].map((bw) => ({
      nodes,
      scale: 20,
      bw,
      seconds: 0.06 + 2 / bw,
      isClipped: false,
      parts: [0.06, 2 / bw],
      helps: 'the processors (75 %)',
    })),
  ),
  forecasts: [
    {
      nodes: 100,
      scale: 20,
      bw: 100,
      dominant: 'cpu',
      isNamed: true,
      components: [
        { name: 'cpu', value: 0.12, low: 0.1, high: 0.13 },
        { name: 'network', value: 0.03, low: 0.02, high: null },
      ],
    },
  ],
  takeovers: [{ scale: 20, nodes: 4, above: 10, below: 100, fitted: 33.3 }],
  runs: [
    {
      nodes: 9,
      scale: 20,
      bw: 10,
      seconds: 0.26,
      count: 8,
      issues: ['Perfect load balance in Fold would save at most 20 ms (8 %) per search.'],
      reports: [
        {
          row: 1,
          path: '/Search[root=3]/Bfs',
          seconds: 0.2,
          overview: [stretch(0, 0.05), stretch(0.05, 0.2, 'cpu', 'network')],
          resources: [
            { ...processors, percent: 75, stretches: [{ from: 0.05, to: 0.2, share: 1 }] },
            { ...link, percent: 37.5, stretches: [{ from: 0.05, to: 0.2, share: 0.5 }] },
          ],
          subphases: [
            { row: 2, name: 'Level[level=0]', from: 0, to: 0.1, stretches: [stretch(0, 0.1, 'network')] },
            { row: 3, name: 'Level[level=1]', from: 0.1, to: 0.2, stretches: [] },
          ],
        },
        {
          row: 2,
          path: '/Search[root=3]/Bfs/Level[level=0]',
          seconds: 0.1,
          overview: [],
          resources: [],
          subphases: [],
        },
      ],
      attributions: [
        {
          metric: '/Cluster/Host[host=node01]/cpu',
          label: 'the processors',
          where: 'node01',
          unit: 'cores',
          group: 'cpu',
          sampler: 'constant',
          capacity: 0.06,
          sliceSeconds: 0.001,
          measured: [{ from: 0, to: 0.004, rate: 0.03 }],
          used: [
            { type: '/Search/Fold', usage: numbers(0.03, 0.03, 0, 0), capacity: numbers(0.06, 0.06, 0, 0) },
            { type: '/Search/Expand', usage: numbers(0, 0, 0.03, 0), capacity: numbers(0, 0, 0.06, 0) },
          ],
          sampled: numbers(0.03, 0.03, 0.03, 0),
        },
      ],
      sampling: [{ metric: 'the processors', intervalSeconds: 0.1, constantPercent: 20, phaseAwarePercent: null }],
    },
  ],
};

const { data } = pageOf(emulated);
const { document, text } = pageFrom({ ...data, why });
const figureOf = (title: RegExp): Element => {
  const found = all(document, '#why figure').find((one) => title.test(one.querySelector('strong')?.textContent ?? ''));
  if (!found) throw new Error(`no figure ${title}`);
  return found;
};
const number = (element: Element, name: string): number => Number(element.getAttribute(name));
/** Of a box drawn as a path. */
const placeOf = (d: string) => {
  const [x = 0, y = 0, right = 0, bottom = 0] = (d.match(/[\d.]+/g) ?? []).map(Number);
  return { x, y, width: right - x, height: bottom - y };
};

describe('the section on why', () => {
  it('is left out, with its link, where nothing was sampled', () => {
    const without = pageFrom({ ...data, why: null });
    expect(without.document.querySelector('#why')).toBeNull();
    expect(without.text).not.toContain('href="#why"');
    expect(text).toContain('href="#why"');
  });

  it('escapes what comes from names, and draws at finite places', () => {
    expect(text).toContain('The &lt;network&gt; overtakes.');
    const section = document.querySelector('#why')?.outerHTML ?? '';
    expect(section.match(/NaN|Infinity|undefined|\[object/)).toBeNull();
  });

  it('stacks the components of each node count, forecasts paler', () => {
    const figure = figureOf(/100.*bandwidth.*: what limits a search/);
    const bars = all(figure, 'rect').filter((rect) => rect.querySelector('title'));
    expect(bars).toHaveLength(6);
    const [cpu, network] = bars;
    if (!cpu || !network) throw new Error('no bars');
    // 60 ms to 20 ms, one upon the other.
    expect(number(cpu, 'height') / number(network, 'height')).toBeCloseTo(3, 1);
    expect(number(network, 'y') + number(network, 'height')).toBeCloseTo(number(cpu, 'y'), 1);
    expect(bars.map((bar) => bar.getAttribute('fill-opacity'))).toEqual(['1', '1', '1', '1', '0.45', '0.45']);
  });

  it('draws a bottleneck report on one axis: what is held up at once shares the row', () => {
    const figure = figureOf(/^Search 3, Bfs/);
    const coloured = all(figure, '.chart path[fill^="var(--part-"]').map((path) => ({
      ...placeOf(path.getAttribute('d') ?? ''),
      fill: path.getAttribute('fill'),
    }));
    const [cpu, network, full, half, level] = coloured;
    if (!cpu || !network || !full || !half || !level) throw new Error('too few');
    expect(cpu.height).toBeCloseTo(7.5, 1);
    expect(cpu.x).toBe(network.x);
    expect(cpu.width).toBeCloseTo(3 * (cpu.x - 190), 0);
    expect(full.height).toBeCloseTo(2 * half.height, 1);
    // Level 0 is the first half of the axis.
    expect(level.x).toBe(190);
    expect(level.width).toBeCloseTo((1080 - 64 - 190) / 2, 0);
    expect(cpu.fill).toBe(full.fill);
  });

  it('keeps reports of phases within it closed, one in the other', () => {
    const drill = all(document, '#why details.drill');
    expect(drill.map((one) => one.querySelector('summary')?.textContent)).toEqual(['Within it: Search 3, Level 0']);
  });

  it('gives each type of phase its own colour in the use of a resource', () => {
    const figure = figureOf(/node01: constant interpolation/);
    const fills = all(figure, 'path[fill^="var(--use-"]').map((path) => path.getAttribute('fill'));
    expect(fills.filter((fill, index) => fills.indexOf(fill) === index).length).toBeGreaterThanOrEqual(2);
    expect(figure.textContent).toContain('50');
  });

  it('says at which bandwidth the network takes over, and what is forecast', () => {
    const cellsOf = (caption: RegExp): (string | null)[][] => {
      const found = all(document, 'table').find((one) => caption.test(one.querySelector('caption')?.textContent ?? ''));
      return found ? all(found, 'tbody tr').map((row) => all(row, 'td').map((cell) => cell.textContent)) : [];
    };
    expect(cellsOf(/below which the network costs more/)).toEqual([
      ['4', expect.stringMatching(/^10.% to 100.% \(fits: 33\.3.%\)$/)],
    ]);
    expect(cellsOf(/Forecast of each component/)[0]?.slice(3)).toEqual(['120.0 (100.0 to 130.0)', '30.0 (20.0 to –)']);
  });
});
