import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { answerProfileCase } from './answer-profile-case.ts';

// PREDICT_PROFILE_CASES names another folder of cases.
const folder = process.env.PREDICT_PROFILE_CASES ?? fileURLToPath(new URL('../../fixtures/profiles/', import.meta.url));
const read = (...path: readonly string[]): unknown => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
const cases = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
  return entry.isDirectory() && readdirSync(join(folder, entry.name)).includes('input.json') ? [entry.name] : [];
});
const refused = readdirSync(folder).filter((name) => name.startsWith('refused-'));

test.each(cases)('%s comes out as an independent program has it, to 1e-9', (name) => {
  expectNear(
    JSON.parse(JSON.stringify(answerProfileCase(read(name, 'input.json'), name))),
    read(name, 'expected.json'),
    name,
  );
});

test('the cases of the thesis are among them', () => {
  expect(cases).toEqual(expect.arrayContaining(['recursion-problem', 'figure-4-2', 'figure-5-1', 'appendix-b']));
  expect(refused).not.toEqual([]);
});

test.each(refused)('%s is refused with the profile, and the line where one is wrong', (name) => {
  expect(() => answerProfileCase(read(name), name)).toThrow(
    expect.objectContaining({ kind: 'badInput', message: expect.stringMatching(/profile '\w+'(?:, line 1: | has )/) }),
  );
});

test.each([
  [{}, 'not a valid case of profiles at profiles'],
  [{ profiles: [], ask: {} }, 'not a valid case of profiles at profiles'],
  [twice(), "two profiles with the key 'p'"],
])('%j is refused', (data, said) => {
  expect(() => answerProfileCase(data, 'x.json')).toThrow(said);
});

test('a degree beyond any height asks for totals', () => {
  const profile = {
    key: 'p',
    benchmark: 'b',
    testRun: 'r',
    timeNs: 0,
    metricMean: null,
    collapsed: 'a;b;a;c 3\nd 1\n',
  };
  const degrees = [1e6, 2 ** 31, Number.MAX_SAFE_INTEGER];
  const answer = answerProfileCase({ profiles: [profile], ask: { potential: { degrees } } }, 'x.json');
  const totals = Object.entries({ a: 75, b: 75, c: 75, d: 25 }).map(([codePath, potential]) => ({
    codePath,
    potential,
  }));
  expect(answer).toMatchObject({ potential: Object.fromEntries(degrees.map((degree) => [degree, totals])) });
});

function twice() {
  const profile = { key: 'p', benchmark: 'b', testRun: 'r', timeNs: 0, metricMean: null, collapsed: 'a 1\n' };
  return { profiles: [profile, profile], ask: {} };
}

/** Numbers to 1e-9, relative or absolute, whichever is larger; all else exactly. */
function expectNear(found: unknown, wanted: unknown, where: string): void {
  if (typeof wanted === 'number') {
    const near = typeof found === 'number' && Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));
    if (!near) expect.fail(`${where}: ${found} instead of ${wanted}`);
  } else if (wanted !== null && typeof wanted === 'object') {
    const [a, b] = [Object(found) as Record<string, unknown>, wanted as Record<string, unknown>];
    expect(Object.keys(a).sort(), where).toEqual(Object.keys(b).sort());
    for (const key of Object.keys(b)) expectNear(a[key], b[key], `${where}.${key}`);
  } else {
    expect(found, where).toBe(wanted);
  }
}
