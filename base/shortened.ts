/** The start of a text from outside, short enough for a sentence. */
export function shortened(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}
