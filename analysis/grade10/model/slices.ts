/**
 * The slice boundary nearest to a time: what lies in (start, end] covers the slices `sliceBoundary(start)` up to and without
 * `sliceBoundary(end)`. Slice k = [kT, (k+1)T) counts when its midpoint is after the start and not after the end, so
 * that a stretch shorter than a slice either fills one or vanishes, and touching stretches never share or lose a slice.
 */
export function sliceBoundary(timeNs: number, timesliceNs: number): number {
  const remainder = timeNs % timesliceNs;
  const rest = remainder < 0 ? remainder + timesliceNs : remainder;
  // The subtraction first: dividing large numbers could round up to the next slice.
  return (timeNs - rest) / timesliceNs + (2 * rest >= timesliceNs ? 1 : 0);
}
