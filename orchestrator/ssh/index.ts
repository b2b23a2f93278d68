export { openSession } from './open-session.ts';
