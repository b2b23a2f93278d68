export { CallTreeBuilder } from './builder.ts';
export { type CallTree, ROOT, totalOf } from './call-tree.ts';
export { completeTree } from './complete-tree.ts';
export { type FoldedStack, fold, stacksOf } from './fold-stacks.ts';
export { NameTable } from './names.ts';
export { addPathPotentials, type NodePotentials, nodePotentials } from './potentials.ts';
export { type RecursionEdges, recursionEdges } from './recursion.ts';
