import { type Answers, linesOf } from '../../report/answers/answers-schema.ts';
import { print } from './print.ts';

/** What a campaign says, question by question. */
export function printAnswers(answers: Answers | null): void {
  if (answers === null) {
    print('Nothing is measured yet.');
    return;
  }
  for (const { question, sentence, detail } of linesOf(answers)) {
    print(`${question}\n  ${sentence}${detail === null ? '' : `\n  ${detail}`}`);
  }
  if (answers.next.command !== null) print(`  ${answers.next.command}`);
}
