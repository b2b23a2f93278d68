export * from './across/index.ts';
export * from './activities.ts';
export * from './phases/index.ts';
