const NAMES = ['scale', 'ranks', 'nodes', 'roots', 'seed'] as const;
export type TemplateValues = Readonly<Record<(typeof NAMES)[number], number>>;

// {{word}} is the text {word}; {word} is a placeholder; other braces are text.
const PLACEHOLDER = /\{\{(\w+)\}\}|\{(\w+)\}/g;

/** Puts a cell's numbers in place of {scale}, {ranks}, {nodes}, {roots} and {seed}. */
export function fillTemplate(text: string, values: TemplateValues): string {
  return text.replace(PLACEHOLDER, (whole: string, literal: string | undefined, name: string | undefined) => {
    if (literal !== undefined) return `{${literal}}`;
    const known = NAMES.find((candidate) => candidate === name);
    return known === undefined ? whole : String(values[known]);
  });
}

/** Placeholders that no cell can fill. */
export function unknownPlaceholders(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)]
    .map((match) => match[2])
    .filter((name) => name !== undefined)
    .filter((name) => !NAMES.some((known) => known === name));
}
