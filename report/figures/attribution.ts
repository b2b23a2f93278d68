import * as Plot from '@observablehq/plot';
import { lastStep } from '../../analysis/sources/runs/summarise.ts';
import { at } from '../../base/lists.ts';
import type { WhyRun } from '../content/why-content.ts';
import { formatPercent } from '../format.ts';
import type { Markup } from '../html.ts';
import { createAxis } from './axes.ts';
import { frame } from './figure.ts';

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
  const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((all, one) => all + one, 0);
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
    legend: layers.map(({ name, fill }) => ({ label: name, shape: 'band', colour: fill, solid: true })),
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
