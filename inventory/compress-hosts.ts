/** A run of names that are alike but for one number: `tokens[position]` takes each of `values`. */
interface Group {
  readonly tokens: readonly string[];
  position: number | undefined;
  readonly values: string[];
}

/**
 * The short text that `expandHosts` reads back, in the same order, for display.
 *
 * @example compressHosts(['n01', 'n02', 'n04', 'login']) // 'n[01-02,04],login'
 */
export function compressHosts(names: readonly string[]): string {
  let texts = names;
  // Each pass folds one number: rack1-n01.. -> rack1-n[01-16], rack2-n[01-16] -> rack[1-2]-n[01-16].
  for (;;) {
    const folded = foldOnce(texts);
    if (folded.length === texts.length) return folded.join(',');
    texts = folded;
  }
}

function foldOnce(names: readonly string[]): readonly string[] {
  const groups: Group[] = [];
  for (const name of names) {
    // A bracketed list counts as one piece of text.
    const tokens = name.match(/\[[^\]]*\]|\d+|[^\d[]+/g) ?? [];
    const last = groups.at(-1);
    const position = last === undefined ? undefined : onlyDifference(last, tokens);
    const value = position === undefined ? undefined : tokens[position];
    if (last !== undefined && position !== undefined && value !== undefined) {
      if (last.position === undefined) last.values.push(last.tokens[position] ?? '');
      last.position = position;
      last.values.push(value);
    } else groups.push({ tokens, position: undefined, values: [] });
  }
  return groups.map(textOf);
}

/** The place where `tokens` differs from the group's, if it is one number and the group's own place (once it has one). */
function onlyDifference({ tokens, position }: Group, other: readonly string[]): number | undefined {
  if (tokens.length !== other.length) return undefined;
  const places = tokens.flatMap((token, index) => (token === other[index] ? [] : [index]));
  const place = position ?? places[0];
  if (place === undefined || places.some((index) => index !== place)) return undefined;
  const number = /^\d{1,15}$/;
  return number.test(tokens[place] ?? '') && number.test(other[place] ?? '') ? place : undefined;
}

function textOf({ tokens, position, values }: Group): string {
  return tokens.map((token, index) => (index === position ? `[${foldNumbers(values)}]` : token)).join('');
}

function foldNumbers(values: readonly string[]): string {
  const parts: string[] = [];
  for (let start = 0; start < values.length; ) {
    const first = values[start] ?? '';
    let end = start + 1;
    while (end < values.length && values[end] === String(Number(first) + end - start).padStart(first.length, '0')) {
      end += 1;
    }
    parts.push(end - start === 1 ? first : `${first}-${values[end - 1]}`);
    start = end;
  }
  return parts.join(',');
}
