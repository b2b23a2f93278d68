/** A text without those of the given characters that it ends in. A pattern such as `/x+$/` would begin anew at each of them. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
