/** Where two plain values differ: numbers by more than 1e-9 relative or absolute, anything else at all; lists by their order. */
export function differences(found: unknown, expected: unknown, where = ''): string[] {
  if (typeof found === 'number' && typeof expected === 'number') {
    const close = Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
    return close ? [] : [`${where}: ${found} instead of ${expected}`];
  }
  if (typeof found !== 'object' || typeof expected !== 'object' || found === null || expected === null) {
    return found === expected ? [] : [`${where}: ${found} instead of ${expected}`];
  }
  const keys = new Set([...Object.keys(found), ...Object.keys(expected)]);
  return [...keys].flatMap((key) => {
    return differences(
      (found as Record<string, unknown>)[key],
      (expected as Record<string, unknown>)[key],
      `${where}.${key}`,
    );
  });
}
