/** Where each phase's stretch begins in one long array: `start[p]`, and the sum of all as the last element. */
export function offsets(count: number, sizeOf: (phase: number) => number): Uint32Array {
  const start = new Uint32Array(count + 1);
  let total = 0;
  for (let phase = 0; phase < count; phase += 1) {
    start[phase] = total;
    total += sizeOf(phase);
  }
  if (total > 2 ** 32 - 1) throw new RangeError(`${total} phase-slices are more than one array can hold`);
  start[count] = total;
  return start;
}
