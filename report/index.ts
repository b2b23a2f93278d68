export { buildReport, type ReportInput } from './content/build-report.ts';
export { type CampaignFacts, readReportInput, reportInput } from './content/from-campaign.ts';
export { buildPrograms, hasPrograms, measuredPrograms, type ProgramsData } from './content/programs.ts';
export type { ReportData, StoryLine } from './data.ts';
export { render, renderPrograms } from './render.ts';
export { renderDag } from './render-dag.ts';
