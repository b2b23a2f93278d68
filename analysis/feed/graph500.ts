import type { PhaseTypeSpec, ResourceTypeSpec, RuleEntry } from '../grade10/index.ts';

/** What a run of the bundled Graph500 goes through, per rank and level as its own trace has it. */
export const graph500Phases: PhaseTypeSpec = {
  name: '',
  children: [
    { name: 'Generate', repeat: 'concurrent', key: 'rank' },
    { name: 'Construct', repeat: 'concurrent', key: 'rank', after: ['Generate'] },
    {
      name: 'Search',
      repeat: 'sequential',
      key: 'root',
      after: ['Construct'],
      children: [
        {
          name: 'Bfs',
          children: [
            {
              name: 'Level',
              repeat: 'sequential',
              key: 'level',
              children: [
                {
                  name: 'RankLevel',
                  repeat: 'concurrent',
                  key: 'rank',
                  children: [
                    { name: 'Expand' },
                    { name: 'Compute', after: ['Expand'] },
                    { name: 'Fold', after: ['Compute'] },
                    { name: 'Synchronise', after: ['Fold'] },
                  ],
                },
              ],
            },
          ],
        },
        { name: 'Validate', repeat: 'concurrent', key: 'rank', after: ['Bfs'] },
      ],
    },
  ],
};

/** A host's CPU and interface, and per rank whether it waits for the others. */
export const clusterResources: ResourceTypeSpec = {
  name: '',
  children: [
    {
      name: 'host',
      repeat: 'many',
      key: 'id',
      metrics: [{ name: 'cpu', class: 'consumable' }],
      children: [
        {
          name: 'network',
          metrics: [
            { name: 'bytes-in', class: 'consumable' },
            { name: 'bytes-out', class: 'consumable' },
          ],
        },
      ],
    },
    { name: 'rank', repeat: 'many', key: 'id', metrics: [{ name: 'barrier-wait', class: 'blocking' }] },
  ],
};

const LEVEL = '/Search/Bfs/Level/RankLevel';

/** Computing takes a core (or what a quota leaves of it); exchanges use CPU and network as they come; a barrier only waits. */
export function graph500Rules(coresPerRank: number): RuleEntry[] {
  const greedy = (phaseType: string): RuleEntry => ({
    phaseType,
    metricType: '/host/cpu',
    rule: { kind: 'greedy', cap: coresPerRank },
  });
  const exchange = (phaseType: string): RuleEntry[] =>
    ['/host/cpu', '/host/network/bytes-in', '/host/network/bytes-out'].map((metricType) => ({
      phaseType,
      metricType,
      rule: { kind: 'sink', weight: 1 },
    }));
  const network = (phaseType: string): RuleEntry[] => exchange(phaseType).slice(1);
  return [
    greedy('/Generate'),
    greedy('/Construct'),
    ...network('/Construct'),
    greedy(`${LEVEL}/Compute`),
    ...exchange(`${LEVEL}/Expand`),
    ...exchange(`${LEVEL}/Fold`),
    { phaseType: `${LEVEL}/Synchronise`, metricType: '/rank/barrier-wait', rule: { kind: 'full' } },
    greedy('/Search/Validate'),
    ...network('/Search/Validate'),
  ];
}

/** Types of the trace's own phases; `bfs` spans a whole search of one rank and is taken from its levels. */
export const traceTypes: Readonly<Record<string, string>> = {
  generate: '/Generate',
  construct: '/Construct',
  validate: '/Search/Validate',
  expand: `${LEVEL}/Expand`,
  compute: `${LEVEL}/Compute`,
  fold: `${LEVEL}/Fold`,
  synchronise: `${LEVEL}/Synchronise`,
};
