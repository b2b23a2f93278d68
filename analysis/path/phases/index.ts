export { followBack, type SearchPath, type Step, searchPaths } from './follow-back.ts';
export { type PathModel, pathModelOf } from './kinds.ts';
export { type PhaseKind, type RankPhases, type RawPhases, rankPhases } from './rank-phases.ts';
export { readPhaseCase } from './read-case.ts';
export { meansOf, type SearchSummary, summaryOf } from './summary.ts';
