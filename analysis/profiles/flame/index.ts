export { type OwnShare, ownByFunction } from './by-function.ts';
export { type FlameAnswer, type FlameChoice, flameOf, flameOfTrees } from './flame-of.ts';
export { type FlameFrame, type FlameLayout, type LeftOut, layoutFlame } from './layout-flame.ts';
export { type MergedTrees, mergeTrees } from './merged-tree.ts';
export { toSpeedscope } from './to-speedscope.ts';
