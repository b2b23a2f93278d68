export { collapsible, type PerfFrame, perfFrame, UNKNOWN_FRAME } from './perf-frame.ts';
export { type PerfEvent, type PerfLine, readPerfEvents } from './perf-script.ts';
export { piecesOf, type Segments, segmentsOf } from './segments.ts';
export {
  STACK_COLUMNS,
  STACK_KINDS,
  type StackColumn,
  type StackKind,
  type StackRow,
  type StackTable,
} from './stack-columns.ts';
export { CUT, StackFold, type StackLosses, UNSEEN } from './stack-fold.ts';
