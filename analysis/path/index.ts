export * from './activities.ts';
export * from './graph/index.ts';
