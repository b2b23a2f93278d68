// The method once more, slice by slice and straight from the equations: slow, without shared state, to compare with.

import type { Case } from '../cases/grade10/case-records.ts';
import type { CaseOutput } from './case-output.ts';

type Spec = Case['execution_spec'];
type Consumable = Extract<Case['metrics'][number], { class: 'consumable' }>;
interface Phase {
  readonly path: string;
  readonly type: string;
  readonly first: number;
  readonly last: number;
  readonly children: readonly Phase[];
}

const typeOf = (path: string): string => path.replace(/\[[^\]]*\]/g, '');
const parentOf = (path: string): string => path.replace(/\/[^/[]*(\[[^\]]*\])?$/, '') || '/';
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, k) => from + k);

/** The results that depend on rules: what `runCase` gives, but for names and order. */
export function byTheBook(
  input: Case,
): Pick<
  CaseOutput,
  'sampled' | 'attribution' | 'leaf_metric_bottlenecks' | 'leaf_bottlenecks' | 'composite_bottlenecks'
> & { readonly issues: Record<string, number> } {
  const slice = input.timeslice_ns;
  /** Slices whose midpoint lies in (start, end]. */
  const inside = (start: number, end: number): number[] =>
    range(Math.floor(start / slice) - 1, Math.floor(end / slice) + 1).filter((k) => {
      const middle = (k + 0.5) * slice;
      return middle > start && middle <= end;
    });
  const build = (path: string): Phase => {
    const own = input.phases.find((phase) => phase.path === path);
    const slices = inside(own?.start_ns ?? 0, own?.end_ns ?? 0);
    const [first = 0, last = -1] = [slices[0], slices.at(-1)];
    const below = input.phases.filter((phase) => phase.path !== '/' && parentOf(phase.path) === path);
    return { path, type: typeOf(path), first, last, children: below.map((phase) => build(phase.path)) };
  };
  const root = build('/');
  const everyone = (phase: Phase): Phase[] => [phase, ...phase.children.flatMap(everyone)];
  const all = everyone(root);
  // In the order of the input, which sums follow.
  const leaves = input.phases.flatMap(({ path }) =>
    all.filter((phase) => phase.path === path && phase.children.length === 0),
  );
  const job = range(root.first, root.last);

  const reach = (path: string, metric: string): boolean => {
    const entry = input.mapping.find(({ phase }) => phase === path);
    if (entry) return entry.resources.some((resource) => resource === '/' || metric.startsWith(`${resource}/`));
    return path === '/' || reach(parentOf(path), metric);
  };
  const ruleOf = (leaf: Phase, metric: string) => {
    const rule = input.rules.find((one) => one.phase_type === leaf.type && one.metric_type === typeOf(metric));
    return rule && rule.rule !== 'none' && reach(leaf.path, metric) ? rule : undefined;
  };
  const alive = (phase: Phase, k: number): boolean => k >= phase.first && k <= phase.last;
  const blocked = (metric: Case['metrics'][number], k: number): boolean =>
    metric.class === 'blocking' && metric.blocked_ns.some(([start, end]) => inside(start, end).includes(k));
  const waits = (leaf: Phase, k: number): boolean =>
    input.metrics.some((metric) => ruleOf(leaf, metric.path)?.rule === 'full' && blocked(metric, k));
  const active = (leaf: Phase, k: number): boolean => alive(leaf, k) && !waits(leaf, k);

  const users = (metric: string, kind: 'exact' | 'variable', k: number): { leaf: Phase; amount: number }[] =>
    leaves.flatMap((leaf) => {
      const rule = ruleOf(leaf, metric);
      return rule?.rule === kind && active(leaf, k) ? [{ leaf, amount: rule.value }] : [];
    });
  const load = (metric: string, kind: 'exact' | 'variable', k: number): number =>
    sum(users(metric, kind, k).map(({ amount }) => amount));

  const sampled: Record<string, number[]> = {};
  const attribution: CaseOutput['attribution'] = {};
  for (const metric of input.metrics) {
    if (metric.class !== 'consumable') continue;
    const samples = sample(metric, { inside, load, constant: input.sampler === 'constant' });
    sampled[metric.path] = job.map((k) => samples.get(k) ?? 0);
    for (const leaf of leaves) {
      const rule = ruleOf(leaf, metric.path);
      if (rule === undefined) continue;
      const parts = range(leaf.first, leaf.last).map((k) => {
        if (!active(leaf, k)) return { used: 0, available: 0 };
        const greedy = users(metric.path, 'exact', k);
        const total = sum(greedy.map(({ amount }) => amount));
        const part = (of: number, cap: number): number => (cap > 0 ? Math.min(of * (cap / total), cap) : 0);
        const s = samples.get(k) ?? 0;
        if (rule.rule === 'exact') return { used: part(s, rule.value), available: part(metric.capacity, rule.value) };
        let [restUsed, restAvailable] = [s, metric.capacity];
        for (const { amount } of greedy) {
          restUsed -= part(s, amount);
          restAvailable -= part(metric.capacity, amount);
        }
        const weight = rule.rule === 'variable' ? rule.value : 0;
        const share = weight > 0 ? weight / load(metric.path, 'variable', k) : 0;
        return { used: Math.max(0, restUsed) * share, available: Math.max(0, restAvailable) * share };
      });
      attribution[leaf.path] = {
        ...attribution[leaf.path],
        [metric.path]: { usage: parts.map(({ used }) => used), capacity: parts.map(({ available }) => available) },
      };
    }
  }

  const state = (leaf: Phase, metric: Case['metrics'][number], k: number): string => {
    if (metric.class === 'blocking') return blocked(metric, k) ? 'G' : 'N';
    if (waits(leaf, k)) return 'N';
    const total = sampled[metric.path]?.[k - root.first] ?? 0;
    if (total >= input.thresholds.global * metric.capacity && (metric.capacity > 0 || total > 0)) return 'G';
    const own = attribution[leaf.path]?.[metric.path];
    const used = own?.usage[k - leaf.first] ?? 0;
    const available = own?.capacity[k - leaf.first] ?? 0;
    return used > 1e-12 * metric.capacity && used >= input.thresholds.local * available ? 'L' : 'N';
  };
  const used = (leaf: Phase) => input.metrics.filter((metric) => ruleOf(leaf, metric.path) !== undefined);
  const typesOf = (phase: Phase): string[] =>
    phase.children.length === 0
      ? unique(used(phase).map(({ path }) => typeOf(path)))
      : unique(phase.children.flatMap(typesOf));
  const leafState = (leaf: Phase, type: string, k: number): string => {
    const states = used(leaf)
      .filter(({ path }) => typeOf(path) === type)
      .map((metric) => state(leaf, metric, k));
    return states.includes('G') ? 'G' : states.includes('L') ? 'L' : 'N';
  };
  const lifeOf = (phase: Phase): number[] => range(phase.first, phase.last);
  const leafRuns: CaseOutput['leaf_bottlenecks'] = {};
  const metricRuns: CaseOutput['leaf_metric_bottlenecks'] = {};
  for (const leaf of leaves) {
    if (used(leaf).length === 0) continue;
    metricRuns[leaf.path] = Object.fromEntries(
      used(leaf).map((metric) => [metric.path, runs(lifeOf(leaf).map((k) => state(leaf, metric, k)))]),
    );
    leafRuns[leaf.path] = Object.fromEntries(
      typesOf(leaf).map((type) => [type, runs(lifeOf(leaf).map((k) => leafState(leaf, type, k)))]),
    );
  }

  const composites: CaseOutput['composite_bottlenecks'] = {};
  const half = (states: readonly boolean[]): boolean => 2 * states.filter(Boolean).length >= states.length;
  const judges: Record<string, (pairs: readonly { type: string; hit: boolean }[]) => boolean> = {
    any: (pairs) => pairs.some(({ hit }) => hit),
    all: (pairs) => pairs.every(({ hit }) => hit),
    majority: (pairs) => half(pairs.map(({ hit }) => hit)),
    'majority+any': (pairs) =>
      unique(pairs.map(({ type }) => type)).some((type) =>
        half(pairs.filter((one) => one.type === type).map(({ hit }) => hit)),
      ),
  };
  for (const [name, judge] of Object.entries(judges)) {
    const hit = (phase: Phase, type: string, k: number): boolean => {
      if (phase.children.length === 0) return leafState(phase, type, k) !== 'N';
      const defined = phase.children.filter((child) => alive(child, k) && typesOf(child).includes(type));
      return defined.length > 0 && judge(defined.map((child) => ({ type: child.type, hit: hit(child, type, k) })));
    };
    composites[name] = Object.fromEntries(
      all
        .filter(({ children }) => children.length > 0)
        .map((phase) => [
          phase.path,
          Object.fromEntries(
            typesOf(phase).map((type) => [type, runs(lifeOf(phase).map((k) => (hit(phase, type, k) ? 'B' : 'N')))]),
          ),
        ]),
    );
  }
  return {
    sampled,
    attribution,
    leaf_metric_bottlenecks: metricRuns,
    leaf_bottlenecks: leafRuns,
    composite_bottlenecks: composites,
    issues: issuesOf(input, { root, all, typesOf, leafState, lifeOf }),
  };
}

