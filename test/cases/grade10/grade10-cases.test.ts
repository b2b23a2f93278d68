import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runCase } from '../../analysis/case-output.ts';
import { parseCase } from './parse-case.ts';

const folder = fileURLToPath(new URL('../../fixtures/grade10/', import.meta.url));
const read = (name: string, file: string): unknown => JSON.parse(readFileSync(`${folder}${name}/${file}.json`, 'utf8'));

describe('the reference cases', () => {
  test('are there', () => expect(readdirSync(folder)).toContain('thesis-fig4.6-4.9'));

  test.each(readdirSync(folder))('%s comes out as two independent programs have it, to 1e-9', (name) => {
    expectEqual(runCase(parseCase(read(name, 'input'))), read(name, 'expected'), name);
  });
});

/** Numbers to 1e-9 relative, all else exactly; lists in the same order. */
function expectEqual(found: unknown, wanted: unknown, where: string): void {
  if (typeof wanted === 'number') {
    const near = typeof found === 'number' && Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));
    if (!near) expect.fail(`${where}: ${found} instead of ${wanted}`);
  } else if (wanted !== null && typeof wanted === 'object') {
    const [a, b] = [Object(found) as Record<string, unknown>, wanted as Record<string, unknown>];
    expect(Object.keys(a).sort(), where).toEqual(Object.keys(b).sort());
    for (const key of Object.keys(b)) expectEqual(a[key], b[key], `${where}.${key}`);
  } else {
    expect(found, where).toBe(wanted);
  }
}
