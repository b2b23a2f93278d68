import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../base/index.ts';
import type { StoryLine } from '../../report/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'predict-report-'));
const campaign = join(folder, 'campaign');
const predict = (...args: string[]) => execa(join(projectRoot(), 'predict'), ['report', campaign, ...args]);

beforeAll(() => cpSync(join(projectRoot(), 'test/fixtures/campaigns/schema-1'), campaign, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the terminal, --json and the page tell the same story', async () => {
  const { stdout } = await predict();
  const written = JSON.parse((await predict('--json')).stdout) as { report: string; story: StoryLine[] };
  expect(written.report).toBe(join(campaign, 'report.html'));
  expect(written.story.map(({ id }) => id)).toEqual(['verdict', 'size', 'blind', 'limit', 'bandwidth', 'next']);
  const page = readFileSync(written.report, 'utf8').replaceAll('\u202f', ' ');
  for (const { question, answer, detail } of written.story) {
    expect(stdout).toContain(`${question}\n  ${answer}\n${detail === null ? '' : `  ${detail}\n`}`);
    for (const said of [question, answer, detail ?? '']) expect(page).toContain(said);
  }
  expect(stdout.trimEnd().endsWith(`Report: ${written.report}`)).toBe(true);
}, 120_000);
