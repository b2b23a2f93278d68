import { type Coordinates, distinct, type Variable } from '../rows.ts';
import type { Basis, Form, Term } from './form.ts';
import { mechanismModels, type PaperModelName } from './models.ts';

/** Which variables have more than one value in the rows. */
type Varies = Readonly<Record<Variable, boolean>>;

export function variesIn(table: Coordinates): Varies {
  const varies = (variable: Variable): boolean => distinct(table, variable).length > 1;
  return { scale: varies('scale'), nodes: varies('nodes'), bw: varies('bw'), threads: varies('threads') };
}

/** The paper's model that uses everything that varies. */
export function paperModelFor(varies: Varies): PaperModelName {
  if (!varies.nodes && varies.bw) return 'eq5';
  if (varies.bw) return varies.scale ? 'eq7' : 'eq6';
  return varies.scale ? 'eq3' : 'eq2';
}

/** Terms that may join a form, by the names they get in a model's name: eq6+sqrt(x). */
const EXTRAS: readonly { readonly name: string; readonly basis: Basis; readonly needs?: Variable }[] = [
  { name: '1', basis: {} },
  { name: 'ln(x)', basis: { lnX: 1 }, needs: 'nodes' },
  { name: 'sqrt(x)', basis: { x: 0.5 }, needs: 'nodes' },
  { name: 'w', basis: { w: 1 }, needs: 'bw' },
];

/**
 * A form with each of the extra terms that it lacks: a cost beside its own terms, a constant one, or one that grows with the ranks or
 * with the throttle alone.
 */
export function extendedForms(form: Form, varies: Varies): Form[] {
  const usable = EXTRAS.filter(({ needs, basis }) => {
    if (needs !== undefined && !varies[needs]) return false;
    return !form.terms.some((term) => JSON.stringify(term.basis) === JSON.stringify(basis));
  });
  const part = form.terms.some((term) => term.part === 'whole') ? 'whole' : 'communication';
  return usable.map(({ name, basis }) => ({
    ...form,
    name: `${form.name}+${name}`,
    title: `${form.title.split(',')[0]} + ${name}`,
    terms: [...form.terms, { name: `C${form.terms.length + 1}`, part, basis }],
  }));
}

/**
 * The forms that others use, with the paper's w on what they say of communication, so that rows of several bandwidths can
 * be fitted: rows of one bandwidth get the forms exactly as published.
 * - Amdahl (1967): a serial part that no rank shortens.
 * - Gunther's Universal Scalability Law: C(N) = N / (1 + sigma (N - 1) + kappa N (N - 1)); here T1 = C1, sigma = C2/C1,
 *   kappa = C3/C1.
 * - Ernest (Venkataraman et al., NSDI 2016): a constant, work per rank, and costs like ln x and x.
 */
export function peerForms(varies: Varies): Form[] {
  const fixed = (['bw', 'scale'] as const).filter((variable) => !varies[variable]);
  const D: Basis = varies.scale ? { D: 1 } : {};
  const w: Basis = varies.bw ? { w: 1 } : {};
  const of = (name: string, title: string, bases: readonly Basis[]): Form => ({
    name,
    title,
    terms: bases.map((basis, index) => ({
      name: `C${index + 1}`,
      part: index === 0 ? 'processing' : 'communication',
      basis,
    })),
    fixed,
    needsTwo: varies.bw ? ['nodes', 'bw'] : ['nodes'],
  });
  return [
    of('amdahl', "Amdahl's law", [
      { ...D, x: -1 },
      { ...D, ...w },
    ]),
    of('usl', 'Universal Scalability Law', [
      { ...D, x: -1 },
      { ...D, ...w, others: 1, x: -1 },
      { ...D, ...w, others: 1 },
    ]),
    of('ernest', 'Ernest', [{ ...D, x: -1 }, {}, { ...w, lnX: 1 }, { ...w, x: 1 }]),
  ];
}

/** The coefficient of what one thread of a rank does while its others wait. */
export const SERIAL = 'Cs';

/**
 * A form whose ranks have several threads: these share what ranks compute, but for a serial part of it. Threads send nothing, so
 * communication stays as it is.
 */
export function threadedForm(form: Form): Form {
  const isWork = ({ part, basis }: Term): boolean => part === 'processing' && (basis.x ?? 0) < 0;
  const work = form.terms.find(isWork);
  if (!work || form.terms.some(({ basis }) => basis.t !== undefined)) return form;
  const shared = form.terms.map((term) => (isWork(term) ? { ...term, basis: { ...term.basis, t: -1 } } : term));
  return { ...form, terms: [...shared, { ...work, name: SERIAL }] };
}

/** The same where one node sends nothing: what goes to others is all but a node's own share of it, (n - 1) / n. */
export function betweenNodes(form: Form): Form {
  const terms = form.terms.map((term): Term => {
    const { basis, part, counted } = term;
    if (part === 'processing' || counted || (basis.others ?? basis.otherHosts) !== undefined) return term;
    return { ...term, basis: { ...basis, otherHosts: 1, x: (basis.x ?? 0) - 1 } };
  });
  return { ...form, terms };
}

/** Amdahl's law over the threads of each rank, where nodes do not vary; with the paper's w where bandwidths do. */
export function threadsForm(varies: Varies): Form {
  const D: Basis = varies.scale ? { D: 1 } : {};
  const work = { name: 'C1', part: 'processing' } as const;
  return {
    name: 'threads',
    title: "Amdahl's law over threads",
    terms: [
      { ...work, basis: { ...D, t: -1 } },
      ...(varies.bw ? [{ name: 'C2', part: 'communication', basis: { ...D, w: 1 } } as const] : []),
      { ...work, name: SERIAL, basis: D },
    ],
    fixed: ['nodes', ...(['bw', 'scale'] as const).filter((variable) => !varies[variable])],
    needsTwo: varies.bw ? ['threads', 'bw'] : ['threads'],
  };
}

/** The models of our own that these rows can tell, in the order of their list. */
export function mechanismForms(varies: Varies): Form[] {
  const all = [...Object.values<Form>(mechanismModels), threadsForm(varies)];
  return all.filter(({ needsTwo, fixed }) => needsTwo.every((one) => varies[one]) && !fixed.some((one) => varies[one]));
}
