interface Joins {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** What people call an edge: `reader → ocr`; of parallel ones each with its id: `reader → ocr (left)`. */
export function edgeLabel(edge: Joins, edges: readonly Joins[], taskLabel: (id: string) => string): string {
  const { id, from, to } = edge;
  const name = `${taskLabel(from)} → ${taskLabel(to)}`;
  return edges.some((one) => one.id !== id && one.from === from && one.to === to) ? `${name} (${id})` : name;
}
