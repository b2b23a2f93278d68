export * from './flame/index.ts';
export * from './formats/index.ts';
export * from './names/index.ts';
export * from './tree/index.ts';
