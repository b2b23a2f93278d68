/** What sh, csh and fish do not all read alike, in single quotes or at all. */
const TROUBLE = /['\\!\n]/g;

/**
 * A POSIX script as a command line that every login shell (bash, dash, zsh, fish, tcsh) takes for the same: sh runs it in the login
 * shell's place. What the shells disagree on is written as the octal numbers that printf's %b reads.
 */
export function underAnyShell(script: string): string {
  if (script.search(TROUBLE) < 0) return `exec sh -c '${script}'`;
  const octal = (character: string): string => `\\0${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `exec sh -c 'eval "$(printf %b "$1")"' sh '${script.replace(TROUBLE, octal)}'`;
}
