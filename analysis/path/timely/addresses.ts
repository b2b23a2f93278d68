// Addresses of scopes (lists of small numbers) as one number each, so that messages are joined without texts.

/** Numbers addresses in the order in which they are met: digit by digit down a tree. */
export class Addresses {
  private readonly children: Map<number, number>[] = [new Map()];
  private readonly paths: (readonly number[])[] = [[]];

  /** The address that continues `node` by `digit`; 0 is the empty one. */
  step(node: number, digit: number): number {
    const below = this.children[node];
    const known = below?.get(digit);
    if (known !== undefined) return known;
    const made = this.children.length;
    below?.set(digit, made);
    this.children.push(new Map());
    this.paths.push([...(this.paths[node] ?? []), digit]);
    return made;
  }

  number(address: readonly number[]): number {
    return address.reduce((node, digit) => this.step(node, digit), 0);
  }

  /** By number. */
  all(): readonly (readonly number[])[] {
    return this.paths;
  }

  path(node: number): readonly number[] {
    return this.paths[node] ?? [];
  }
}
