import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { runGraph500 } from './run-graph500.ts';

interface Span {
  readonly worker: number;
  readonly phase: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly bytes: number;
  readonly root: string;
  readonly level: string;
}

const SEARCHES = 3;
const STEPS = ['expand', 'compute', 'fold', 'synchronise'];

describe.skipIf(!existsSync('/usr/bin/mpirun')).each([1, 4])('the phases file of %i ranks (needs mpirun)', (ranks) => {
  const folder = mkdtempSync(join(tmpdir(), 'predict-phases-'));
  const lines = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
  let spans: readonly Span[] = [];

  beforeAll(async () => {
    await buildHostPrograms();
    const files = ['--phases', join(folder, 'phases.csv'), '--roots-out', join(folder, 'roots.csv')];
    const size = ['--scale', '11', '--roots', String(SEARCHES), '--validate', '2'];
    expect((await runGraph500(ranks, ...size, ...files)).exitCode).toBe(0);
    spans = lines('phases.csv').slice(1).map(span);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('names the fixed columns and then the keys', () => {
    expect(lines('phases.csv')[0]).toBe('worker,phase,start_ns,end_ns,bytes_sent,asleep_ns,queued_ns,root,level');
  });

  it('tells of every worker each phase as often as it came', () => {
    for (let worker = 0; worker < ranks; worker++) {
      const count = (phase: string): number =>
        spans.filter((span) => span.worker === worker && span.phase === phase).length;
      expect(['generate', 'construct', 'bfs', 'validate'].map(count)).toEqual([1, 1, SEARCHES, 2]);
      for (const step of STEPS) expect(count(step)).toBeGreaterThanOrEqual(SEARCHES);
    }
    expect(new Set(spans.map((span) => span.worker)).size).toBe(ranks);
    expect(new Set(spans.map((span) => span.phase))).toEqual(
      new Set(['generate', 'construct', 'bfs', 'validate', ...STEPS]),
    );
  });

  it('fills a key exactly where it applies', () => {
    const roots = ['0', '1', '2'];
    for (const { phase, root, level } of spans) {
      if (phase === 'generate' || phase === 'construct') expect([root, level]).toEqual(['', '']);
      else expect(roots).toContain(root);
      if (STEPS.includes(phase)) expect(level).toMatch(/^\d+$/);
      else expect(level).toBe('');
    }
  });

  it('orders the phases of a worker in time, and the steps of a search without a gap', () => {
    expect(spans.length).toBeGreaterThan(0);
    for (const span of spans) expect(span.start <= span.end).toBe(true);
    for (let worker = 0; worker < ranks; worker++) {
      const own = spans.filter((span) => span.worker === worker);
      expect(own.map((span) => span.end)).toEqual([...own.map((span) => span.end)].sort(ascending));
      for (const search of own.filter((span) => span.phase === 'bfs')) {
        const steps = stepsOf(own, search);
        expect(steps.slice(1).map((step) => step.start)).toEqual(steps.slice(0, -1).map((step) => step.end));
        expect((steps[0]?.start ?? 0n) >= search.start).toBe(true);
        expect((steps.at(-1)?.end ?? search.end + 1n) <= search.end).toBe(true);
        const levels = steps.map((step) => Number(step.level));
        expect(levels).toEqual([...levels].sort((a, b) => a - b));
      }
    }
  });

  it('counts the bytes of a search as the roots file does, and all of them in its steps', () => {
    const told = lines('roots.csv').slice(1);
    expect(told).toHaveLength(SEARCHES);
    for (const row of told) {
      const [root, , , , , , bytes] = row.split(',');
      const searches = spans.filter((span) => span.phase === 'bfs' && span.root === root);
      expect(searches).toHaveLength(ranks);
      expect(total(searches)).toBe(Number(bytes));
      for (const search of searches) {
        const own = spans.filter((span) => span.worker === search.worker);
        expect(total(stepsOf(own, search))).toBe(search.bytes);
      }
    }
    expect(total(spans) > 0).toBe(ranks > 1);
  });
});

function span(line: string): Span {
  const [worker, phase = '', start = '', end = '', bytes, , , root = 'none', level = 'none'] = line.split(',');
  return { worker: Number(worker), phase, start: BigInt(start), end: BigInt(end), bytes: Number(bytes), root, level };
}

/** The steps of one worker's search, in file order. */
function stepsOf(spans: readonly Span[], search: Span): Span[] {
  return spans.filter((span) => STEPS.includes(span.phase) && span.root === search.root);
}

function total(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + span.bytes, 0);
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
