import { at, sizeText } from '../../base/index.ts';
import type { Why } from '../data.ts';
import { number, percent, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { linearAxis } from './axes.ts';
import { figure } from './figure.ts';
import type { PartInks } from './parts.ts';
import { drawing, round } from './svg.ts';

const [WIDTH, HEIGHT] = [400, 280];
const [LEFT, RIGHT, TOP, BOTTOM] = [48, WIDTH - 12, 18, HEIGHT - 46];

interface Bar {
  readonly nodes: number;
  readonly parts: readonly { readonly name: string; readonly seconds: number }[];
  readonly forecast: boolean;
}

/** Parts of the time of a phase in focus, per run, and as forecast. */
export interface Profile extends Pick<Why, 'noun' | 'components'> {
  readonly rows: readonly Pick<Why['rows'][number], 'nodes' | 'scale' | 'bw' | 'seconds' | 'parts'>[];
  readonly forecasts: readonly Pick<Why['forecasts'][number], 'nodes' | 'scale' | 'bw' | 'components'>[];
}

interface ComponentsOptions {
  readonly scale: number;
  readonly bw: number;
  readonly inks: Pick<PartInks, 'of'>;
  /** What the bars show, in words. */
  readonly words: { readonly title: string; readonly note: string; readonly legendTitle: string };
}

/** Stacked bars over node counts, at one scale and bandwidth; forecasts are pale. Null for fewer than two. */
export function componentsFigure(why: Profile, { scale, bw, inks, words }: ComponentsOptions): Markup | null {
  const bars = barsOf(why, { scale, bw });
  if (bars.length < 2) return null;
  const sum = ({ parts }: Bar): number => parts.reduce((total, part) => total + part.seconds, 0);
  const unit = Math.max(...bars.map(sum)) < 2 ? { factor: 1e3, name: 'ms' } : { factor: 1, name: 's' };
  const axis = linearAxis({ label: unit.name, values: [0, ...bars.map((bar) => sum(bar) * unit.factor)] });
  const y = (time: number): number => round(BOTTOM - ((BOTTOM - TOP) * time * unit.factor) / axis.domain[1]);
  const step = (RIGHT - LEFT) / bars.length;
  return figure({
    title: `At ${percent(bw)} bandwidth${sizeText(scale, ' and ', number)}: ${words.title}`,
    note: words.note,
    legendTitle: words.legendTitle,
    legend: why.components.map(({ name, label }) => ({
      label,
      shape: 'band' as const,
      colour: inks.of(name),
      solid: true,
    })),
    drawing: drawing(
      {
        width: WIDTH,
        height: HEIGHT,
        label: `Components of the time over nodes${sizeText(scale)}, ${bw} % bandwidth. ${bars.map((bar) => barText(why, bar)).join(' ')}`,
      },
      [
        ...axis.ticks.map(
          (tick) =>
            html`<line x1="${LEFT}" x2="${RIGHT}" y1="${y(tick / unit.factor)}" y2="${y(tick / unit.factor)}" stroke="currentColor" stroke-opacity=".12"/><text x="${LEFT - 8}" y="${y(tick / unit.factor) + 4}" text-anchor="end" fill="currentColor">${number(tick)}</text>`,
        ),
        html`<text x="0" y="11" fill="currentColor">${unit.name} per ${why.noun}</text>`,
        html`<text x="${RIGHT}" y="${HEIGHT - 6}" text-anchor="end" fill="currentColor">Cluster size (nodes)</text>`,
        ...bars.flatMap((bar, index) => {
          const x = round(LEFT + step * (index + 0.18));
          let base = 0;
          return [
            ...bar.parts.map((part) => {
              const [from, to] = [y(base), y(base + part.seconds)];
              base += part.seconds;
              return html`<rect x="${x}" y="${to}" width="${round(step * 0.64)}" height="${round(from - to)}" fill="${inks.of(part.name)}" fill-opacity="${bar.forecast ? 0.45 : 1}"><title>${labelOf(why, part.name)}: ${seconds(part.seconds)}</title></rect>`;
            }),
            html`<text x="${round(x + step * 0.32)}" y="${BOTTOM + 16}" text-anchor="middle" fill="currentColor">${bar.nodes}</text>`,
          ];
        }),
      ],
    ),
  });
}

function barsOf(why: Profile, { scale, bw }: { readonly scale: number; readonly bw: number }): readonly Bar[] {
  const order = why.components.map(({ name }) => name);
  const measured = new Map<number, Bar>();
  for (const row of why.rows) {
    if (row.scale !== scale || row.bw !== bw || measured.has(row.nodes)) continue;
    const parts = order.map((name, index) => ({ name, seconds: at(row.parts, index) }));
    measured.set(row.nodes, { nodes: row.nodes, parts, forecast: false });
  }
  const forecasts = why.forecasts
    .filter((one) => one.scale === scale && one.bw === bw)
    .map(({ nodes, components }): Bar => {
      const parts = order.map((name) => ({ name, seconds: components.find((one) => one.name === name)?.value ?? 0 }));
      return { nodes, parts, forecast: true };
    });
  return [...measured.values(), ...forecasts].sort((a, b) => a.nodes - b.nodes);
}

/** `On 4 nodes 422 ms, most by the processors, 413 ms.` */
function barText(why: Profile, { nodes, parts, forecast }: Bar): string {
  const total = parts.reduce((sum, part) => sum + part.seconds, 0);
  const [most] = parts.toSorted((a, b) => b.seconds - a.seconds);
  const share = most === undefined ? '' : `, most of it ${labelOf(why, most.name)}, ${seconds(most.seconds)}`;
  return `${nodes} nodes${forecast ? ' (forecast)' : ''}: ${seconds(total)}${share}.`;
}

function labelOf({ components }: Profile, name: string): string {
  return components.find((one) => one.name === name)?.label ?? name;
}
