export { followBytes } from './follow-bytes.ts';
export { LONGEST_LINE, linesOf } from './lines.ts';
export { openBytes, STDIN } from './open-bytes.ts';
