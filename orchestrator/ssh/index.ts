export {
  type CommandOptions,
  type CommandResult,
  lastLines,
  ROOT_SHELL,
  type RunningCommand,
  Session,
} from './session.ts';
export { deploy, fetchFile } from './transfer.ts';
