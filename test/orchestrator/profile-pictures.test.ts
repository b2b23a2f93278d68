import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { flameCommand } from '../../orchestrator/cli/profiles/flame.ts';
import { importProfileFiles } from '../../orchestrator/cli/profiles/import-profile-files.ts';
import { queryCommand } from '../../orchestrator/cli/profiles/query.ts';
import { regressionsCommand } from '../../orchestrator/cli/profiles/regressions-command.ts';
import { fixturePath } from '../analysis/profiles/formats/read.ts';
import type { Document } from '../report/page.ts';

const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const store = join(folder, 'store');
const out = (name: string): string => join(folder, name);

/** What a command prints. */
async function printed(command: () => Promise<void>): Promise<string> {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const noted = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    await command();
    return written.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    written.mockRestore();
    noted.mockRestore();
  }
}

async function add(file: string, benchmark: string, run: string, more: object = {}): Promise<void> {
  await importProfileFiles([file], { into: store, benchmark, run, format: 'auto', json: true, ...more });
}

beforeAll(async () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await add(fixturePath('burn.perf-script.txt'), 'burn', '1');
  await add(fixturePath('java-printed.jfr.json.gz'), 'java', '1');
  await add(fixturePath('fib.cpuprofile'), 'fib', '1', { value: 'seconds' });
  for (const [day, samples] of [10, 20, 60].entries()) {
    const file = out(`${day}.folded`);
    writeFileSync(file, `main;a_[j] ${samples}\nmain;b 40\n`);
    await add(file, 'b', String(day), { time: `2026-01-0${day + 1}`, strip: 'jit' });
  }
  written.mockRestore();
});

test.each([
  ['burn/1', 'burn.folded'],
  ['java/1', 'java-printed.folded'],
])('a recording comes back from a store as the stacks that were expected of it: %s', async (profile, expected) => {
  await printed(() => flameCommand(store, { profile, out: out('back.folded') }));
  expect(readFileSync(out('back.folded'), 'utf8')).toBe(readFileSync(fixturePath(expected), 'utf8'));
});

test('a profile is drawn against another, and against the mean of the runs before it', async () => {
  const json = JSON.parse(
    await printed(() => flameCommand(store, { profile: 'b/2', against: 'mean:2', out: out('c.html'), json: true })),
  );
  expect(json).toMatchObject({ key: 'b/2', against: 'the mean of the 2 runs before it', unit: 'samples', total: 100 });
  const a = json.frames.find(({ name }: { readonly name: string }) => name === 'a');
  expect([a.share, a.before]).toEqual([0.6, expect.closeTo(15 / 55, 12)]);
  expect(readFileSync(out('c.html'), 'utf8')).toContain('b/2 compared with the mean of the 2 runs before it');
  await printed(() => flameCommand(store, { profile: 'b/2', against: 'b/0', out: out('d.folded') }));
  expect(readFileSync(out('d.folded'), 'utf8')).toBe('main;a 10 60\nmain;b 40 40\n');
});

test('the mean of runs is written for speedscope, as a drawing and as stacks', async () => {
  const choice = { profile: 'mean:3', benchmark: 'b' };
  for (const name of ['m.folded', 'm.svg', 'm.speedscope.json'])
    await printed(() => flameCommand(store, { ...choice, out: out(name) }));
  expect(readFileSync(out('m.folded'), 'utf8')).toBe('main;a 30\nmain;b 40\n');
  expect(readFileSync(out('m.svg'), 'utf8')).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*><title>/);
  const { profiles } = JSON.parse(readFileSync(out('m.speedscope.json'), 'utf8'));
  expect(profiles[0].weights).toEqual([30, 40]);
});

test('code paths that deviate are drawn over the runs, with the band in which they were expected', async () => {
  const input = JSON.parse(readFileSync(fixturePath('../appendix-b/input.json'), 'utf8'));
  for (const [day, { key, collapsed }] of input.profiles.entries()) {
    writeFileSync(out(`${key}.folded`), collapsed);
    await printed(() => add(out(`${key}.folded`), 'appendix', key, { time: `2026-01-${10 + day}` }));
  }
  const flags = { benchmark: 'appendix', window: '10', value: 'total', rank: 'score', most: '20', noise: false };
  const bounds = { threshold: '0', maxDepth: '10', maxBreadth: '3' };
  await printed(() => regressionsCommand(store, { ...flags, ...bounds, out: out('plots.html') }));
  const { document } = parseHTML(readFileSync(out('plots.html'), 'utf8')) as unknown as { document: Document };
  const figures = [...document.querySelectorAll('figure')];
  // By the reference of appendix B: three score above 2, one is new, one is gone.
  const titles = figures.map((figure) => figure.querySelector('strong')?.textContent);
  expect(titles).toEqual(['unsafeArray', 'view', 'main', 'fresh', 'vanished']);
  const [first] = figures;
  expect(first?.querySelector('figcaption span')?.textContent).toContain('0.1 samples expected, 7 in the candidate');
  expect([...(first?.querySelectorAll('.chart circle') ?? [])].map((dot) => dot.textContent).at(-1)).toBe(
    'appendix/p10: 7 samples',
  );
  expect([...(first?.querySelectorAll('.chart circle') ?? [])]).toHaveLength(11);
  expect(first?.querySelector('.chart svg')?.getAttribute('aria-label')).toContain(
    'Horizontal: Runs before the candidate, by time. Vertical: Value (samples).',
  );
  const wrong = regressionsCommand(store, { ...flags, ...bounds, out: out('plots.png') });
  await expect(wrong).rejects.toThrow('does not end in .html');
});

test.each([
  [{ profile: 'b/9' }, "There is no profile with the key 'b/9'"],
  [{ profile: 'mean:3' }, 'name the benchmark of the runs with --benchmark'],
  [{ profile: 'b/0', against: 'mean:2' }, "no run of 'b' is before b/0"],
  [{ profile: 'b/0', against: 'fib/1' }, 'different units (samples and seconds)'],
  [{ profile: 'b/0', out: 'x.png' }, 'does not end in one of .html, .svg, .folded, .speedscope.json'],
])('%j is refused', async (flags, said) => {
  await expect(flameCommand(store, { out: out('x.svg'), ...flags })).rejects.toThrow(said);
});

test('a store is asked in Cypher and in SQL', async () => {
  const cypher =
    'MATCH (f:Function) WHERE f.codePath = "a" RETURN f.profileKey AS key, f.totalSamples AS total ORDER BY key';
  const rows = [
    ['b/0', 10],
    ['b/1', 20],
    ['b/2', 60],
  ];
  expect(JSON.parse(await printed(() => queryCommand(store, cypher, { json: true })))).toEqual({
    columns: ['key', 'total'],
    rows,
  });
  const sql = "SELECT key, total FROM nodes WHERE code_path = 'a' ORDER BY key";
  expect(JSON.parse(await printed(() => queryCommand(store, sql, { sql: true, json: true }))).rows).toEqual(rows);
  const modes = await printed(() =>
    queryCommand(store, 'SELECT mode, sum(own) FROM modes GROUP BY mode', { sql: true }),
  );
  expect(modes).toMatch(/^jit +90$/m);
});
