/** Orders by code units, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders by code points, as UTF-8 and most languages do: only characters beyond U+FFFF come later than by code units. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [ours, theirs] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (ours !== theirs) return rank(ours) - rank(theirs);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points beyond all that have one unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
