export { buildReport, type CampaignFacts, type ReportInput } from './content/build-report.ts';
export { readReportInput, reportInput } from './content/from-campaign.ts';
export { type ReportData, reportDataSchema } from './data.ts';
export { render } from './render.ts';
