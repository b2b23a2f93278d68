import { lastStep } from '../../analysis/index.ts';
import { at } from '../../base/index.ts';
import type { WhyRun } from '../data.ts';
import { number, percent } from '../format.ts';
import { html, type Markup, raw } from '../html.ts';
import { linearAxis } from './axes.ts';
import { figure } from './figure.ts';
import { drawing, round, timeAxis, timeScale } from './svg.ts';

const [WIDTH, HEIGHT] = [400, 215];
const [LEFT, RIGHT, TOP, BOTTOM] = [48, WIDTH - 12, 14, HEIGHT - 44];
/** Colours of phase types, from the level inks of the page. */
const FILLS = ['var(--use-0)', 'var(--use-1)', 'var(--use-2)', 'var(--use-3)'];

/**
 * What one resource of one host was used for (figures 5.7 to 5.10 of the thesis): stacked usage, what was measured, capacity.
 * `types`: names of all phase types that figures of one run show, so that each keeps its colour.
 */
export function attributionFigure(picture: WhyRun['attributions'][number], types: readonly string[]): Markup {
  const { sliceSeconds, used, measured, capacity, unit } = picture;
  const slices = Math.max(0, ...used.map(({ usage }) => usage.length));
  const total = Array.from({ length: slices }, (_, slice) => used.reduce((sum, one) => sum + at(one.usage, slice), 0));
  const available = Array.from({ length: slices }, (_, slice) =>
    used.reduce((sum, one) => sum + at(one.capacity, slice), 0),
  );
  const highest = Math.max(capacity, ...total, ...measured.map(({ rate }) => Math.min(rate, capacity * 1.5)));
  const scale = timeScale(slices * sliceSeconds, { left: LEFT, right: RIGHT });
  const divisor = unit === 'B/s' ? 1e6 : 1;
  const axis = linearAxis({ label: unit, values: [0, highest / divisor] });
  const y = (rate: number): number => round(BOTTOM - ((BOTTOM - TOP) * rate) / divisor / axis.domain[1]);
  const x = (slice: number): number => scale.x(slice * sliceSeconds);
  const below = new Array<number>(slices).fill(0);
  const layers = used.map(({ type, usage }) => {
    const name = lastStep(type);
    const path = steps(
      below.map((base, slice) => [base, base + at(usage, slice)] as const),
      { x, y },
    );
    for (let slice = 0; slice < slices; slice += 1) below[slice] = at(below, slice) + at(usage, slice);
    return { name, path, fill: at(FILLS, types.indexOf(name) % FILLS.length) };
  });
  const sum = total.reduce((all, one) => all + one, 0);
  const of = available.reduce((all, one) => all + one, 0);
  const title = `${picture.label}, ${picture.where}: ${picture.sampler === 'constant' ? 'constant interpolation' : 'phase-aware sampling'}`;
  return figure({
    title,
    note: `Shaded: attributed to phases (${percent(Math.round((sum / Math.max(1e-12, of)) * 100))} of their available usage). Black steps: measured. Dashed: capacity.`,
    legendTitle: 'Used by',
    legend: layers.map(({ name, fill }) => ({ label: name, shape: 'band' as const, colour: fill, solid: true })),
    drawing: drawing({ width: WIDTH, height: HEIGHT, label: title }, [
      timeAxis(scale, { top: TOP, bottom: BOTTOM }),
      ...axis.ticks.map(
        (tick) =>
          html`<text x="${LEFT - 8}" y="${y(tick * divisor) + 4}" text-anchor="end" fill="currentColor">${number(tick)}</text>`,
      ),
      html`<text x="0" y="10" fill="currentColor">${unit === 'B/s' ? 'MB/s' : unit}</text>`,
      ...layers.map(({ path, fill }) => html`<path d="${raw(path)}" fill="${raw(fill)}"/>`),
      html`<line x1="${LEFT}" x2="${RIGHT}" y1="${y(capacity)}" y2="${y(capacity)}" stroke="currentColor" stroke-dasharray="5 3" stroke-opacity=".7"/>`,
      ...measured.map(
        ({ from, to, rate }) =>
          html`<line x1="${scale.x(from)}" x2="${scale.x(to)}" y1="${Math.max(TOP, y(rate))}" y2="${Math.max(TOP, y(rate))}" stroke="currentColor" stroke-width="1.6"/>`,
      ),
    ]),
  });
}

/** The area between two step curves, leaving out where they touch. */
function steps(
  values: readonly (readonly [low: number, high: number])[],
  { x, y }: { readonly x: (slice: number) => number; readonly y: (rate: number) => number },
): string {
  let path = '';
  for (let from = 0; from < values.length; ) {
    const [low, high] = at(values, from);
    let to = from + 1;
    while (to < values.length && values[to]?.[0] === low && values[to]?.[1] === high) to += 1;
    if (high > low) path += `M${x(from)} ${y(low)}V${y(high)}H${x(to)}V${y(low)}Z`;
    from = to;
  }
  return path;
}
