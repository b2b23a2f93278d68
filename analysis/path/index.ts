export * from './activities.ts';
export * from './graph/index.ts';
export * from './phases/index.ts';
