export * from './activities.ts';