/** Algorithm 1 over whole periods, slices outside the job included. */
function sample(
  { capacity, observation_times_ns: times, observation_values: values, path }: Consumable,
  {
    inside,
    load,
    constant,
  }: {
    readonly inside: (start: number, end: number) => number[];
    readonly load: (metric: string, kind: 'exact' | 'variable', k: number) => number;
    readonly constant: boolean;
  },
): Map<number, number> {
  const samples = new Map<number, number>();
  for (const [index, value] of values.entries()) {
    const slices = inside(times[index] ?? 0, times[index + 1] ?? 0);
    let rest = value * slices.length;
    for (const k of slices) samples.set(k, constant ? value : 0);
    if (constant) continue;
    const rounds: ((k: number) => { load: number; room: number })[] = [
      (k) => ({ load: load(path, 'exact', k), room: Math.min(load(path, 'exact', k), capacity) }),
      (k) => ({ load: load(path, 'variable', k), room: capacity - (samples.get(k) ?? 0) }),
      (k) => ({ load: 1, room: capacity - (samples.get(k) ?? 0) }),
    ];
    for (const round of rounds) {
      const open = slices.map((k) => ({ k, ...round(k) })).filter((one) => one.load > 0 && one.room > 0);
      let total = sum(open.map((one) => one.load));
      for (const one of open.sort((a, b) => b.load / b.room - a.load / a.room)) {
        const given = Math.min(rest * Math.min(1, one.load / total), one.room);
        samples.set(one.k, (samples.get(one.k) ?? 0) + given);
        rest -= given;
        total -= one.load;
      }
    }
  }
  return samples;
}

