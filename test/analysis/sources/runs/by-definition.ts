import type { Part, Summary } from '../../../../analysis/sources/runs/summarise.ts';
import type { Case } from '../../../cases/grade10/case-records.ts';
import type { CaseOutput } from '../../case-output.ts';

/**
 * What `summarise` says of one phase type, slice by slice from the paths of a case's output: each slice has one part for all
 * leaves alive in it, each leaf's part is divided over the groups of metric types that it is bottlenecked on, else it goes to a blocking metric that the
 * leaf reaches without a rule, while that is blocked.
 */
export function partsByDefinition(
  { phases, leaf_bottlenecks: bottlenecks, timeslice_ns: slice }: CaseOutput,
  {
    input,
    focus,
    groupOf,
  }: { readonly input: Case; readonly focus: string; readonly groupOf: (metricType: string) => string },
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
        if (groups.length === 0) {
          const wait = waitWithoutRule(input, leaf, at);
          groups.push(wait === null ? 'unexplained' : groupOf(wait));
        }
        for (const group of groups) add(components, group, 1 / alive.length / groups.length);
      }
    }
  }
  const seconds = own.reduce((sum, [, first, last]) => sum + last - first + 1, 0) * (slice / 1e9);
  return { count: own.length, seconds, components: listed(components), phases: listed(byType) };
}

/** The type of the first blocking metric in reach of a leaf, without the rule full for it, that is blocked in a slice. */
function waitWithoutRule(
  { mapping, metrics, rules, timeslice_ns: slice }: Case,
  leaf: string,
  at: number,
): string | null {
  const listed = mapping.filter(({ phase }) => phase === leaf || isUnder(leaf, phase));
  const nearest = listed.sort((a, b) => b.phase.length - a.phase.length)[0];
  const middle = (at + 0.5) * slice;
  for (const metric of metrics) {
    if (metric.class !== 'blocking') continue;
    const reached = nearest === undefined || nearest.resources.some((resource) => isUnder(metric.path, resource));
    const ruled = rules.some(
      (one) => one.phase_type === typeOf(leaf) && one.metric_type === typeOf(metric.path) && one.rule === 'full',
    );
    if (reached && !ruled && metric.blocked_ns.some(([start, end]) => start < middle && middle <= end)) {
      return typeOf(metric.path);
    }
  }
  return null;
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
