import { describe, expect, it } from 'vitest';
import { timeOver } from '../../report/content/time-over.ts';

const points = (...times: number[]) =>
  times.flatMap((meanCt, index) => {
    const point = {
      nodes: (index + 2) ** 2,
      scale: 20,
      bw: 100,
      count: 8,
      meanCt,
      interval: null,
      q1Ct: meanCt,
      q3Ct: meanCt,
    };
    const rest = { harmonicMeanTeps: null, ctiPercent: null };
    // Slower links and smaller problems are not what is named.
    return [
      { ...point, ...rest },
      { ...point, ...rest, bw: 10, meanCt: 1 / meanCt },
      { ...point, ...rest, scale: 19, meanCt: 7 },
    ];
  });

describe('a heading over times', () => {
  it.each([
    [[4, 2, 1], 'time falls from 4 to 16 nodes'],
    [[1, 2, 4], 'time rises from 4 to 16 nodes'],
    [[4, 2, 3, 4], 'measured time falls until 9 nodes, then rises'],
    [[4, 2, 3, 1.5, 2], 'measured time is least on 25 nodes'],
    [[1, 1.02, 0.99], 'time hardly changes from 4 to 16 nodes'],
    [[1], 'time over nodes'],
    [[], 'time over nodes'],
    [[1, Number.NaN, 3], 'time over nodes'],
  ])('of %j says that %s', (times, heading) => {
    expect(timeOver(points(...times))).toBe(heading);
  });
});
