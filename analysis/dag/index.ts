export * from './advice/index.ts';
export * from './explain/index.ts';
export * from './job/index.ts';
export * from './judge/index.ts';
export * from './sources/flink.ts';
