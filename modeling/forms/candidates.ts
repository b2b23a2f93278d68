import { type Coordinates, distinct, type Variable } from '../rows.ts';
import { type Basis, type Form, type Term, termFormula } from './form.ts';
import { type ModelName, models } from './models.ts';

/** Which variables have more than one value in the rows. */
type Varies = Readonly<Record<Variable, boolean>>;

export function variesIn(table: Coordinates): Varies {
  const varies = (variable: Variable): boolean => distinct(table, variable).length > 1;
  return { scale: varies('scale'), nodes: varies('nodes'), bw: varies('bw') };
}

/** The paper's model that uses everything that varies. */
export function paperModelFor(varies: Varies): ModelName {
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
 * A form with every choice of up to `most` extra terms, itself first. Each extra is a cost beside the form's own terms:
 * a constant one, or one that grows with the ranks or with the throttle alone.
 */
export function withExtras(form: Form, varies: Varies, most = 2): Form[] {
  const usable = EXTRAS.filter(({ needs, basis }) => {
    if (needs !== undefined && !varies[needs]) return false;
    return !form.terms.some((term) => JSON.stringify(term.basis) === JSON.stringify(basis));
  });
  const choices: (typeof usable)[] = [[]];
  for (const extra of usable) {
    for (const chosen of [...choices]) if (chosen.length < most) choices.push([...chosen, extra]);
  }
  return choices.map((chosen) => extended(form, chosen)).sort((a, b) => a.terms.length - b.terms.length);
}

function extended(form: Form, extras: readonly { readonly name: string; readonly basis: Basis }[]): Form {
  if (extras.length === 0) return form;
  const added = extras.map(
    ({ basis }, index): Term => ({
      name: `C${form.terms.length + index + 1}`,
      part: form.terms.some(({ part }) => part === 'whole') ? 'whole' : 'communication',
      basis,
    }),
  );
  const names = extras.map(({ name }) => name);
  return {
    ...form,
    name: [form.name, ...names].join('+'),
    title: `${form.title.split(',')[0]} + ${names.join(' + ')}`,
    terms: [...form.terms, ...added],
  };
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

/** The models of our own that need no more than the rows: they cover any number of bandwidths above one. */
export function mechanismForms(varies: Varies): Form[] {
  if (!varies.bw || !varies.nodes) return [];
  return [models.volume, models.overlap];
}

/** `[C1/x, C2*w/sqrt(x)]`. */
export function termTexts(form: Form): string[] {
  return form.terms.map(termFormula);
}
