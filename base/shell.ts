// The only file that puts shell text together. A script is a constant, and whatever varies reaches it as an argument.

declare const brand: unique symbol;
/** A POSIX shell script that never varies; only `sh` makes one. */
export type Script = string & { readonly [brand]: 'Script' };

/**
 * A script as it is written: backslashes stay, `\${` stands for `${`. It takes no values: its arguments are `$1`, `$2` and so on.
 *
 * @example scriptWords(sh`rm -rf -- "$1"`, folder)
 */
export function sh({ raw: [text = ''] }: TemplateStringsArray): Script {
  return text.replaceAll('\\${', '${') as Script;
}

/** The words of a command that runs a script with these arguments. */
export function scriptWords(script: Script, ...args: readonly string[]): string[] {
  return ['sh', '-c', script, 'predict', ...args];
}

/** One word for a POSIX shell: whatever the characters, the shell reads back exactly `word`. A NUL cannot be passed. */
export function quote(word: string): string {
  if (word.includes('\0')) throw new Error('a shell word cannot contain a NUL character');
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** An argument list as one shell command. */
export function quoteAll(words: readonly string[]): string {
  return words.map(quote).join(' ');
}

/** What sh, csh and fish do not all read alike, in single quotes or at all. */
const TROUBLE = /['\\!\n]/g;

/**
 * Words as a command line that every login shell (bash, dash, zsh, fish, tcsh) takes for the same: sh runs them in the login shell's
 * place. What the shells disagree on is written as the octal numbers that printf's %b reads. With `name` that sh first says on both
 * streams a line of its name and its process id, which is the command's too.
 */
export function underAnyShell(words: readonly string[], name?: string): string {
  if (name !== undefined && !/^[A-Za-z0-9 -]+$/.test(name)) throw new Error(`no shell can be called ${name}`);
  const say = name === undefined ? '' : `echo "${name} $$"; echo "${name} $$" >&2; `;
  const octal = (character: string): string => `\\0${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `exec sh -c '${say}eval "exec $(printf %b "$1")"' sh '${quoteAll(words).replace(TROUBLE, octal)}'`;
}
