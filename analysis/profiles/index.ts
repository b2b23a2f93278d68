export * from './flame/index.ts';
export * from './formats/index.ts';
export * from './graph/index.ts';
export * from './names/index.ts';
export * from './questions/index.ts';
export * from './scaling/index.ts';
export * from './store/index.ts';
export * from './tree/index.ts';
