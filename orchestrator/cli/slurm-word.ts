/**
 * A request to SLURM begins with a dash, which would make it an option of its own: `--slurm '-N 4'` -> `--slurm=-N 4`. All of
 * our own options begin with two dashes, or are `-h`.
 */
export function joinRequest(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const word of words) {
    if (joined.at(-1) === '--slurm' && isRequest(word)) joined[joined.length - 1] = `--slurm=${word}`;
    else joined.push(word);
  }
  return joined;
}

function isRequest(word: string): boolean {
  return /^-[A-Za-gi-z]/.test(word) || /^-.*\s/.test(word);
}
