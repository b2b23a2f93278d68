/** What numbers of these names can be; all others need only be finite. */
const RULES: Readonly<Record<string, (value: number) => boolean>> = {
  ...Object.fromEntries(['rows', 'ranks', 'rep', 'count', 'folds'].map((name) => [name, isCount])),
  ...Object.fromEntries(
    ['nodes', 'ranksPerNode', 'measured', 'meanCt', 'q1Ct', 'q3Ct', 'lineRateBps'].map((name) => [name, isPositive]),
  ),
  ...Object.fromEntries(
    ['medianErrorPercent', 'meanErrorPercent', 'maxErrorPercent', 'totalSeconds'].map((name) => [
      name,
      (value: number) => value >= 0,
    ]),
  ),
  bw: (value) => value > 0 && value <= 100,
  insidePercent: (value) => value >= 0 && value <= 100,
  seed: Number.isInteger,
};

/** The value itself, if it is plain data through and through; else an error that names the place of what is not. */
export function plain<T>(value: T, place = 'value'): T {
  const name = place.replace(/\[\d+\]$/, '').replace(/^.*\./, '');
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || RULES[name]?.(value) === false) throw new Error(`${place} is ${value}`);
  } else if (typeof value === 'object' && value !== null) {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== Array.prototype) throw new Error(`${place} is no plain data`);
    for (const [key, one] of Object.entries(value)) {
      // What is undefined is as good as absent.
      if (one !== undefined) plain(one, Array.isArray(value) ? `${place}[${key}]` : `${place}.${key}`);
    }
  } else if (value !== null && typeof value !== 'string' && typeof value !== 'boolean') {
    throw new Error(`${place} is ${String(value)}`);
  }
  return value;
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}

function isPositive(value: number): boolean {
  return value > 0;
}
