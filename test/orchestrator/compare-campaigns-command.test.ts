import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Cell } from '../../experiments/records.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { failedRecord, goodRecord, newCampaign, tempFolder } from '../experiments/make.ts';
import { runPredict } from '../run-predict.ts';

/** Cells of `--reps 1` without their repeated baselines. */
async function measured(seconds: (cell: Cell) => number | null, reps = '2'): Promise<string> {
  const { dir, cells } = await newCampaign({ reps });
  for (const [place, cell] of cells.entries()) {
    if (reps === '1' && cell.role === 'drift') continue;
    const ct = seconds(cell);
    const time = (ct ?? 1) * (1 + 0.01 * (place % 3));
    const record = ct === null ? failedRecord(cell) : goodRecord(cell, [time, time * 1.01]);
    const startedAt = new Date(Date.UTC(2024, 4, 1, 10, place)).toISOString();
    await writeCell(dir, { ...record, startedAt }, { stdout: '', stderr: '' });
  }
  return dir;
}

const compare = (...words: string[]) => runPredict(['compare', ...words], { env: { COLUMNS: '80', NO_COLOR: '1' } });

describe('compare --against', () => {
  test('says what changed in a table that fits, and ends with 6 where a cell is slower than the limit', async () => {
    const before = await measured(() => 0.5);
    const after = await measured(({ nodes, bw }) => (nodes === 4 && bw === 50 ? 0.8 : 0.5));
    const text = await compare(after, '--against', before, '--fail-above', '10');
    expect(text.exitCode).toBe(6);
    expect(text.stdout).toMatch(/^ {3}10 +4 +50 .* 1\.6\d .*slower$/m);
    expect(text.stdout).toContain('1 of 4 cells differ beyond scatter');
    const gate = await compare(after, '--against', before, '--fail-above', '10%', '--json');
    expect(gate.exitCode).toBe(6);
    expect(JSON.parse(gate.stdout).gate).toMatchObject({
      ...{ limitPercent: 10, passed: false, strict: false, undecided: [] },
      mean: { verdict: 'slower' },
      seesPercent: { mean: expect.any(Number), bestCell: expect.any(Number), worstCell: expect.any(Number) },
      above: [{ nodes: 4, bw: 50, differs: 'slower' }],
    });
    expect(JSON.parse(gate.stderr.split('\n').at(-1) ?? '')).toMatchObject({
      error: { kind: 'tooSlow', exitCode: 6, message: expect.stringContaining('4 nodes, scale 10, 50 %') },
    });
  });

  test('ends with 6 where a cell failed that the other campaign has times of', async () => {
    const before = await measured(() => 0.5);
    const after = await measured(({ nodes, bw }) => (nodes === 4 && bw === 50 ? null : 0.5));
    const { exitCode, stderr } = await compare(after, '--against', before, '--fail-above', '10%');
    expect(exitCode).toBe(6);
    expect(stderr.replaceAll('\n', ' ')).toContain('1 failed: 4 nodes, scale 10, 50 %');
  });

  test('ends with 6 where the mean alone is slower than the limit, and says what it could have seen', async () => {
    const before = await measured(() => 0.5);
    const after = await measured(() => 0.56);
    const { exitCode, stdout, stderr } = await compare(after, '--against', before, '--fail-above', '10');
    expect(exitCode).toBe(6);
    const [said, complaint] = [stdout, stderr].map((text) => text.replaceAll('\n', ' '));
    expect(said).toMatch(/The mean changed by \+12\.0 % \(95 % confidence: at least \+1[01]\.\d %/);
    expect(said).toMatch(/finds nine times of ten: 1[0-2]\.\d % of the mean; /);
    expect(complaint).toContain('the mean is slower by more than 10 % (+12.0 %)');
  });

  test('what is undecided passes, with --strict it ends with 6', async () => {
    const before = await measured(() => 0.5);
    const after = await measured(() => 0.55);
    const loose = await compare(after, '--against', before, '--fail-above', '10', '--json');
    expect(loose.exitCode).toBe(0);
    expect(JSON.parse(loose.stdout).gate).toMatchObject({ passed: true, mean: { verdict: 'undecided' }, above: [] });
    const strict = await compare(after, '--against', before, '--fail-above', '10', '--strict');
    expect(strict.exitCode).toBe(6);
    expect(strict.stderr.replaceAll('\n', ' ')).toContain('the mean may be slower by more than 10 %');
  });

  test('writes the same verdicts as JUnit XML and Markdown, to a file or standard output', async () => {
    const before = await measured(() => 0.5);
    const after = await measured(({ nodes, bw }) => (nodes === 4 && bw === 50 ? 0.8 : 0.5));
    const file = join(tempFolder(), 'gate.xml');
    const words = [after, '--against', before, '--fail-above', '10', '--junit', file, '--markdown', '-'];
    const { exitCode, stdout, stderr } = await compare(...words);
    expect(exitCode).toBe(6);
    expect(stdout).toMatch(/^### Slower than allowed: `/);
    expect(stdout).toMatch(/^\| `4 nodes, scale 10, 50 %` \| .*\*\*slower by more than 10 %\*\* \|$/m);
    expect(stderr).toContain('1 of 4 cells differ beyond scatter');
    const xml = readFileSync(file, 'utf8');
    expect(xml).toContain('tests="5" failures="2"');
    expect(xml).toMatch(/name="4 nodes, scale 10, 50 %" time="0\.\d+"><failure message="\+6\d/);
  });

  test('is not judged where no cell was visited again', async () => {
    const once = await measured(() => 0.5, '1');
    const { exitCode, stderr } = await compare(once, '--against', once, '--fail-above', '10');
    expect(exitCode).toBe(2);
    expect(stderr.replaceAll('\n', ' ')).toContain('how far repetitions of');
  });

  test.each([
    [['x', '--fail-above', '10%'], 'name that one too'],
    [['x', '--against', 'y', '--scale', '20'], 'leave out --scale'],
    [['--against', 'y'], 'name the folder of the first'],
    [['x', '--against', 'y', '--fail-above', 'much'], "--fail-above: 'much'"],
    [['x', '--against', 'y', '--strict'], '--strict is about --fail-above'],
    [['x', '--against', 'y', '--junit', 'gate.xml'], '--junit is about --fail-above'],
    [['x', '--markdown', 'gate.md'], '--markdown is about a comparison with another campaign'],
    [
      ['x', '--against', 'y', '--fail-above', '5', '--json', '--junit', '-'],
      '--junit - and --json would both write to standard output',
    ],
  ])('%s is refused', async (words, said) => {
    const { exitCode, stderr } = await compare(...words);
    expect({ exitCode, said: stderr.replaceAll('\n', ' ').includes(said) }).toEqual({ exitCode: 2, said: true });
  });
});
