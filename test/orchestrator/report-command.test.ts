import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../base/index.ts';
import type { ReportData, StoryLine } from '../../report/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'predict-report-'));
const campaign = join(folder, 'campaign');
const predict = (...args: string[]) => execa(join(projectRoot(), 'predict'), ['report', campaign, ...args]);

beforeAll(() => cpSync(join(projectRoot(), 'test/fixtures/campaigns/schema-1'), campaign, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the terminal, --json and the page tell the same story', async () => {
  const file = join(folder, 'data.json');
  const written = JSON.parse((await predict('--json', '--data', file)).stdout) as {
    report: string;
    story: StoryLine[];
  };
  const { stdout: piped, stderr: text } = await predict('--data', '-');
  expect(written.report).toBe(join(campaign, 'report.html'));
  expect(written.story.map(({ id }) => id)).toEqual(['verdict', 'size', 'blind', 'limit', 'bandwidth', 'next']);
  const page = readFileSync(written.report, 'utf8').replaceAll('\u202f', ' ');
  const data = JSON.parse(readFileSync(file, 'utf8')) as ReportData & { schema: number };
  expect(data.schema).toBe(1);
  expect(data.story).toEqual(written.story);
  expect(JSON.parse(piped)).toMatchObject({ schema: 1, story: written.story });
  expect(page).toContain(data.title);
  expect(data.points.length).toBeGreaterThan(0);
  for (const { question, answer, detail } of written.story) {
    expect(text).toContain(`${question}\n  ${answer}\n${detail === null ? '' : `  ${detail}\n`}`);
    for (const said of [question, answer, detail ?? '']) expect(page).toContain(said);
  }
  expect(text.trimEnd().endsWith(`Report: ${written.report}`)).toBe(true);
});

test('--data - leaves standard output to nothing else', async () => {
  for (const other of [['--json'], ['--out', '-']]) {
    const refused = await predict('--data', '-', ...other).catch(
      (error: { exitCode: number; stderr: string }) => error,
    );
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('both go to standard output');
  }
});