interface Tree {
  readonly root: Phase;
  readonly all: readonly Phase[];
  readonly typesOf: (phase: Phase) => string[];
  readonly leafState: (leaf: Phase, type: string, k: number) => string;
  readonly lifeOf: (phase: Phase) => number[];
}

/** Impact by pass, phase, target and source. */
function issuesOf(input: Case, { all, typesOf, leafState, lifeOf }: Tree): Record<string, number> {
  const specs = new Map<string, Spec>();
  const collect = (spec: Spec, path: string): void => {
    specs.set(path, spec);
    for (const child of spec.children ?? []) collect(child, `${path === '/' ? '' : path}/${child.name}`);
  };
  collect(input.execution_spec, '/');
  const sequential = (type: string): boolean => specs.get(type)?.repeat === 'sequential';
  const join = (type: string, values: readonly number[]): number =>
    sequential(type) ? sum(values) : sum(values) / values.length;
  const hits = (leaf: Phase, type: string): number =>
    lifeOf(leaf).filter((k) => leafState(leaf, type, k) !== 'N').length;

  const spans = (phase: Phase, target: string): { actual: number; optimal: number } | undefined => {
    const own = lifeOf(phase).length;
    if (phase.type === target) return { actual: own, optimal: own };
    for (const type of unique(phase.children.map((child) => child.type))) {
      const found = phase.children
        .filter((child) => child.type === type)
        .flatMap((child) => spans(child, target) ?? []);
      if (found.length === 0) continue;
      const actual = found.map((one) => one.actual);
      const optimal = found.map((one) => one.optimal);
      return { actual: sequential(type) ? sum(actual) : Math.max(...actual), optimal: join(type, optimal) };
    }
    return undefined;
  };
  const byLeafType = (phase: Phase, target: string, source: string): number | undefined => {
    if (phase.children.length === 0) {
      return phase.type === target && typesOf(phase).includes(source) ? hits(phase, source) : undefined;
    }
    for (const type of unique(phase.children.map((child) => child.type))) {
      const found = phase.children
        .filter((child) => child.type === type)
        .flatMap((child) => byLeafType(child, target, source) ?? []);
      if (found.length > 0) return join(type, found);
    }
    return undefined;
  };
  const path = (phase: Phase, source: string): number | undefined => {
    if (!typesOf(phase).includes(source)) return undefined;
    if (phase.children.length === 0) return hits(phase, source);
    const weight = (type: string): number => {
      const found = phase.children.filter((child) => child.type === type).flatMap((child) => path(child, source) ?? []);
      return found.length > 0 ? join(type, found) : 0;
    };
    const prefix = phase.type === '/' ? '/' : `${phase.type}/`;
    const longest = (name: string): number => {
      const before = specs.get(prefix + name)?.after ?? [];
      return weight(prefix + name) + Math.max(0, ...before.map(longest));
    };
    return Math.max(...(specs.get(phase.type)?.children ?? []).map(({ name }) => longest(name)));
  };

  const issues: Record<string, number> = {};
  const sources = unique(input.metrics.map((metric) => typeOf(metric.path)));
  for (const phase of all) {
    for (const target of specs.keys()) {
      const found = spans(phase, target);
      if (found && found.actual > found.optimal)
        issues[`imbalance ${phase.path} ${target} `] = found.actual - found.optimal;
      for (const source of sources) {
        const impact = byLeafType(phase, target, source) ?? 0;
        if (impact > 0) issues[`bottleneck ${phase.path} ${target} ${source}`] = impact;
      }
    }
    for (const source of sources) {
      const impact = path(phase, source) ?? 0;
      if (impact > 0) issues[`critical-path ${phase.path}  ${source}`] = impact;
    }
  }
  return issues;
}

function runs(states: readonly string[]): string {
  return states.join('').replace(/(.)\1*/g, (run) => `${run.length}${run[0] ?? ''}`);
}
