/** One word for a POSIX shell: whatever the characters, the shell reads back exactly `word`. A NUL cannot be passed. */
export function quote(word: string): string {
  if (word.includes('\0')) throw new Error('a shell word cannot contain a NUL character');
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** An argument list as one shell command. */
export function quoteAll(words: readonly string[]): string {
  return words.map(quote).join(' ');
}
