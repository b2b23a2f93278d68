// Grade10's whole pipeline on a large job: 64 workers on 16 machines, 100 supersteps, slices of 1 ms.
import {
  analyse,
  createModel,
  createPhaseTypes,
  createResourceTypes,
  type MetricInput,
  type ModelInput,
} from '../analysis/index.ts';
import { createRandom } from '../modeling/random.ts';

const WORKERS = 64;
const MACHINES = 16;
const SUPERSTEPS = 100;
const RUNS = 7;
const MS = 1e6;
const PERIOD_MS = 50;

const input = job();
const begin = performance.now();
const model = createModel(input);
const loadMs = performance.now() - begin;
console.log(`${model.phases.count} phases, ${model.sliceCount} slices, ${model.metrics.length} metrics`);
const times = Array.from({ length: RUNS }, () => {
  const from = performance.now();
  analyse(model);
  return performance.now() - from;
});
const [first = 0] = times;
times.sort((a, b) => a - b);
const [median, largest] = [times[(RUNS - 1) / 2] ?? 0, times.at(-1) ?? 0].map((ms) => ms.toFixed(0));
console.log(`model from columns: ${loadMs.toFixed(0)} ms`);
console.log(
  `pipeline, 4 predicates, 3 issue rules (limit 500 ms): first ${first.toFixed(0)} ms, median ${median} ms, largest ${largest} ms`,
);
console.log(`peak memory of the process (limit 400 MB): ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);

function job(): ModelInput {
  const random = createRandom(1);
  const phaseTypes = createPhaseTypes({
    name: '',
    children: [
      {
        name: 'Superstep',
        repeat: 'sequential',
        key: 'superstep',
        children: [
          {
            name: 'Worker',
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
  });
  const rows: { type: number; parent: number; id: string; start: number; end: number }[] = [];
  const add = (path: string, parent: number, id: string, start: number, end: number): number =>
    rows.push({ type: phaseTypes.indexOf.get(path) ?? 0, parent, id, start, end }) - 1;
  const waits = Array.from({ length: WORKERS }, (): { startNs: number[]; endNs: number[] } => ({
    startNs: [],
    endNs: [],
  }));
  const mapping: { phase: number; resources: string[] }[] = [];
  const root = add('/', -1, '', 0, 0);
  let now = 0;
  for (let superstep = 0; superstep < SUPERSTEPS; superstep += 1) {
    const computed = Array.from({ length: WORKERS }, () => now + Math.round((60 + 30 * random.uniform()) * MS));
    const end = Math.max(...computed) + 9 * MS;
    const step = add('/Superstep', root, String(superstep), now, end);
    for (const [worker, ready] of computed.entries()) {
      const own = add('/Superstep/Worker', step, String(worker), now, end);
      const sent = ready + Math.round(3 * MS * random.uniform());
      add('/Superstep/Worker/Compute', own, '', now, ready);
      add('/Superstep/Worker/Communicate', own, '', now + 5 * MS, sent);
      add('/Superstep/Worker/Synchronize', own, '', sent, end);
      const wait = now + Math.round((10 + 40 * random.uniform()) * MS);
      waits[worker]?.startNs.push(wait, sent);
      waits[worker]?.endNs.push(wait + 5 * MS, end);
      mapping.push({ phase: own, resources: [`/machine[id=${worker % MACHINES}]`, `/worker[id=${worker}]`] });
    }
    now = end;
  }
  const whole = rows[root];
  if (whole) whole.end = now;
  const periods = Math.ceil(now / MS / PERIOD_MS);
  const bounds = Float64Array.from({ length: periods + 1 }, (_, period) => period * PERIOD_MS * MS);
  const consumable = (path: string): MetricInput => ({
    class: 'consumable',
    path,
    capacity: 4,
    startNs: bounds.subarray(0, periods),
    endNs: bounds.subarray(1),
    rates: Float64Array.from({ length: periods }, () => 4 * (0.3 + 0.7 * random.uniform())),
  });
  const names = ['cpu', 'bytes-in', 'bytes-out'] as const;
  const sink = (metricType: string) => ({
    phaseType: '/Superstep/Worker/Communicate',
    metricType,
    rule: { kind: 'sink' as const, weight: 1 },
  });
  const full = (phase: string) => ({
    phaseType: `/Superstep/Worker/${phase}`,
    metricType: '/worker/wait',
    rule: { kind: 'full' as const },
  });
  return {
    phaseTypes,
    resourceTypes: createResourceTypes({
      name: '',
      children: [
        { name: 'machine', repeat: 'many', key: 'id', metrics: names.map((name) => ({ name, class: 'consumable' })) },
        { name: 'worker', repeat: 'many', key: 'id', metrics: [{ name: 'wait', class: 'blocking' }] },
      ],
    }),
    phases: {
      type: Uint32Array.from(rows, ({ type }) => type),
      parent: Int32Array.from(rows, ({ parent }) => parent),
      id: rows.map(({ id }) => id),
      startNs: Float64Array.from(rows, ({ start }) => start),
      endNs: Float64Array.from(rows, ({ end }) => end),
    },
    metrics: [
      ...Array.from({ length: MACHINES }, (_, id) =>
        names.map((name) => consumable(`/machine[id=${id}]/${name}`)),
      ).flat(),
      ...waits.map(
        ({ startNs, endNs }, id): MetricInput => ({
          class: 'blocking',
          path: `/worker[id=${id}]/wait`,
          startNs: Float64Array.from(startNs),
          endNs: Float64Array.from(endNs),
        }),
      ),
    ],
    mapping,
    rules: [
      { phaseType: '/Superstep/Worker/Compute', metricType: '/machine/cpu', rule: { kind: 'greedy', cap: 1 } },
      ...names.map((name) => sink(`/machine/${name}`)),
      full('Communicate'),
      full('Synchronize'),
    ],
    timesliceNs: MS,
  };
}
