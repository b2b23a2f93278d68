export { parseStrip } from './strip-names.ts';
