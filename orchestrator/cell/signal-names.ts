import { constants } from 'node:os';

const NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** `SIGKILL` for 9, `KILL` or `SIGKILL`. */
export function signalName(signal: number | string): string {
  if (typeof signal === 'string') return signal.startsWith('SIG') ? signal : `SIG${signal}`;
  return NAMES.get(signal) ?? `signal ${signal}`;
}

/** The signal that ended a command by what its shell says: 128 and its number (POSIX, Shell Command Language 2.8.2); null for other codes. */
export function signalOfShell(exitCode: number): string | null {
  return NAMES.get(exitCode - 128) ?? null;
}
