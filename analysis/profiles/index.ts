export type { NormaliseFrame, ProfileUnit, RecordedStack, Recording } from './formats/recording.ts';
export * from './tree/index.ts';
