import { answersOf } from '../answers/answers.ts';
import type { Answers } from '../answers/answers-schema.ts';
import { basisOf } from '../answers/basis.ts';
import type { ReportData } from '../data.ts';
import { headingsOf } from './headings.ts';
import { factsOf, type ReportInput } from './page-facts.ts';
import { warningsOf } from './warnings.ts';

/** A campaign as the plain data of a report: statistics, fits, checks, projections, the answers and the sentences about them. */
export function buildReport(input: ReportInput, basis = basisOf(input)): ReportData {
  const answers = answersOf(basis, input);
  const facts = factsOf(input, basis);
  const told = { headings: headingsOf(answers), warnings: warningsOf(facts), decisions: decisionsOf(answers) };
  return { ...facts, answers, ...told };
}

/** What the model in use says to a buyer, in the words of the answers. */
function decisionsOf(answers: Answers | null): readonly string[] {
  if (answers === null) return [];
  const { moreNodes, fasterLink, bandwidthNeeded } = answers;
  const sure = [moreNodes, fasterLink].filter(({ reason }) => reason === null);
  return [...sure, ...(bandwidthNeeded.basis === 'model' ? [bandwidthNeeded] : [])].map(({ sentence }) => sentence);
}
