export { sweepCommand } from './answers/next.ts';
export { type Answers, answersSchema, linesOf } from './answers/schema.ts';
export { buildReport, type ReportInput } from './content/build-report.ts';
export {
  type CampaignFacts,
  keptAnswers,
  readAnswers,
  readFindings,
  readReportInput,
  reportInput,
} from './content/from-campaign.ts';
export { buildPrograms, hasPrograms, type ProgramsData } from './content/programs.ts';
export type { ReportData } from './data.ts';
export { renderDag } from './page/dag.ts';
export { renderRegressions } from './page/regressions.ts';
export { render, renderPrograms } from './render.ts';
