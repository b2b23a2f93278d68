export { buildReport, type CampaignFacts, type ReportInput } from './build/build-report.ts';
export { readReportInput, reportInput } from './build/from-campaign.ts';
export { type ReportData, reportDataSchema } from './data.ts';
export { render } from './render.ts';
