import { capital } from '../../base/text.ts';
import { answerAll } from '../answers/answers.ts';
import type { Answers, ASKED } from '../answers/answers-schema.ts';
import { fitBasis } from '../answers/basis.ts';
import { computeFacts, type Facts, type ReportInput } from './page-facts.ts';
import { findWarnings, type Warning } from './warnings.ts';

// Everything that the page shows, as plain data, in the shape in which `content` makes it. Units are in the names: ct seconds,
// bw percent of the line rate, ...Bps bits per second, ...Percent percent. A list without entries means: not there; `missing`
// says why.

export interface ReportData extends Facts {
  /** The head of the page; null where nothing was measured. All else that the page says follows from them. */
  readonly answers: Answers | null;
  /** Of the sections: what they show in this campaign. */
  readonly headings: ReturnType<typeof headingsOf>;
  readonly warnings: readonly Warning[];
  readonly decisions: readonly string[];
}

/** A campaign as the plain data of a report: statistics, fits, checks, projections, the answers and the sentences about them. */
export function buildReport(input: ReportInput, basis = fitBasis(input)): ReportData {
  const answers = answerAll(basis, input);
  const facts = computeFacts(basis, input);
  const told = { headings: headingsOf(answers), warnings: findWarnings(facts), decisions: decisionsOf(answers) };
  return { ...facts, answers, ...told };
}

/** What the model in use says to a buyer, in the words of the answers. */
function decisionsOf(answers: Answers | null): readonly string[] {
  if (answers === null) return [];
  const { moreNodes, fasterLink, bandwidthNeeded } = answers;
  const sure = [moreNodes, fasterLink].filter(({ reason }) => reason === null);
  return [...sure, ...(bandwidthNeeded.basis === 'model' ? [bandwidthNeeded] : [])].map(({ sentence }) => sentence);
}

/** What each section is headed by: the answer that it rests on, where something was measured. */
function headingsOf(answers: Answers | null) {
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
