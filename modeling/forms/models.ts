import type { Form } from './form.ts';

const work = { name: 'C1', part: 'processing' } as const;
const exchange = { name: 'C2', part: 'communication' } as const;

/** The paper's models (Medya et al., Table I): the one that uses all that varies competes. */
const paperModels = {
  eq2: {
    name: 'eq2',
    title: 'Eq 2, base model',
    terms: [
      { ...work, basis: { x: -1 } },
      { ...exchange, basis: { x: -0.5 } },
    ],
    fixed: ['bw', 'scale'],
    needsTwo: ['nodes'],
  },
  eq3: {
    name: 'eq3',
    title: 'Eq 3, generalized base model',
    terms: [
      { ...work, basis: { D: 1, x: -1 } },
      { ...exchange, basis: { D: 1, x: -0.5 } },
    ],
    fixed: ['bw'],
    needsTwo: ['nodes'],
  },
  eq5: {
    name: 'eq5',
    title: 'Eq 5, bandwidth model',
    terms: [{ name: 'C', part: 'whole', basis: { w: 1 } }],
    fixed: ['scale', 'nodes'],
    needsTwo: ['bw'],
  },
  eq6: {
    name: 'eq6',
    title: 'Eq 6, refined model',
    terms: [
      { ...work, basis: { x: -1 } },
      { ...exchange, basis: { w: 1, x: -0.5 } },
    ],
    fixed: ['scale'],
    needsTwo: ['nodes', 'bw'],
  },
  eq7: {
    name: 'eq7',
    title: 'Eq 7, generalized refined model',
    terms: [
      { ...work, basis: { D: 1, x: -1 } },
      { ...exchange, basis: { D: 1, w: 1, x: -0.5 } },
    ],
    fixed: [],
    needsTwo: ['nodes', 'bw'],
  },
} as const satisfies Readonly<Record<string, Form>>;

/** A message to each of sqrt(x) partners: what makes time rise with ranks. */
const partners = { name: 'C3', part: 'communication', basis: { x: 0.5 } } as const;
const volumeTerms = [
  { ...work, basis: { D: 1, x: -1 } },
  { ...exchange, basis: { D: 1, s: 1, x: -0.5 } },
] as const;

/** Not in the paper: what programs do. Each competes where the rows vary what it needs and keep what it holds fixed. */
export const mechanismModels = {
  /**
   * Of a 2-D partitioned program, per search: its work is shared by x ranks, each rank's volume shrinks like 1/sqrt(x) and
   * takes as long as the link is slow, and each of its sqrt(x) partners costs a message.
   */
  volume: {
    name: 'volume',
    title: 'Volume model',
    terms: [...volumeTerms, partners],
    fixed: [],
    needsTwo: ['bw', 'nodes'],
    freeSize: true,
  },
  /** The same where the volume travels while the ranks compute: the longer of the two counts. */
  overlap: {
    name: 'overlap',
    title: 'Volume model with overlap',
    terms: [...volumeTerms, { ...partners, part: 'whole' }],
    fixed: [],
    needsTwo: ['bw', 'nodes'],
    freeSize: true,
    overlap: 4,
  },
} as const satisfies Readonly<Record<string, Form>>;

/** The models known by name, in the order in which they are listed. */
export const models: Readonly<Record<ModelName, Form>> = { ...paperModels, ...mechanismModels };
export type PaperModelName = keyof typeof paperModels;
export type ModelName = PaperModelName | keyof typeof mechanismModels;
export const modelNames = Object.keys(models) as readonly ModelName[];
