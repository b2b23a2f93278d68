import type { CaseOutput, Part, Summary } from '../../../analysis/index.ts';

/**
 * What `summarise` says of one phase type, slice by slice from the paths of a case's output: each slice has one part for all
 * leaves alive in it, each leaf's part is divided over the groups of metric types that it is bottlenecked on.
 */
export function partsByDefinition(
  { phases, leaf_bottlenecks: bottlenecks, timeslice_ns: slice }: CaseOutput,
  { focus, groupOf }: { readonly focus: string; readonly groupOf: (metricType: string) => string },
): Pick<Summary, 'count' | 'seconds' | 'components' | 'phases'> {
  const components = new Map([['unexplained', 0]]);
  const byType = new Map<string, number>();
  const add = (to: Map<string, number>, name: string, slices: number): void => {
    to.set(name, (to.get(name) ?? 0) + (slices * slice) / 1e9);
  };
  const paths = phases.map(([path]) => path);
  const isLeaf = (path: string): boolean => !paths.some((other) => isUnder(other, path));
  const own = phases.filter(([path]) => typeOf(path) === focus);
  for (const [path, first, last] of own) {
    const leaves = phases.filter(([other]) => (other === path || isUnder(other, path)) && isLeaf(other));
    for (let at = first; at <= last; at += 1) {
      const alive = leaves.filter(([, from, to]) => from <= at && at <= to);
      if (alive.length === 0) {
        add(components, 'unexplained', 1);
        add(byType, focus, 1);
      }
      for (const [leaf, from] of alive) {
        add(byType, typeOf(leaf), 1 / alive.length);
        const held = Object.entries(bottlenecks[leaf] ?? {}).filter(([, states]) => stateAt(states, at - from) !== 'N');
        const groups = [...new Set(held.map(([type]) => groupOf(type)))];
        if (groups.length === 0) groups.push('unexplained');
        for (const group of groups) add(components, group, 1 / alive.length / groups.length);
      }
    }
  }
  const seconds = own.reduce((sum, [, first, last]) => sum + last - first + 1, 0) * (slice / 1e9);
  return { count: own.length, seconds, components: listed(components), phases: listed(byType) };
}

/** The letter of one slice in run lengths such as 3N1G. */
export function stateAt(states: string, slice: number): string {
  return unpacked(states)[slice] ?? '';
}

/** 3N1G is NNNG. */
export function unpacked(states: string): string {
  return states.replace(/(\d+)([A-Z])/g, (_, count: string, letter: string) => letter.repeat(Number(count)));
}

function isUnder(path: string, above: string): boolean {
  return path !== above && path.startsWith(above === '/' ? '/' : `${above}/`);
}

function typeOf(path: string): string {
  return path.replace(/\[[^\]]*\]/g, '');
}

function listed(parts: ReadonlyMap<string, number>): Part[] {
  return [...parts].map(([name, seconds]) => ({ name, seconds }));
}
