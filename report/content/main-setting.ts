/** Where most is said about: the largest scale, the most bandwidth that it was measured at, and the most nodes there. */
export interface Setting {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
}

export function mainSetting(points: readonly Setting[]): Setting {
  const scale = Math.max(...points.map((point) => point.scale));
  const own = points.filter((point) => point.scale === scale);
  const bw = Math.max(...own.map((point) => point.bw));
  return { nodes: Math.max(...own.filter((point) => point.bw === bw).map(({ nodes }) => nodes)), scale, bw };
}

export function isAt({ nodes, scale, bw }: Setting): (one: Setting) => boolean {
  return (one) => one.nodes === nodes && one.scale === scale && one.bw === bw;
}
