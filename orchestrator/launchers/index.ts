export { findCompiler } from './find-compiler.ts';
export type { Launcher } from './launcher.ts';
export { LAUNCHERS } from './launchers.ts';
