/** 4, 9 and 16. */
export function joinWords(words: readonly (number | string)[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
