import { last } from '../../base/lists.ts';
import { formatSeconds } from '../../base/units.ts';
import type { ToldCluster } from '../../modeling/answers/decide/tell-clusters.ts';

interface Drawn {
  /** By nodes, ascending; without those of which there is no prediction. */
  readonly line: readonly ToldCluster[];
  /** What was measured. */
  readonly points: readonly { readonly nodes: number; readonly ct: number }[];
  readonly chosen: ToldCluster;
  /** Seconds. */
  readonly deadline: number | null;
}

const HEIGHT = 300;
const MARGIN = { left: 64, right: 16, top: 12, bottom: 46 };
/** Pixels between two labels at least. */
const APART = 44;

/** Time over nodes, both on a logarithmic scale, as wide as its place. */
export function drawPlan(place: HTMLElement, { line, points, chosen, deadline }: Drawn): void {
  place.replaceChildren();
  if (line.length === 0) return;
  const width = Math.max(280, place.clientWidth);
  const ends = line.flatMap(({ ct }) => [ct.low ?? ct.value, ct.high ?? ct.value]);
  const times = [...ends, ...points.map(({ ct }) => ct), ...(deadline === null ? [] : [deadline])];
  const counts = [...line, ...points].map(({ nodes }) => nodes);
  const x = logScale([Math.min(...counts), Math.max(...counts)], [MARGIN.left, width - MARGIN.right]);
  const y = logScale([Math.min(...times) / 1.1, Math.max(...times) * 1.1], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const path = (of: (cluster: ToldCluster) => number, clusters = line): string =>
    clusters.map((cluster) => `${x(cluster.nodes)},${y(of(cluster))}`).join(' ');
  const low = path(({ ct }) => ct.low ?? ct.value);
  const high = path(({ ct }) => ct.high ?? ct.value, [...line].reverse());
  const svg = element('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: 'img' });
  svg.setAttribute('aria-label', `Completion time from ${counts[0]} to ${last(counts)} nodes`);
  const { left, right, bottom } = MARGIN;
  svg.append(
    ...timesOnAxis(Math.min(...times), Math.max(...times)).flatMap((seconds) => [
      element('line', { class: 'axis', x1: left, x2: width - right, y1: y(seconds), y2: y(seconds) }),
      label(formatSeconds(seconds), { x: left - 8, y: y(seconds) + 4, 'text-anchor': 'end' }),
    ]),
    ...apart(counts, x).map((nodes) =>
      label(String(nodes), { x: x(nodes), y: HEIGHT - bottom + 18, 'text-anchor': 'middle' }),
    ),
    label('nodes', { x: (left + width - right) / 2, y: HEIGHT - 4, 'text-anchor': 'middle' }),
    element('polygon', { class: 'band', points: `${low} ${high}` }),
    element('polyline', { class: 'line', points: path(({ ct }) => ct.value) }),
    ...(deadline === null
      ? []
      : [element('line', { class: 'limit', x1: left, x2: width - right, y1: y(deadline), y2: y(deadline) })]),
    ...points.map(({ nodes, ct }) => element('circle', { class: 'measured', cx: x(nodes), cy: y(ct), r: 4 })),
    ...(chosen.abstains === null ? markOf(chosen, x, y) : []),
  );
  place.append(svg);
}

type Scale = (value: number) => number;

function markOf({ nodes, ct: { value, low, high } }: ToldCluster, x: Scale, y: Scale): SVGElement[] {
  return [
    element('line', { class: 'chosen', x1: x(nodes), x2: x(nodes), y1: y(low ?? value), y2: y(high ?? value) }),
    element('circle', { class: 'chosen', cx: x(nodes), cy: y(value), r: 5 }),
  ];
}

function logScale([from, to]: readonly [number, number], [start, end]: readonly [number, number]): Scale {
  const span = Math.log(to / from) || 1;
  return (value) => Math.round((start + ((end - start) * Math.log(value / from)) / span) * 10) / 10;
}

/** 1, 2 and 5 times powers of ten; more where a range has few of these. */
function timesOnAxis(least: number, most: number): number[] {
  const steps = most / least < 4 ? [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8] : most / least < 100 ? [1, 2, 5] : [1];
  const powers = Array.from({ length: 40 }, (_, index) => 10 ** (index - 20));
  return powers.flatMap((power) => steps.map((step) => step * power)).filter((one) => one >= least && one <= most);
}

/** Node counts whose labels do not touch, the largest among them. */
function apart(counts: readonly number[], x: Scale): number[] {
  const kept: number[] = [];
  for (const nodes of [...new Set(counts)].sort((a, b) => b - a)) {
    const [before] = kept.slice(-1);
    if (before === undefined || x(before) - x(nodes) >= APART) kept.push(nodes);
  }
  return kept;
}

function label(text: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = element('text', attributes);
  made.textContent = text;
  return made;
}

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
