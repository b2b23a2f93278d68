import { html, type Markup } from '../html.ts';
import { linearAxis } from './axes.ts';

/** A horizontal axis of time in ms for drawings of our own. */
export interface TimeScale {
  readonly left: number;
  readonly right: number;
  readonly seconds: number;
  readonly x: (seconds: number) => number;
}

export function timeScale(
  seconds: number,
  { left, right }: { readonly left: number; readonly right: number },
): TimeScale {
  return { left, right, seconds, x: (at) => round(left + ((right - left) * at) / Math.max(1e-12, seconds)) };
}

/** Grid lines from `top` to `bottom` with their labels below. */
export function timeAxis(
  { seconds, x, right }: TimeScale,
  { top, bottom }: { readonly top: number; readonly bottom: number },
): Markup {
  const unit = seconds < 2 ? { factor: 1e3, name: 'ms' } : { factor: 1, name: 's' };
  const { ticks } = linearAxis({ label: unit.name, values: [0, seconds * unit.factor] });
  const inside = ticks.filter((tick) => tick / unit.factor <= seconds);
  return html`<g class="axis">${inside.map(
    (tick) =>
      html`<line x1="${x(tick / unit.factor)}" x2="${x(tick / unit.factor)}" y1="${top}" y2="${bottom}" stroke="currentColor" stroke-opacity=".12"/><text x="${x(tick / unit.factor)}" y="${bottom + 16}" text-anchor="middle" fill="currentColor">${tick}</text>`,
  )}<text x="${right}" y="${bottom + 32}" text-anchor="end" fill="currentColor">Time since its start (${unit.name})</text></g>`;
}

/** One decimal is as much as anybody sees. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function drawing(
  { width, height, label }: { readonly width: number; readonly height: number; readonly label: string },
  content: readonly Markup[],
): Markup {
  return html`<svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${content}</svg>`;
}
