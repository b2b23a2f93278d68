/** The last non-empty lines of an output, for messages. */
export function lastLines(text: string, count = 3): string {
  return text.trim().split('\n').filter(Boolean).slice(-count).join(' / ');
}
