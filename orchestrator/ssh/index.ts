export { openSession } from './session.ts';
