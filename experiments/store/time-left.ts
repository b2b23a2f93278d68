import { paramsText } from '../cell-name.ts';
import type { Cell } from '../records.ts';

/** Cells that are measured at this moment; those that are over stay until another one starts. */
export class Running {
  readonly #ids = new Set<string>();
  readonly #over = new Set<string>();

  get ids(): readonly string[] {
    return [...this.#ids];
  }

  get now(): readonly string[] {
    return [...this.#ids].filter((id) => !this.#over.has(id));
  }

  start(id: string): void {
    for (const one of this.#over) this.#ids.delete(one);
    this.#over.clear();
    this.#ids.add(id);
  }

  end(id: string): void {
    this.#over.add(id);
  }

  clear(): void {
    this.#ids.clear();
    this.#over.clear();
  }
}

/** Seconds for the cells that are left: what the last one of the same nodes, scale, parameters and bandwidth took, else the mean. */
export function timeLeft(
  left: readonly Cell[],
  { measured, atOnce }: { readonly measured: ReadonlyMap<string, number>; readonly atOnce: number },
): number | null {
  if (measured.size === 0) return null;
  const mean = [...measured.values()].reduce((sum, value) => sum + value, 0) / measured.size;
  const all = left.reduce((sum, cell) => sum + (measured.get(groupKey(cell)) ?? mean), 0);
  return all / Math.max(atOnce, 1);
}

/** Cells that take as long as each other. */
export function groupKey({ nodes, scale, params, bw }: Cell): string {
  return `${nodes} ${scale} ${bw} ${params === undefined ? '' : paramsText(params)}`;
}
