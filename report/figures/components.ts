import * as Plot from '@observablehq/plot';
import { at } from '../../base/lists.ts';
import { sizeText } from '../../base/units.ts';
import type { Why } from '../content/why-content.ts';
import { formatPercent, number, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { createAxis } from './axes.ts';
import { frame } from './figure.ts';
import type { PartInks } from './inks.ts';

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
  const heights = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
  const unit = Math.max(...heights) < 2 ? { factor: 1e3, name: 'ms' } : { factor: 1, name: 's' };
  const boxes = bars.flatMap(({ parts, opacity }, index) => {
    let top = 0;
    return parts.map((part, place) => {
      const { name, label } = at(why.components, place);
      const y1 = top;
      top += part * unit.factor;
      const [x1, x2] = [index - 0.32, index + 0.32];
      return { x1, x2, y1, y2: top, opacity, fill: inks.of(name), title: `${label}: ${seconds(part)}` };
    });
  });
  return frame({
    ...words,
    title: `At ${formatPercent(bw)} bandwidth${sizeText(scale, ' and ', number)}: ${words.title}`,
    legend: why.components.map(({ name, label }) => ({ label, shape: 'band', colour: inks.of(name), solid: true })),
    x: {
      ...{ label: 'Cluster size (nodes)', type: 'linear', domain: [-0.5, bars.length - 0.5] },
      ticks: bars.map((_, index) => index),
      tickFormat: (index) => String(at(bars, index).nodes),
    },
    y: createAxis({ label: `${unit.name} per ${why.noun}`, values: heights.map((height) => height * unit.factor) }),
    lines: why.components.map(({ label }, place) => ({
      label,
      points: bars.map(({ parts }, x) => ({ x, y: at(parts, place) * unit.factor })),
    })),
    marks: [
      Plot.rect(boxes, {
        ...{ x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', fill: 'fill', fillOpacity: 'opacity', title: 'title' },
      }),
    ],
  });
}

/** Seconds of each component, in their order. */
interface Bar {
  readonly nodes: number;
  readonly parts: readonly number[];
  readonly opacity: number;
}

function barsOf(why: Profile, { scale, bw }: { readonly scale: number; readonly bw: number }): readonly Bar[] {
  const isHere = (one: { readonly scale: number; readonly bw: number }) => one.scale === scale && one.bw === bw;
  const measured = new Map(
    // Of several runs the first.
    why.rows
      .filter(isHere)
      .toReversed()
      .map(({ nodes, parts }) => [nodes, { nodes, parts, opacity: 1 }]),
  );
  const forecasts = why.forecasts.filter(isHere).map(({ nodes, components }) => {
    const parts = why.components.map(({ name }) => components.find((one) => one.name === name)?.value ?? 0);
    return { nodes, parts, opacity: 0.45 };
  });
  return [...measured.values(), ...forecasts].sort((a, b) => a.nodes - b.nodes);
}
