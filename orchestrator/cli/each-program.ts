import { PredictError } from '../../base/errors.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { listPrograms } from '../../experiments/store/programs.ts';
import { type Answers, answerLines } from '../../report/answers/answers-schema.ts';
import type { Optional, Switches } from './flags.ts';
import { type Answer, print, printJson, tell } from './print.ts';

/**
 * Asks of a campaign (null: of a file) and tells it; of several programs of each one by itself, unless one is named, in JSON as
 * `programs`. `mayFail`: what is bad input for one of several is said in its place.
 */
export async function eachProgram(
  open: OpenCampaign | null,
  { program: named, json }: Optional<'program'> & Switches,
  ask: (program: string | undefined) => Promise<Answer & { readonly json: object }>,
  { mayFail = false } = {},
): Promise<void> {
  const programs = open === null || named !== undefined ? [] : listPrograms(open);
  if (programs.length < 2) return await tell(await ask(named), json);
  const all: object[] = [];
  for (const program of programs) {
    const answer = await ask(program).catch((error: unknown) => {
      if (!mayFail || !(error instanceof PredictError) || error.kind !== 'badInput') throw error;
      return { json: { reason: error.message }, say: () => print(`No comparison: ${error.message}`) };
    });
    all.push({ program, ...answer.json });
    if (json) continue;
    print(`${program === programs[0] ? '' : '\n'}${program}`);
    answer.say();
  }
  if (json) printJson({ programs: all });
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
