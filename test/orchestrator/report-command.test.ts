import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { type Answers, answerLines, answersSchema } from '../../report/answers/answers-schema.ts';
import type { ReportData } from '../../report/content/build-report.ts';
import { runPredict } from '../run-predict.ts';

const folder = mkdtempSync(join(tmpdir(), 'predict-report-'));
const campaign = join(folder, 'campaign');
const predict = (...args: string[]) => runPredict(['report', campaign, ...args]);

beforeAll(() => cpSync(join(projectRoot(), 'test/fixtures/campaigns/schema-1'), campaign, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the terminal, --json and the page give the same answers', async () => {
  const file = join(folder, 'data.json');
  const written = JSON.parse((await predict('--json', '--data', file)).stdout) as { report: string; answers: Answers };
  const { stdout: piped, stderr: text } = await predict('--data', '-');
  expect(written.report).toBe(join(campaign, 'report.html'));
  expect(answersSchema.parse(written.answers)).toEqual(written.answers);
  const page = readFileSync(written.report, 'utf8').replaceAll('\u202f', ' ');
  const data = JSON.parse(readFileSync(file, 'utf8')) as ReportData & { schema: number };
  expect(data.schema).toBe(2);
  expect(JSON.stringify(data.answers)).toBe(JSON.stringify(written.answers));
  expect(JSON.parse(piped)).toMatchObject({ schema: 2, answers: written.answers });
  expect(page).toContain(data.title);
  expect(data.points.length).toBeGreaterThan(0);
  const lines = answerLines(written.answers);
  expect(lines).toHaveLength(6);
  for (const { question, sentence, detail } of lines) {
    expect(text).toContain(`${question}\n  ${sentence}\n${detail === null ? '' : `  ${detail}\n`}`);
    for (const said of [question, sentence, detail ?? '']) expect(page).toContain(said);
  }
  expect(written.answers.next.command).toContain(` --out ${campaign} `);
  expect(text).toContain(`\n  ${written.answers.next.command}\n`);
  expect(text.trimEnd().endsWith(`Report: ${written.report}`)).toBe(true);
});

test('--data - leaves standard output to nothing else', async () => {
  for (const other of [['--json'], ['--out', '-']]) {
    const refused = await predict('--data', '-', ...other);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('would both write to standard output');
  }
});
