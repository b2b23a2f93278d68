import { number } from '../format.ts';

/** An axis with everything decided, so that positions can be computed before Plot draws. */
export interface Axis {
  readonly label: string;
  readonly type: 'linear' | 'log';
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  readonly tickFormat: (value: number) => string;
}

export interface AxisOptions {
  readonly label: string;
  /** Default: linear. */
  readonly type?: Axis['type'];
  /** What is to be seen on it; on a logarithmic one only what is positive has a place. */
  readonly values?: readonly number[];
  /** Values worth a tick each, such as the measured node counts; thinned where they would touch. */
  readonly at?: readonly number[];
  readonly tickFormat?: (value: number) => string;
}

/** Linear from zero (or below, if there are negative values) to a little above the largest value; logarithmic with air at both ends. */
export function createAxis({ label, type = 'linear', values = [], at, tickFormat = number }: AxisOptions): Axis {
  const domain = (type === 'log' ? logDomain : linearDomain)(values.filter(Number.isFinite));
  return withoutTouching({ label, type, domain, tickFormat }, at ?? (type === 'log' ? logTicks : linearTicks)(domain));
}

function linearDomain(values: readonly number[]): Axis['domain'] {
  const low = Math.min(...values, 0);
  const high = Math.max(...values, 0);
  return [low, high > low ? high + (high - low) * 0.06 : 1];
}

function logDomain(values: readonly number[]): Axis['domain'] {
  const shown = values.filter((value) => value > 0);
  const [low, high] = shown.length === 0 ? [1, 10] : [Math.min(...shown), Math.max(...shown)];
  const air = high / low < 1.02 ? 1.6 : (high / low) ** 0.05;
  return [low / air, high * air];
}

/** Position along the axis, 0 to 1, and back. */
export function toUnit({ type, domain }: Pick<Axis, 'type' | 'domain'>, value: number): number {
  const [low, high] = domain;
  return type === 'log' ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

export function fromUnit({ type, domain }: Pick<Axis, 'type' | 'domain'>, position: number): number {
  const [low, high] = domain;
  return type === 'log' ? low * (high / low) ** position : low + position * (high - low);
}

/** 1, 2, 5 per decade, or the decades alone over a long range; a short range gets finer ticks. */
function logTicks(domain: Axis['domain']): readonly number[] {
  const [low, high] = domain;
  const decades = Math.log10(high / low);
  if (decades < 0.6) return linearTicks([low, high]).filter((tick) => tick >= low);
  const steps = decades > 3.2 ? [1] : decades < 1.3 ? [1, 1.5, 2, 3, 4, 5, 7] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const step of steps) {
      const tick = Number((step * 10 ** power).toPrecision(6));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

function linearTicks([low, high]: Axis['domain']): readonly number[] {
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.max(0, Math.floor(high / step + 1e-9) - first + 1);
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(6)));
}

/** Share of an axis that one character of a label takes, and the gap between two labels. */
const CHARACTER = 0.022;
const GAP = 0.025;

/** An axis without the ticks whose labels would touch the one before; the last one stays. */
function withoutTouching(bare: Omit<Axis, 'ticks'>, values: readonly number[]): Axis {
  const inside = values.filter((value) => toUnit(bare, value) >= -1e-9 && toUnit(bare, value) <= 1 + 1e-9);
  const width = (value: number): number => bare.tickFormat(value).length * CHARACTER;
  const clear = (left: number, right: number): boolean =>
    toUnit(bare, right) - toUnit(bare, left) >= GAP + (width(left) + width(right)) / 2;
  const last = inside.at(-1);
  if (last === undefined) return { ...bare, ticks: [] };
  const ticks: number[] = [];
  for (const value of inside.slice(0, -1)) {
    const before = ticks.at(-1);
    if ((before === undefined || clear(before, value)) && clear(value, last)) ticks.push(value);
  }
  return { ...bare, ticks: [...ticks, last] };
}
