/** Sentences that differ only in names in brackets and in numbers, once, with how many there are. */
export function groupAlike(sentences: readonly string[]): string[] {
  const groups = new Map<string, string[]>();
  for (const sentence of sentences) {
    const key = likeness(sentence);
    groups.set(key, [...(groups.get(key) ?? []), sentence]);
  }
  return [...groups.values()].map(
    ([first, ...others]) => `${first}${others.length > 0 ? ` (And ${others.length} more like it.)` : ''}`,
  );
}

/** What sentences that say the same have in common: all but names in brackets and numbers. */
export function likeness(sentence: string): string {
  return sentence.replace(/\[[^\]]*\]|\d[\d.]*/g, '');
}
