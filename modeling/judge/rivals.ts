import type { Cells } from '../fit/collapse.ts';
import { betweenNodes, threadedForm } from '../forms/candidates.ts';
import { type Form, type Term, usesBandwidth, type VolumeLaw } from '../forms/form.ts';
import { termsOf } from '../forms/traffic-form.ts';
import { distinct } from '../rows.ts';
import type { Shrink } from './member-times.ts';

export type Family = 'paper' | 'extension' | 'mechanism' | 'peer' | 'parts';

/** How likely a form is before any row was seen, beside the others (docs/methods.md). */
const PRIOR = { paper: 2, extension: 0.5, mechanism: 0.5 } as const satisfies Partial<Record<Family, number>>;
/** Of a mechanism's variants beside itself. */
const VARIANT = { withMessages: 1, withoutMessages: 0.5, constantMessages: 0.3, allToAll: 0.5, free: 0.5 };
/** The same where counters told its volume: what its transfers take is known, and so is less often that something else grows. */
const COUNTED_VARIANT = { withMessages: 0.3, withoutMessages: 1, constantMessages: 0.3 };
/** Of mechanisms that assume another volume than the one that was counted. */
const AGAINST_COUNTERS = 0.03;
/** Each rank sends its share of the data, 1/x, to the others: all but its own (x - 1) / x of it leaves. */
const ALL_TO_ALL = { others: 1, x: -2 };

/** Of communication whose power is not known. */
const SHRINK = { oneBandwidth: { mean: 0.395, sd: 0.29 }, bandwidths: { mean: 0.5, sd: 0.25 } };
/** The same of the few programs whose ranks wait for messages from all others; several bandwidths tell these by mechanisms. */
export const GROWS = { shrink: { mean: -0.9, sd: 0.4 }, share: 0.005 };

/** A form that competes under the name of another. */
interface Variant {
  readonly form: Form;
  /** As `createMember` takes them. */
  readonly shrinks: readonly (Shrink | undefined)[];
  /** Of the form's own weight beforehand. */
  readonly share: number;
}

/** As what a form competes, with its weights beforehand, a peer as nothing: it is a baseline; `counted`: whether another form knows the volume from counters. */
export function rivalsOf(
  { family, form }: { readonly family: Family; readonly form: Form },
  counted: boolean,
  cells: Cells,
): (Omit<Variant, 'share'> & { readonly prior: number })[] {
  if (family === 'peer' || family === 'parts') return [];
  const assumes = counted && family === 'mechanism' && form.volume === undefined;
  const prior = PRIOR[family] * (assumes ? AGAINST_COUNTERS : 1);
  const variants = variantsOf(family, form);
  const all = distinct(cells, 'threads').length > 1 ? threadedVariants(variants, distinct(cells, 'nodes')) : variants;
  return all.map(({ share, ...variant }) => ({ ...variant, prior: prior * share }));
}

/**
 * What a form stands for in the mixture: the paper's with a power of x of its own for the communication, and mechanisms as they are, with
 * such a power, without messages to partners, with a constant cost in their place, or exchanging all with all, where counters do not tell.
 */
function variantsOf(family: Family, form: Form): Variant[] {
  const itself = { form, shrinks: [], share: 1 };
  const free = [undefined, usesBandwidth(form) ? SHRINK.bandwidths : SHRINK.oneBandwidth];
  if (form.fixed.includes('nodes') || form.terms.length < 2) return [itself];
  if (family === 'paper') {
    const usual = { form, shrinks: free, share: 1 };
    return usesBandwidth(form) ? [usual] : [usual, { form, shrinks: [undefined, GROWS.shrink], share: GROWS.share }];
  }
  if (family === 'extension') return [itself];
  if (form.volume !== undefined) return countedVariants(form, form.volume.laws);
  const [work, transfer, third] = form.terms;
  if (!work || !transfer || !third) return [itself];
  const variants = [
    ...withMessages(form, [work, transfer, third], VARIANT),
    {
      form: { ...form, terms: [work, { ...transfer, basis: { ...transfer.basis, ...ALL_TO_ALL } }] },
      share: VARIANT.allToAll,
    },
  ];
  // What hides behind work keeps its power.
  const times = form.overlap === undefined ? [VARIANT.free] : [];
  return variants.flatMap(({ form: own, share }) => [
    { form: own, shrinks: [], share },
    ...(own.terms[1]?.basis.others === undefined ? times : []).map((less) => ({
      form: own,
      shrinks: free,
      share: share * less,
    })),
  ]);
}

/** With threads in each rank; and where one node was measured, without messages on it: there threads show what is left. */
function threadedVariants(variants: readonly Variant[], nodes: readonly number[]): Variant[] {
  return variants.flatMap((variant) => {
    const own = { ...variant, form: threadedForm(variant.form) };
    if (!nodes.includes(1) || nodes.length === 1) return [own];
    const form = betweenNodes(own.form);
    const shrinks = own.shrinks.map((shrink, term) => {
      const isMoved = form.terms[term]?.basis.otherHosts !== own.form.terms[term]?.basis.otherHosts;
      return shrink && isMoved ? { ...shrink, mean: shrink.mean + 1 } : shrink;
    });
    return [own, { ...own, form, shrinks }];
  });
}

/** Every law that the counters leave open; its power is known, so none is looked for. */
function countedVariants(form: Form, laws: readonly VolumeLaw[]): Variant[] {
  return laws.flatMap((law) =>
    withMessages(form, termsOf(law), COUNTED_VARIANT).map(({ form: own, share }) => ({
      form: own,
      shrinks: [],
      share: share * law.share,
    })),
  );
}

/** A mechanism with its messages, without any, and with a constant cost in their place. */
function withMessages(
  form: Form,
  [work, transfer, third]: readonly [Term, Term, Term],
  shares: typeof COUNTED_VARIANT,
) {
  return [
    { form: { ...form, terms: [work, transfer, third] }, share: shares.withMessages },
    { form: { ...form, terms: [work, transfer] }, share: shares.withoutMessages },
    { form: { ...form, terms: [work, transfer, { ...third, basis: {} }] }, share: shares.constantMessages },
  ];
}
