import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { parseGraph500 } from '../../experiments/parse-graph500.ts';
import { isLong } from '../times.ts';
import { runGraph500 } from './run-graph500.ts';

describe.skipIf(!existsSync('/usr/bin/mpirun'))('the bundled Graph500 (needs mpirun)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'predict-g500-'));
  beforeAll(() => buildHostPrograms());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('finds the same components on any number of ranks, validated', async () => {
    const seen: string[] = [];
    for (const ranks of isLong ? [1, 4, 9] : [1, 9]) {
      const csv = join(folder, `roots-${ranks}.csv`);
      const result = await runGraph500(ranks, '--scale', '11', '--roots', '6', '--seed', '5', '--roots-out', csv);
      const parsed = parseGraph500([result.stdout, result.stderr], { exitCode: result.exitCode });
      expect(parsed.reason).toBeNull();
      expect(parsed.validated).toBe(true);
      // root, key, nedge: all but the times
      const rows = readFileSync(csv, 'utf8').trim().split('\n').slice(1);
      seen.push(rows.map((row) => [0, 1, 3].map((column) => row.split(',')[column]).join(' ')).join('\n'));
    }
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]?.split('\n')).toHaveLength(6);
  });

  it('says of each phase how long the rank slept and queued in it, never longer than it lasted', async () => {
    const csv = join(folder, 'asleep.csv');
    const result = await runGraph500(4, '--scale', '12', '--roots', '4', '--phases', csv);
    expect(result.exitCode).toBe(0);
    const [head, ...rows] = readFileSync(csv, 'utf8').trim().split('\n');
    expect(head).toBe('worker,phase,start_ns,end_ns,bytes_sent,asleep_ns,queued_ns,root,level');
    for (const row of rows) {
      const [, , start, end, , asleep, queued] = row.split(',');
      expect([asleep, queued].join()).toMatch(/^\d+,\d+$/);
      const known = BigInt(asleep ?? '') + BigInt(queued ?? '');
      expect(known <= BigInt(end ?? '') - BigInt(start ?? '')).toBe(true);
    }
  });

  it.each([2, 11])(
    'ends a search of scale %i at one level on all of 9 ranks, without a barrier after the peak',
    async (scale) => {
      const csv = join(folder, `phases-${scale}.csv`);
      const result = await runGraph500(9, '--scale', String(scale), '--roots', '6', '--seed', '5', '--phases', csv);
      expect(result.exitCode).toBe(0);
      const rows = readFileSync(csv, 'utf8').trim().split('\n').slice(1);
      const searches = rows.map((row) => row.split(',')).filter((row) => row[8] !== '');
      const [passed, barriers] = ['fold', 'synchronise'].map((name) => {
        const perRank = new Map<string, string[]>();
        for (const [rank = '', phase, , , , , , root, level] of searches)
          if (phase === name) perRank.set(rank, [...(perRank.get(rank) ?? []), `${root} ${level}`]);
        expect(perRank.size).toBe(9);
        expect(new Set([...perRank.values()].map((all) => all.join())).size).toBe(1);
        return perRank.get('0')?.length ?? 0;
      });
      expect(barriers).toBeLessThan((passed ?? 0) / 2);
    },
  );

  it.each([1, 2, 3, 4, 5])('catches a tree that breaks rule %i', async (rule) => {
    const result = await runGraph500(4, '--scale', '9', '--roots', '2', '--corrupt', String(rule));
    expect(result.exitCode).toBe(3);
    const parsed = parseGraph500([result.stdout, result.stderr], { exitCode: 3 });
    expect(parsed.valid).toBe(false);
    expect(result.stderr).toContain(`rule ${rule}`);
  });

  it('refuses a rank count that is no square, naming the nearest', async () => {
    const result = await runGraph500(3, '--scale', '9');
    expect(result.exitCode).not.toBe(0);
    expect(result.stderr).toMatch(/3 ranks|ranks.*3/);
    expect(result.stderr).toMatch(/\b1\b.*\b4\b/);
  });
});
