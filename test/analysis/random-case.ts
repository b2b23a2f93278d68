import { mulberry32 } from '../../base/lists.ts';
import type { Case } from '../cases/grade10/case-records.ts';
import { parseCase } from '../cases/grade10/parse-case.ts';

/**
 * A small job with loading, supersteps of workers with three kinds of leaves, and storing: random times (off the slices),
 * capacities, rates, waits, mapping and rules. The same for the same seed.
 */
export function randomCase(seed: number): Case {
  const random = mulberry32(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(...values: readonly T[]): T => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error('nothing to pick');
    return value;
  };
  const slice = pick(7, 10, 16);
  const phases: { path: string; start_ns: number; end_ns: number }[] = [];
  const add = (path: string, start: number, end: number): void => {
    phases.push({ path, start_ns: start, end_ns: end });
  };
  /** A random stretch within another. */
  const within = (start: number, end: number): [number, number] => {
    const [a, b] = [start + below(end - start + 1), start + below(end - start + 1)];
    return [Math.min(a, b), Math.max(a, b)];
  };
  const mapping: Case['mapping'] = [];
  const origin = below(1000);
  let now = origin;
  const [workers, steps, hosts] = [1 + below(4), 1 + below(3), 1 + below(2)];
  const load = now + below(60);
  add('/Load', now, load);
  now = load;
  const execute = now;
  for (let step = 0; step < steps; step += 1) {
    const path = `/Run/Step[s=${step}]`;
    const end = now + 20 + below(120);
    add(path, now, end);
    for (let worker = 0; worker < workers; worker += 1) {
      const own = `${path}/Worker[w=${worker}]`;
      const [from, to] = pick([now, end] as const, within(now, end));
      add(own, from, to);
      if (random() < 0.8)
        mapping.push({ phase: own, resources: [`/host[id=${worker % hosts}]`, `/lock[of=${worker}]`] });
      for (const name of ['Compute', 'Send', 'Wait']) {
        if (random() < 0.85) add(`${own}/${name}`, ...pick([from, to] as [number, number], within(from, to)));
      }
    }
    now = end;
  }
  add('/Run', execute, now);
  const end = now + below(40);
  add('/Store', now, end);
  add('/', origin, end);
  const observed = (
    capacity: number,
  ): Pick<Extract<Case['metrics'][number], { class: 'consumable' }>, 'observation_times_ns' | 'observation_values'> => {
    const times = [origin - below(50)];
    while ((times.at(-1) ?? 0) < end) times.push((times.at(-1) ?? 0) + 1 + below(90));
    return {
      observation_times_ns: times,
      observation_values: times.slice(1).map(() => pick(0, capacity, capacity * random())),
    };
  };
  const metrics: Case['metrics'] = [];
  for (let host = 0; host < hosts; host += 1) {
    for (const [name, capacity] of [['cpu', 1 + below(4)] as const, ['net', 100 * random()] as const]) {
      metrics.push({ class: 'consumable', path: `/host[id=${host}]/${name}`, capacity, ...observed(capacity) });
    }
  }
  for (let worker = 0; worker < workers; worker += 1) {
    const blocked = Array.from({ length: below(4) }, () => within(origin - 20, end + 20));
    metrics.push({ class: 'blocking', path: `/lock[of=${worker}]/wait`, blocked_ns: blocked });
  }
  const leaf = '/Run/Step/Worker';
  const rules: unknown[] = [];
  for (const phase of [`${leaf}/Compute`, `${leaf}/Send`, `${leaf}/Wait`, leaf, '/Load', '/Store']) {
    for (const metric of ['/host/cpu', '/host/net']) {
      const value = pick(0, 1, 0.3 + 3 * random());
      const rule = pick('exact', 'variable', 'variable', 'none');
      rules.push({ rule, phase_type: phase, metric_type: metric, value });
    }
    if (random() < 0.5) rules.push({ rule: 'full', phase_type: phase, metric_type: '/lock/wait' });
  }
  return parseCase({
    timeslice_ns: slice,
    sampler: pick('phase-aware', 'phase-aware', 'constant'),
    thresholds: { global: pick(0.95, 0.5), local: pick(0.95, 0.7) },
    execution_spec: {
      name: '',
      children: [
        { name: 'Store', after: ['Run'] },
        {
          name: 'Run',
          after: ['Load'],
          children: [
            {
              name: 'Step',
              repeat: 'sequential',
              key: 's',
              children: [
                {
                  name: 'Worker',
                  repeat: 'concurrent',
                  key: 'w',
                  children: [{ name: 'Wait', after: ['Compute', 'Send'] }, { name: 'Compute' }, { name: 'Send' }],
                },
              ],
            },
          ],
        },
        { name: 'Load' },
      ],
    },
    resource_spec: {
      name: '',
      children: [
        {
          name: 'host',
          repeat: 'many',
          key: 'id',
          metrics: [
            { name: 'cpu', class: 'consumable' },
            { name: 'net', class: 'consumable' },
          ],
        },
        { name: 'lock', repeat: 'many', key: 'of', metrics: [{ name: 'wait', class: 'blocking' }] },
      ],
    },
    rules,
    phases,
    metrics,
    mapping,
  });
}
