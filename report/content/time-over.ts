import { at, last } from '../../base/index.ts';
import { number } from '../format.ts';
import type { PointRow } from './statistics.ts';

/** Times that differ by less are alike. */
export const ALIKE = 1.05;

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
  const times = own.map(({ meanCt }) => meanCt);
  if (own.length < 2 || times.some((time) => !(time > 0 && Number.isFinite(time)))) return neutral;
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const ends = `from ${number(at(own, 0).nodes)} to ${number(last(own).nodes)} nodes`;
  if (most < ALIKE * least) return `time hardly changes ${ends}`;
  const place = times.indexOf(least);
  const falls = isFalling(times.slice(0, place + 1));
  const rises = isFalling(times.slice(place).reverse());
  if (falls && place === times.length - 1) return `time falls ${ends}`;
  if (rises && place === 0) return `time rises ${ends}`;
  const fastest = number(at(own, place).nodes);
  if (falls && rises) return `measured time falls until ${fastest} nodes, then rises`;
  return `measured time is least on ${fastest} nodes`;
}

function isFalling(times: readonly number[]): boolean {
  return times.every((time, index) => index === 0 || time < at(times, index - 1));
}
