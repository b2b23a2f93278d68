export { CallTreeBuilder, fillDepthAndTotal } from './builder.ts';
export { type CallTree, ROOT, totalOf } from './call-tree.ts';
export { NameTable } from './names.ts';
export { type RecursionEdges, recursedFrom, recursionEdges } from './recursion.ts';
