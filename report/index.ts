/** Say it: the answers of a campaign, and its page. What other rooms use of it; they import it from the file that defines it. */
export { type Answers, answerLines, answersSchema } from './answers/answers-schema.ts';
export {
  type ComparedCampaigns,
  cellVerdict,
  decideGate,
  describeGateVerdict,
  formatChange,
  type GateAnswer,
  levelText,
  meanSentence,
  placeText,
  seesSentence,
} from './answers/gate-answer.ts';
export {
  changeSentence,
  changeText,
  FIGURE_WORDS,
  historyTitle,
  isSlowerThan,
  seriesText,
  steadySentence,
} from './answers/history-words.ts';
export { suggestSweep } from './answers/next.ts';
export { buildComparison } from './content/build-comparison.ts';
export { buildPrograms, hasPrograms, type ProgramsData } from './content/build-programs.ts';
export { buildReport } from './content/build-report.ts';
export { buildRows, type FittedEquation, type RowsData } from './content/build-rows.ts';
export { emulationText } from './content/emulation.ts';
export { keptAnswers, readAnswers, readFindings, readReportInput } from './content/from-campaign.ts';
export { type FlamePage, renderFlame, renderFlameSvg } from './flame/render-flame.ts';
export { LIVE_POLICY, type LiveView, liveParts, renderLive } from './live/render-live.ts';
export { renderDag } from './page/render-dag.ts';
export { renderHistory } from './page/render-history.ts';
export { renderRegressions } from './page/render-regressions.ts';
export { render, renderCampaigns, renderPrograms, renderRowsReport } from './render.ts';
export { renderReportMarkdown } from './render-markdown.ts';
