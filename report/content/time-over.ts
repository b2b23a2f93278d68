import { at, last } from '../../base/index.ts';
import { number } from '../format.ts';
import { areAlike, measuredTime } from './alike.ts';
import type { PointRow } from './statistics.ts';

/** Where most is said about: the largest scale, the most bandwidth that it was measured at, and the most nodes there. */
export type Setting = Pick<PointRow, 'nodes' | 'scale' | 'bw'>;

export function mainSetting(points: readonly PointRow[]): Setting {
  const scale = Math.max(...points.map((point) => point.scale));
  const own = points.filter((point) => point.scale === scale);
  const bw = Math.max(...own.map((point) => point.bw));
  return { nodes: Math.max(...own.filter((point) => point.bw === bw).map(({ nodes }) => nodes)), scale, bw };
}

/** How measured time goes with nodes, at the largest scale of these points and the most bandwidth. */
export function timeOver(points: readonly PointRow[]): string {
  const neutral = 'time over nodes';
  if (points.length === 0) return neutral;
  const { scale, bw } = mainSetting(points);
  const own = points.filter((point) => point.scale === scale && point.bw === bw).sort((a, b) => a.nodes - b.nodes);
  const times = own.map(measuredTime);
  if (own.length < 2 || times.some(({ seconds }) => !(seconds > 0 && Number.isFinite(seconds)))) return neutral;
  const seconds = times.map((time) => time.seconds);
  const [place, peak] = [Math.min(...seconds), Math.max(...seconds)].map((time) => seconds.indexOf(time));
  const [least, most] = [at(times, place ?? 0), at(times, peak ?? 0)];
  const ends = `from ${number(at(own, 0).nodes)} to ${number(last(own).nodes)} nodes`;
  if (areAlike(least, most)) return `time hardly changes ${ends}`;
  const firstLeast = times.findIndex((time) => areAlike(time, least));
  const isLastLeast = areAlike(last(times), least);
  const falls = isFalling(seconds.slice(0, (place ?? 0) + 1));
  const rises = isFalling(seconds.slice(place).reverse());
  const fastest = number(at(own, place ?? 0).nodes);
  if (falls && isLastLeast && firstLeast > 0) {
    const flatFrom = number(at(own, firstLeast).nodes);
    return firstLeast === times.length - 1
      ? `time falls ${ends}`
      : `measured time falls until ${flatFrom} nodes, then hardly changes`;
  }
  if (rises && place === 0) return `time rises ${ends}`;
  if (falls && rises && !isLastLeast) return `measured time falls until ${fastest} nodes, then rises`;
  return `measured time is least on ${fastest} nodes`;
}

function isFalling(times: readonly number[]): boolean {
  return times.every((time, index) => index === 0 || time < at(times, index - 1));
}
