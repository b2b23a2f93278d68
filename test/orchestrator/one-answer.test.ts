import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { type Answers, answersSchema } from '../../report/answers/answers-schema.ts';
import { contradictions } from '../report/answers/claims.ts';
import { runPredict, runPredictJson } from '../run-predict.ts';
import { isLong } from '../times.ts';

const predict = async (...words: string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await runPredict(words, { env: { COLUMNS: undefined } });
  expect([exitCode, words]).toEqual([0, words]);
  return `${stdout}\n${stderr}`;
};
const json = (...words: string[]) => runPredictJson<{ readonly answers: Answers }>(words);

const CAMPAIGNS = ['alltoall', 'schema-1'];

describe('a stored campaign', () => {
  const stored = (name: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'predict-one-answer-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(join(projectRoot(), 'test/fixtures/campaigns', name), join(folder, name), { recursive: true });
    return join(folder, name);
  };

  test.each(isLong ? CAMPAIGNS : ['alltoall'])(
    'has the same answers, to the byte, whatever is asked: %s',
    async (name) => {
      const dir = stored(name);
      const data = join(dir, '..', 'data.json');
      const told = await json('report', dir, '--data', data);
      const { answers } = JSON.parse(readFileSync(data, 'utf8')) as { answers: Answers };
      expect(answersSchema.parse(answers)).toEqual(answers);
      expect(JSON.stringify(told.answers)).toBe(JSON.stringify(answers));
      for (const words of [
        ['model', dir],
        ['why', dir],
        ['compare', dir, dir],
      ]) {
        expect([words[0], JSON.stringify((await json(...words)).answers)]).toEqual([words[0], JSON.stringify(answers)]);
      }
    },
  );

  test.each(isLong ? CAMPAIGNS : ['schema-1'])(
    'has nothing said of it, on the page or a terminal, that its answers do not: %s',
    async (name) => {
      const dir = stored(name);
      const [page, data] = ['page.html', 'data.json'].map((file) => join(dir, '..', file)) as [string, string];
      const told = await predict('report', dir, '--out', page, '--data', data);
      const { answers } = JSON.parse(readFileSync(data, 'utf8')) as { answers: Answers };
      const texts = [
        told,
        await predict('model', dir),
        await predict('model', dir, '--nodes', '4..256'),
        await predict('why', dir),
        await predict('why', dir, '--method', 'grade10'),
        await predict('compare', dir, dir),
        await predict('status', dir),
        readFileSync(page, 'utf8')
          .replaceAll(/<style>[\s\S]*?<\/style>/g, '')
          .replaceAll(/<[^>]*>/g, '')
          .replaceAll('\u202f', ' '),
      ];
      expect(texts.flatMap((text) => contradictions(text, answers))).toEqual([]);
    },
  );
});
