import { groupAlike } from '../../base/text.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { describeSkill } from '../../modeling/judge/baselines.ts';
import { askForUnseen, type UnseenAnswer, weighForms } from '../../modeling/questions/choose-and-fit.ts';
import { selectedFrom } from '../../modeling/questions/measurements.ts';
import { eachProgram, programAnswers } from './each-program.ts';
import { bootstrapOptions, type ModelFlags, openNamed, parseQuestion, sourceOf } from './parse-question.ts';
import { type Answer, left, note, print, printCareful, printTable, right } from './print.ts';

/** The candidate models of a campaign or a file. Of several programs each one is compared by itself, unless one is named. */
export async function rankModels(dir: string | undefined, flags: ModelFlags): Promise<Answer> {
  const open = await openNamed(dir, flags);
  const ask = async (program: string | undefined) => {
    const json = await comparisonOf(open, { ...flags, program });
    return { json, say: () => printComparison(json) };
  };
  return await eachProgram(open, flags, ask, { mayFail: true });
}

async function comparisonOf(open: OpenCampaign | null, flags: ModelFlags) {
  const interval = bootstrapOptions(flags);
  const source = await sourceOf(open, flags);
  for (const warning of source.warnings) note(`predict: ${warning}`);
  const question = parseQuestion(flags);
  const choice = await weighForms(source, question);
  const { comparison } = choice;
  const unseen = askForUnseen(choice, selectedFrom(source, question.at ?? {}), interval);
  const warning = comparison.candidates.find(({ name }) => name === comparison.chosen)?.warning;
  const answers = open === null || !flags.json ? {} : await programAnswers(open, flags.program);
  return { model: comparison.chosen, ...comparison, unseen, warnings: warning ? [warning] : [], ...answers };
}

function printComparison(answer: Awaited<ReturnType<typeof comparisonOf>>): void {
  const { chosen, candidates, leftOutNodes, sentence, errors, unseen } = answer;
  print(
    leftOutNodes.length > 0
      ? `Left out and predicted: ${leftOutNodes.join(', ')} nodes. Fits by ${errors} errors.`
      : `Too few node counts to leave one out. Fits by ${errors} errors.`,
  );
  printTable(candidates, [
    left('', ({ name }) => (name === chosen ? '*' : '')),
    left('model', ({ name }) => name),
    right('median error', ({ score }) => (score === null ? '-' : `${score.toFixed(1)} %`)),
    right('weight', ({ weight }) => `${(weight * 100).toFixed(weight < 0.0995 ? 1 : 0)} %`),
    right('BIC', ({ bic }) => bic.toFixed(1)),
    left('CT =', ({ terms }) => terms.join(' + ')),
    left('careful', ({ warning }) => (warning === null ? '' : (warning.split(/[:,(]/)[0] ?? '').trim())),
  ]);
  print(sentence);
  const warning = candidates.find(({ name }) => name === chosen)?.warning;
  if (warning) printCareful(warning);
  if (unseen.length > 0) printUnseen(unseen, chosen);
}

function printUnseen(unseen: readonly UnseenAnswer[], chosen: string): void {
  const [first] = unseen;
  const auto = unseen.find(({ name }) => name === 'auto');
  const abstaining = auto?.cells.filter(({ abstains }) => abstains !== null);
  const levels = first?.perBandwidth.map(({ bw }) => bw) ?? [];
  print(
    `\nAsked for ${first?.heldOutNodes.join(', ')} nodes, which none of them saw (${first?.cells.length} cells), median error:`,
  );
  printTable(unseen, [
    left('', ({ name }) => (name === chosen ? '*' : '')),
    left('model', ({ name }) => (name === 'auto' ? 'auto (all by weight)' : name)),
    right('all', ({ medianErrorPercent }) => `${medianErrorPercent.toFixed(1)} %`),
    ...levels.map((bw, index) =>
      right<UnseenAnswer>(
        `at ${bw} %`,
        ({ perBandwidth }) => `${perBandwidth[index]?.medianErrorPercent.toFixed(1) ?? '-'} %`,
      ),
    ),
    right('inside intervals', ({ insidePercent }) => `${insidePercent?.toFixed(0) ?? '-'} %`),
  ]);
  if (auto?.skill) print(describeSkill(auto.skill, auto.medianErrorPercent));
  for (const sentence of groupAlike(abstaining?.map(({ abstains }) => abstains ?? '') ?? [])) {
    print(`No prediction by auto: ${sentence}`);
  }
}
