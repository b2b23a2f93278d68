import { PredictError } from '../../base/errors.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { listPrograms } from '../../experiments/store/programs.ts';
import { type Answers, answerLines } from '../../report/answers/answers-schema.ts';
import type { Optional, Switches } from './flags.ts';
import { type Answer, print } from './print.ts';

type ProgramAnswer = Answer & { readonly json: object };

/**
 * What a campaign (null: a file) answers; of several programs each one by itself, unless one is named, in JSON as `programs`. Of `threads` runs with any
 * number of them are one program. `mayFail`:
 * what is bad input for one of several is said in its place. Other errors come after what was answered before, with `json` at once.
 */
export async function eachProgram(
  open: OpenCampaign | null,
  { program: named, threads, json }: Optional<'program' | 'threads'> & Switches,
  ask: (program: string | undefined) => Promise<ProgramAnswer>,
  { mayFail = false } = {},
): Promise<Answer> {
  const overThreads = threads !== undefined;
  const programs = open === null || named !== undefined ? [] : listPrograms(open, { overThreads });
  if (programs.length < 2) return await ask(named);
  const answers: (ProgramAnswer & { readonly program: string })[] = [];
  const say = (): void => {
    for (const [index, answer] of answers.entries()) {
      print(`${index === 0 ? '' : '\n'}${answer.program}`);
      answer.say();
    }
  };
  for (const program of programs) {
    try {
      answers.push({ program, ...(await ask(program)) });
    } catch (error) {
      const isUnfit = mayFail && error instanceof PredictError && error.kind === 'badInput';
      if (!isUnfit && (json || answers.length === 0)) throw error;
      if (!isUnfit) return { say, after: () => Promise.reject(error) };
      const reason = error.message;
      answers.push({ program, json: { reason }, say: () => print(`No comparison: ${reason}`) });
    }
  }
  return { json: { programs: answers.map(({ program, json: own }) => ({ program, ...own })) }, say };
}

/** The answers of a campaign, where it is of one program or one is named; the report's room is loaded for them alone. */
export async function programAnswers(
  open: OpenCampaign,
  program: string | undefined,
): Promise<{ readonly answers?: Answers | null }> {
  if (program === undefined && listPrograms(open).length > 1) return {};
  const { keptAnswers } = await import('../../report/content/from-campaign.ts');
  return { answers: await keptAnswers(open, { program }) };
}

/** What a campaign says, question by question. */
export function printAnswers(answers: Answers | null): void {
  if (answers === null) {
    print('Nothing is measured yet.');
    return;
  }
  for (const { question, sentence, detail } of answerLines(answers)) {
    print(`${question}\n  ${sentence}${detail === null ? '' : `\n  ${detail}`}`);
  }
  if (answers.next.command !== null) print(`  ${answers.next.command}`);
}
