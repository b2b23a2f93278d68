import type { ModelInput } from '../../analysis/grade10/model/create-model.ts';
import { createResourceTypes, type MetricInput, type ResourceTypeSpec } from '../../analysis/grade10/model/metrics.ts';
import { createPhaseTypes, type PhaseTypeSpec } from '../../analysis/grade10/model/phase-types.ts';
import type { PhaseColumns } from '../../analysis/grade10/model/phases.ts';
import type { RuleEntry } from '../../analysis/grade10/model/uses.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';

/** Of the job of size 1; supersteps share the slices that loading and storing leave. */
const [WORKERS, MACHINES, SUPERSTEPS] = [64, 16, 100];
const [LOAD, STORE, SLICES] = [101, 101, 9902];
const MS = 1e6;
/** Ten samples of each metric per second. */
const PERIOD_SLICES = 100;

export const EXECUTION: PhaseTypeSpec = {
  name: '',
  children: [
    { name: 'LoadGraph', children: [{ name: 'WorkerLoadGraph', repeat: 'concurrent', key: 'worker' }] },
    {
      name: 'Execute',
      after: ['LoadGraph'],
      children: [
        {
          name: 'Superstep',
          repeat: 'sequential',
          key: 'superstep',
          children: [
            {
              name: 'WorkerSuperstep',
              repeat: 'concurrent',
              key: 'worker',
              children: [
                { name: 'Compute' },
                { name: 'Communicate' },
                { name: 'Synchronize', after: ['Compute', 'Communicate'] },
              ],
            },
          ],
        },
      ],
    },
    { name: 'Store', after: ['Execute'] },
  ],
};

export const RESOURCES: ResourceTypeSpec = {
  name: '',
  children: [
    {
      name: 'machine',
      repeat: 'many',
      key: 'id',
      metrics: [
        { name: 'cpu', class: 'consumable' },
        { name: 'bytes-in', class: 'consumable' },
        { name: 'bytes-out', class: 'consumable' },
      ],
    },
    { name: 'worker', repeat: 'many', key: 'id', metrics: [{ name: 'message-wait', class: 'blocking' }] },
  ],
};

export interface JobSize {
  readonly seed?: number;
  /** Times as many workers and machines, and with them phases and metrics. */
  readonly phases?: number;
  /** Times as long a job: as many phases, each longer. */
  readonly slices?: number;
}

/**
 * A job whose workers compute and send at once, then wait for the slowest; the same for the same seed. Size 1 is 25,768
 * phases in 9,902 slices; the work grows with the product of both factors.
 */
export function largeJob({ seed = 1, phases = 1, slices = 1 }: JobSize = {}): ModelInput {
  const random = createRandom(seed);
  const [workers, machines] = [WORKERS * phases, MACHINES * phases];
  const [loading, storing, total] = [LOAD * slices, STORE * slices, SLICES * slices];
  const phaseTypes = createPhaseTypes(EXECUTION);
  const rows: { type: number; parent: number; id: string; start: number; end: number }[] = [];
  const mapping: { phase: number; resources: string[] }[] = [];
  const add = (
    path: string,
    { parent, id = '', start, end }: { parent: number; id?: string; start: number; end: number },
  ) => rows.push({ type: phaseTypes.indexOf.get(path) ?? 0, parent, id, start, end }) - 1;
  const map = (phase: number, worker: number): void => {
    mapping.push({ phase, resources: [`/machine[id=${worker % machines}]`, `/worker[id=${worker}]`] });
  };
  const waits = Array.from({ length: workers }, (): [number, number][] => []);
  const root = add('/', { parent: -1, start: 0, end: total });
  const load = add('/LoadGraph', { parent: root, start: 0, end: loading });
  for (let worker = 0; worker < workers; worker += 1) {
    const end = loading * (0.8 + 0.2 * random.uniform());
    map(add('/LoadGraph/WorkerLoadGraph', { parent: load, id: `${worker}`, start: 0, end }), worker);
  }
  const execute = add('/Execute', { parent: root, start: loading, end: total - storing });
  add('/Store', { parent: root, start: total - storing, end: total });
  for (let superstep = 0; superstep < SUPERSTEPS; superstep += 1) {
    const length = (total - loading - storing) / SUPERSTEPS;
    const [start, end] = [loading + superstep * length, loading + (superstep + 1) * length];
    const outer = add('/Execute/Superstep', { parent: execute, id: `${superstep}`, start, end });
    for (let worker = 0; worker < workers; worker += 1) {
      const path = '/Execute/Superstep/WorkerSuperstep';
      const parent = add(path, { parent: outer, id: `${worker}`, start, end });
      map(parent, worker);
      const computed = start + length * (0.5 + 0.4 * random.uniform());
      const sent = computed + (end - computed) * random.uniform();
      add(`${path}/Compute`, { parent, start, end: computed });
      add(`${path}/Communicate`, { parent, start, end: sent });
      add(`${path}/Synchronize`, { parent, start: sent, end });
      for (let wait = 0; wait < 3; wait += 1) {
        const from = start + (sent - start) * random.uniform();
        waits[worker]?.push([from, Math.min(sent, from + 8 * random.uniform())]);
      }
      waits[worker]?.push([sent, end]);
    }
  }
  return {
    phaseTypes,
    resourceTypes: createResourceTypes(RESOURCES),
    phases: columns(rows),
    metrics: metrics(random.uniform, { waits, machines, total }),
    mapping,
    rules: rules(),
    timesliceNs: MS,
  };
}

