import * as Plot from '@observablehq/plot';
import { lastStep } from '../../analysis/sources/runs/summarise.ts';
import { at } from '../../base/lists.ts';
import { sizeText } from '../../base/units.ts';
import type { Why, WhyRun } from '../content/why-content.ts';
import { formatPercent, number, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { createAxis } from './axes.ts';
import { bandOf, frame } from './figure.ts';
import type { PartInks } from './inks.ts';

/** Colours of phase types, from the level inks of the page. */
const FILLS = ['var(--use-0)', 'var(--use-1)', 'var(--use-2)', 'var(--use-3)'];

/**
 * What one resource of one host was used for (figures 5.7 to 5.10 of the thesis): stacked usage, what was measured, capacity.
 * `types`: names of all phase types that figures of one run show, so that each keeps its colour.
 */
export function attributionFigure(picture: WhyRun['attributions'][number], types: readonly string[]): Markup {
  const { sliceSeconds, used, measured, capacity, unit } = picture;
  const divisor = unit === 'B/s' ? 1e6 : 1;
  const slices = Math.max(0, ...used.map(({ usage }) => usage.length));
  const total = new Array<number>(slices).fill(0);
  const layers = used.map(({ type, usage }) => {
    const name = lastStep(type);
    const steps = Array.from(usage, (value, slice) => {
      const low = at(total, slice);
      total[slice] = low + value;
      return { slice, low: low / divisor, high: (low + value) / divisor };
    });
    return { name, fill: at(FILLS, types.indexOf(name) % FILLS.length), steps: changes(steps) };
  });
  const available = used.reduce((all, one) => all + sum(one.capacity), 0);
  const seen = measured.map(({ from, to, rate }) => ({
    x1: from * 1e3,
    x2: to * 1e3,
    y: Math.min(rate, capacity * 1.5) / divisor,
  }));
  const most = capacity / divisor;
  return frame({
    title: `${picture.label}, ${picture.where}: ${picture.sampler === 'constant' ? 'constant interpolation' : 'phase-aware sampling'}`,
    note: `Shaded: attributed to phases (${formatPercent(Math.round((sum(total) / Math.max(1e-12, available)) * 100))} of their available usage). Black steps: measured. Dashed: capacity.`,
    legendTitle: 'Used by',
    legend: layers.map(({ name, fill }) => bandOf(name, fill)),
    x: createAxis({ label: 'Time since its start (ms)', values: [slices * sliceSeconds * 1e3] }),
    y: createAxis({
      label: unit === 'B/s' ? 'MB/s' : unit,
      values: [most, ...total.map((one) => one / divisor), ...seen.map(({ y }) => y)],
    }),
    marks: [
      ...layers.map(({ fill, steps }) =>
        Plot.areaY(steps, {
          ...{ x: ({ slice }: Step) => slice * sliceSeconds * 1e3, y1: 'low', y2: 'high', curve: 'step-after', fill },
        }),
      ),
      Plot.ruleY([most], { stroke: 'currentColor', strokeDasharray: '5 3', strokeOpacity: 0.7 }),
      Plot.ruleY(seen, { x1: 'x1', x2: 'x2', y: 'y', stroke: 'currentColor', strokeWidth: 1.6 }),
    ],
  });
}

interface Step {
  readonly slice: number;
  readonly low: number;
  readonly high: number;
}

/** The slices at which a layer changes, and its end. */
function changes(steps: readonly Step[]): readonly Step[] {
  const kept = steps.filter(({ low, high }, index) => low !== steps[index - 1]?.low || high !== steps[index - 1]?.high);
  const end = steps.at(-1);
  return end === undefined ? kept : [...kept, { ...end, slice: end.slice + 1 }];
}

/** Parts of the time of a phase in focus, per run, and as forecast. */
export interface Profile extends Pick<Why, 'noun' | 'components'> {
  readonly rows: readonly Pick<Why['rows'][number], 'nodes' | 'scale' | 'bw' | 'seconds' | 'parts'>[];
  readonly forecasts: readonly Pick<Why['forecasts'][number], 'nodes' | 'scale' | 'bw' | 'components'>[];
}

const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((all, one) => all + one, 0);

/** A part that no bar shows more of is one of the rest, %. */
const LEAST_PERCENT = 1;

/** The same with all parts below 1 % of every bar as one, the last: a program has dozens of calls, and a page has room for a dozen columns. */
export function gathered<P extends Profile>(profile: P, rest: P['components'][number]): P {
  const { components, rows, forecasts } = profile;
  const isSmall = ({ name }: { readonly name: string }, place: number): boolean =>
    rows.every(({ parts, seconds }) => at(parts, place) * 100 < LEAST_PERCENT * seconds) &&
    forecasts.every((one) => {
      const whole = sum(one.components.map(({ value }) => value ?? 0));
      const own = one.components.find((other) => other.name === name)?.value ?? 0;
      return own * 100 < LEAST_PERCENT * whole;
    });
  const small = new Set(components.filter(isSmall).map(({ name }) => name));
  if (small.size < 2) return profile;
  const isOf = (place: number): boolean => small.has(at(components, place).name);
  return {
    ...profile,
    components: [...components.filter(({ name }) => !small.has(name)), rest],
    rows: rows.map(({ parts, ...row }) => ({
      ...row,
      parts: [...parts.filter((_, place) => !isOf(place)), sum(parts.filter((_, place) => isOf(place)))],
    })),
    forecasts: forecasts.map((one) => {
      const value = sum(one.components.filter(({ name }) => small.has(name)).map((part) => part.value ?? 0));
      const kept = one.components.filter(({ name }) => !small.has(name));
      return { ...one, components: [...kept, { name: rest.name, value, low: null, high: null }] };
    }),
  };
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
    legend: why.components.map(({ name, label }) => bandOf(label, inks.of(name))),
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
