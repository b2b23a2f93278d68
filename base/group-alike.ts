import { groupBy } from './group-by.ts';
import { joinWords } from './join-words.ts';

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
  return sentence.replace(/\[[^[\]]*\]|\d[\d.]*/g, '');
}

const NAMED = 4;

/** Messages that begin with `host: `, once for hosts of which the same is said: `n1, n2, n3, n4 and 5 more: ...`. Others stay as they are. */
export function sameOfHosts(
  said: readonly { readonly host?: string | undefined; readonly message: string }[],
): string[] {
  const parts = said.map(({ host, message }) =>
    host !== undefined && message.startsWith(`${host}: `)
      ? { host, text: message.slice(host.length) }
      : { host: '', text: message },
  );
  return groupBy(parts, ({ text }) => text).map((alike) => {
    const hosts = [...new Set(alike.map(({ host }) => host))];
    const more = hosts.length - NAMED;
    const names = more > 1 ? [...hosts.slice(0, NAMED), `${more} more`] : hosts;
    return `${joinWords(names)}${alike[0]?.text}`;
  });
}
