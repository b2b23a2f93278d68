export { ProfileFile } from './profile-file.ts';
export { PROFILE_FORMATS, type RecordingFormat, readRecording, recordingIn } from './read-recording.ts';
export type { NormaliseFrame, ProfileUnit, RecordedStack, Recording } from './recording.ts';
