export { type Answers, answersSchema, linesOf } from './answers/answers-schema.ts';
export { sweepCommand } from './answers/next.ts';
export { buildPrograms, hasPrograms, type ProgramsData } from './content/build-programs.ts';
export { buildReport, type ReportInput } from './content/build-report.ts';
export {
  type CampaignFacts,
  keptAnswers,
  readAnswers,
  readFindings,
  readReportInput,
  reportInput,
} from './content/from-campaign.ts';
export type { ReportData } from './data.ts';
export { renderDag } from './page/render-dag.ts';
export { renderRegressions } from './page/render-regressions.ts';
export { render, renderPrograms } from './render.ts';
