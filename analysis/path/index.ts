export * from './across/index.ts';
export * from './activities.ts';
export * from './formats/index.ts';
export * from './graph/index.ts';
export * from './mpi/index.ts';
export * from './phases/index.ts';
export * from './source/index.ts';
export * from './timely/index.ts';
export { WAYS, type Way } from './ways.ts';
