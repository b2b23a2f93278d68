export * from './case/index.ts';
export type { NormaliseFrame, ProfileUnit, RecordedStack, Recording } from './formats/recording.ts';
export * from './questions/index.ts';
export * from './scaling/index.ts';
export * from './tree/index.ts';
