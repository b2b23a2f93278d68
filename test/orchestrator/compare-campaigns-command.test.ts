import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../base/index.ts';
import { type Cell, writeCell } from '../../experiments/index.ts';
import { failedRecord, goodRecord, newCampaign } from '../experiments/make.ts';

// Each command is a process of its own.

async function measured(seconds: (cell: Cell) => number | null): Promise<string> {
  const { dir, cells } = await newCampaign({ reps: '2' });
  for (const [place, cell] of cells.entries()) {
    const ct = seconds(cell);
    const time = (ct ?? 1) * (1 + 0.01 * (place % 3));
    const record = ct === null ? failedRecord(cell) : goodRecord(cell, [time, time * 1.01]);
    const startedAt = new Date(Date.UTC(2024, 4, 1, 10, place)).toISOString();
    await writeCell(dir, { ...record, startedAt }, { stdout: '', stderr: '' });
  }
  return dir;
}

const compare = (...words: string[]) =>
  execa(`${projectRoot()}/predict`, ['compare', ...words], { reject: false, env: { COLUMNS: '80', NO_COLOR: '1' } });

describe('compare --against', () => {
  test('says what changed in a table that fits, and ends with 6 where a cell is slower than the limit', async () => {
    const before = await measured(() => 0.5);
    const after = await measured(({ nodes, bw }) => (nodes === 4 && bw === 50 ? 0.8 : 0.5));
    const text = await compare(after, '--against', before, '--fail-above', '10');
    expect(text.exitCode).toBe(6);
    expect(text.stdout).toMatch(/^ {4}4 +10 +50 .* 1\.6\d .*slower$/m);
    expect(text.stdout).toContain('1 of 4 cells differ beyond scatter');
    const gate = await compare(after, '--against', before, '--fail-above', '10%', '--json');
    expect(gate.exitCode).toBe(6);
    expect(JSON.parse(gate.stdout).gate).toMatchObject({
      ...{ limitPercent: 10, passed: false, undecided: [] },
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

  test.each([
    [['x', '--fail-above', '10%'], 'name that one with --against'],
    [['x', '--against', 'y', '--scale', '20'], 'leave out --scale'],
    [['--against', 'y'], 'name the folder of the first'],
    [['x', '--against', 'y', '--fail-above', 'much'], "--fail-above: 'much'"],
  ])('%s is refused', async (words, said) => {
    const { exitCode, stderr } = await compare(...words);
    expect({ exitCode, said: stderr.replaceAll('\n', ' ').includes(said) }).toEqual({ exitCode: 2, said: true });
  });
});
