export * from './activities.ts';
export * from './phases/index.ts';
