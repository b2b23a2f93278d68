import { capital } from '../../base/text.ts';
import type { Answers, ASKED } from '../answers/answers-schema.ts';

/** What each section is headed by: the answer that it rests on, where something was measured. */
export function headingsOf(answers: Answers | null) {
  const headed = (id: (typeof ASKED)[number], title: string): string =>
    answers === null ? title : `${answers[id].question} ${capital(answers[id].short)}`;
  return {
    scaling: headed('moreNodes', 'Time over nodes'),
    bandwidth: headed('bandwidthNeeded', 'Effect of bandwidth'),
    why: headed('limit', 'Why: what limits a run'),
    callStacks: 'Call stacks: which code stops scaling',
    models: headed('trust', 'The models, and how far to trust them'),
    projections: 'Predictions for larger clusters',
    throttle: 'Was the network throttled correctly?',
  };
}
