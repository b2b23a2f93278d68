export * from './advice/index.ts';
export * from './case/index.ts';
export * from './judge/index.ts';
export * from './sources/index.ts';
