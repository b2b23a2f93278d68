export { readCollapsed } from './collapsed.ts';
export { FrameTable } from './frame-table.ts';
export { ProfileFile } from './profile-file.ts';
export { profileReader, type ReadProfile } from './read-profiles.ts';
export {
  PROFILE_FORMATS,
  type ProfileFormat,
  parseProfileFormat,
  type RecordingFormat,
  readRecording,
  recordingIn,
} from './read-recording.ts';
export type { NormaliseFrame, ProfileUnit, RecordedStack, Recording } from './recording.ts';
export { type ProfileTree, recordingTree } from './recording-tree.ts';
