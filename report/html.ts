/** Text that is already HTML. Only `html` and `raw` make it, so that nothing reaches the page unescaped by accident. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

type Part = Markup | string | number | null | readonly Part[];

/**
 * A template whose values are escaped; Markup passes through, lists are joined, null is nothing.
 * @example html`<td>${'<b>'}</td>` // <td>&lt;b&gt;</td>
 */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Markup {
  return new Markup(strings.map((text, index) => text + flatten(values[index] ?? null)).join(''));
}

/** For text that this room made itself: style sheets and drawings. */
export function raw(text: string): Markup {
  return new Markup(text);
}

/** Variables of the light page, and of the dark one where the reader prefers that. */
export function palette(light: string, dark: string): string {
  return `:root{${light}}@media screen and (prefers-color-scheme:dark){:root{${dark}}}`;
}

/** Safe both as text and inside a double-quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function flatten(part: Part): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return part.map(flatten).join('');
}
