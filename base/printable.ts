// Unicode's controls (C0, DEL, C1), the marks that turn the direction of writing, and the separators of lines and paragraphs.
const UNPRINTABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * A text of anybody as a terminal may have it: what could move its cursor, change its title or clipboard, or turn the direction of
 * writing stands as JSON writes it (`\u001b`), so that JSON keeps its meaning. Ends of lines and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** The same in one line, for a cell of a table or a line of progress. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
