export { type DaemonStart, daemonStart } from './daemon.ts';
export type { Launcher, RankDeath, Refusal } from './launcher.ts';
export { LAUNCHERS } from './launchers.ts';
export { otherLibrary } from './other-library.ts';
