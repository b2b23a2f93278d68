/** States as run lengths: 0 0 0 2 with the letters N, L, G is 3N1G; no states are an empty text. */
export function runLengths(states: Uint8Array, letters: string): string {
  let text = '';
  let start = 0;
  for (let at = 1; at <= states.length; at += 1) {
    if (at < states.length && states[at] === states[start]) continue;
    text += `${at - start}${letters[states[start] ?? 0] ?? '?'}`;
    start = at;
  }
  return text;
}
