import { expect } from 'vitest';

/** Numbers within 1e-9 of each other, relative to the larger (0 within 1e-9); all else equal, lists in the same order. */
export function expectClose(found: unknown, wanted: unknown, where: string): void {
  if (typeof wanted === 'number') {
    const size = wanted === 0 ? 1 : Math.abs(wanted);
    const near = typeof found === 'number' && Math.abs(found - wanted) <= 1e-9 * size;
    if (!near) expect.fail(`${where}: ${found} instead of ${wanted}`);
  } else if (wanted !== null && typeof wanted === 'object') {
    const [a, b] = [Object(found) as Record<string, unknown>, wanted as Record<string, unknown>];
    expect(Object.keys(a).sort(), where).toEqual(Object.keys(b).sort());
    for (const key of Object.keys(b)) expectClose(a[key], b[key], `${where}.${key}`);
  } else {
    expect(found, where).toBe(wanted);
  }
}
