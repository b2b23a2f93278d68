/** Numbers for code paths, shared by the trees that are compared: the same text has the same number. */
export class NameTable {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];

  get size(): number {
    return this.#texts.length;
  }

  /** The number of a text, a new one where it has none. */
  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#texts.length;
    this.#ids.set(text, id);
    this.#texts.push(text);
    return id;
  }

  /** The number of a text; undefined where no tree has it. */
  find(text: string): number | undefined {
    return this.#ids.get(text);
  }

  /** The text of a number; that of the made-up root (-1) is empty. */
  text(id: number): string {
    return this.#texts[id] ?? '';
  }

  /** All texts, by number. */
  texts(): readonly string[] {
    return this.#texts;
  }
}
