/**
 * The vertices that keep two labellings from being the same partition: classes of the one are matched with classes of the other, those
 * that share most vertices first, and what is outside the matched pairs differs. Labels are numbers below `length` of the arrays.
 * `matched` has the second label that each first one stands for, -1 for none.
 */
export function samePartition(
  first: Uint32Array,
  second: Uint32Array,
): { readonly differing: Uint32Array; readonly matched: Int32Array } {
  const pairs = pairsByCount(first, second);
  const matched = new Int32Array(first.length).fill(-1);
  const isTaken = new Uint8Array(first.length);
  for (const { a, b } of pairs) {
    if (matched[a] !== -1 || isTaken[b] !== 0) continue;
    matched[a] = b;
    isTaken[b] = 1;
  }
  const differing = new Uint32Array(first.length);
  let count = 0;
  for (let vertex = 0; vertex < first.length; vertex += 1) {
    if (matched[first[vertex] ?? 0] === second[vertex]) continue;
    differing[count] = vertex;
    count += 1;
  }
  return { differing: differing.subarray(0, count), matched };
}

/** Pairs of labels that some vertex has, those of most vertices first. */
function pairsByCount(first: Uint32Array, second: Uint32Array): Iterable<{ readonly a: number; readonly b: number }> {
  const size = first.length;
  const keys = new Float64Array(size);
  for (let vertex = 0; vertex < size; vertex += 1) keys[vertex] = (first[vertex] ?? 0) * size + (second[vertex] ?? 0);
  keys.sort();
  const starts: number[] = [];
  for (let at = 0; at < size; at += 1) if (at === 0 || keys[at] !== keys[at - 1]) starts.push(at);
  const lengths = Float64Array.from(starts, (start, run) => (starts[run + 1] ?? size) - start);
  const order = Uint32Array.from(starts.keys()).sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0) || a - b);
  return (function* () {
    for (const run of order) {
      const key = keys[starts[run] ?? 0] ?? 0;
      yield { a: Math.floor(key / size), b: key % size };
    }
  })();
}