function columns(
  rows: readonly { type: number; parent: number; id: string; start: number; end: number }[],
): PhaseColumns {
  return {
    type: Uint32Array.from(rows, ({ type }) => type),
    parent: Int32Array.from(rows, ({ parent }) => parent),
    id: rows.map(({ id }) => id),
    startNs: Float64Array.from(rows, ({ start }) => Math.round(start * MS)),
    endNs: Float64Array.from(rows, ({ end }) => Math.round(end * MS)),
  };
}

/** Two network metrics and the CPU of each machine at random rates, and when each worker waited. */
function metrics(
  uniform: () => number,
  {
    waits,
    machines,
    total,
  }: {
    readonly waits: readonly (readonly [number, number][])[];
    readonly machines: number;
    readonly total: number;
  },
): readonly MetricInput[] {
  const count = Math.ceil(total / PERIOD_SLICES);
  const time = (period: number): number => period * PERIOD_SLICES * MS;
  const consumable = Array.from({ length: machines }, (_, id) =>
    [['cpu', 8] as const, ['bytes-in', 1.25e8] as const, ['bytes-out', 1.25e8] as const].map(
      ([name, capacity]): MetricInput => ({
        class: 'consumable',
        path: `/machine[id=${id}]/${name}`,
        capacity,
        startNs: Float64Array.from({ length: count }, (_, period) => time(period)),
        endNs: Float64Array.from({ length: count }, (_, period) => time(period + 1)),
        rates: Float64Array.from({ length: count }, () => capacity * (0.3 + 0.7 * uniform())),
      }),
    ),
  );
  const blocking = waits.map(
    (own, id): MetricInput => ({
      class: 'blocking',
      path: `/worker[id=${id}]/message-wait`,
      startNs: Float64Array.from(own, ([from]) => Math.round(from * MS)),
      endNs: Float64Array.from(own, ([, to]) => Math.round(to * MS)),
    }),
  );
  return [...consumable.flat(), ...blocking];
}

function rules(): readonly RuleEntry[] {
  const worker = '/Execute/Superstep/WorkerSuperstep';
  const sink = { kind: 'sink', weight: 1 } as const;
  return [
    { phaseType: `${worker}/Compute`, metricType: '/machine/cpu', rule: { kind: 'greedy', cap: 1 } },
    { phaseType: `${worker}/Communicate`, metricType: '/machine/cpu', rule: sink },
    { phaseType: `${worker}/Communicate`, metricType: '/machine/bytes-in', rule: sink },
    { phaseType: `${worker}/Communicate`, metricType: '/machine/bytes-out', rule: sink },
    { phaseType: '/LoadGraph/WorkerLoadGraph', metricType: '/machine/bytes-in', rule: sink },
    { phaseType: `${worker}/Communicate`, metricType: '/worker/message-wait', rule: { kind: 'full' } },
    { phaseType: `${worker}/Synchronize`, metricType: '/worker/message-wait', rule: { kind: 'full' } },
  ];
}
