import { at } from '../../base/lists.ts';
import { BENT, type Bend, type BentAxis, integratePath, type Path, positionOn } from '../forms/bend.ts';
import type { Fit } from '../model-records.ts';
import { type Target, VARIABLES } from '../rows.ts';
import type { Scatter } from './draw-fits.ts';
import type { Ensemble } from './ensemble.ts';

/** An ensemble as JSON that is small enough for a page. */
export type PackedEnsemble = ReturnType<typeof packEnsemble>;

/** What one replica has by itself; of a bend what makes it. */
type Own = Pick<Fit, 'model' | 'form' | 'coefficients' | 'alpha'> & {
  readonly bends: readonly [bend: PackedBend | null, ofCommunication: PackedBend | null];
  readonly scatter: Scatter;
};
type PackedBend = { readonly [A in BentAxis]?: ReturnType<typeof packPath> };

const COLUMNS = [...VARIABLES, 'count', 'mean', 'm2', 'outliers', 'share'] as const;

/**
 * All draws of an ensemble, to be asked for targets between two: bends are cut off beyond them. Numbers that differ between draws are
 * rounded to single precision (7 digits).
 */
export function packEnsemble(ensemble: Ensemble, [least, most]: readonly [Target, Target]) {
  const { fit, replicas, scatter, cells, ...rest } = ensemble;
  const packBend = (bend: Bend | undefined): PackedBend | null => {
    if (bend === undefined) return null;
    const packed = BENT.flatMap((axis) => {
      const path = bend[axis];
      // A slowdown is largest at the smallest bandwidth.
      const ends = [least, most]
        .map((target) => positionOn(axis, { threads: fit.threads, ...target }))
        .sort((a, b) => a - b);
      return path === undefined ? [] : [[axis, packPath(path, at(ends, 0), at(ends, 1))]];
    });
    return Object.fromEntries(packed);
  };
  const own = replicas.map(({ model, form, coefficients, alpha, bend, communicationBend }, index): Own => {
    const bends = [packBend(bend), packBend(communicationBend)] as const;
    return { model, form, coefficients, alpha, bends, scatter: at(scatter, index) };
  });
  const columns = COLUMNS.map((name) => Array.from(cells[name], (value) => (Number.isNaN(value) ? null : value)));
  return { ...rest, fit, columns, draws: packAlike(own) };
}

export function unpackEnsemble({ fit, columns, draws, ...rest }: PackedEnsemble): Ensemble {
  const own = unpackAlike(draws) as Own[];
  const column = (name: (typeof COLUMNS)[number]): Float64Array =>
    Float64Array.from(at(columns, COLUMNS.indexOf(name)), (value) => value ?? Number.NaN);
  const cells = Object.fromEntries(COLUMNS.map((name) => [name, column(name)])) as Pick<
    Ensemble['cells'],
    (typeof COLUMNS)[number]
  >;
  return {
    ...rest,
    fit,
    replicas: own.map(({ bends: [bend, ofCommunication], scatter: _, ...one }) => ({
      ...fit,
      ...one,
      ...(bend === null ? {} : { bend: unpackBend(bend) }),
      ...(ofCommunication === null ? {} : { communicationBend: unpackBend(ofCommunication) }),
    })),
    scatter: own.map(({ scatter }) => scatter),
    cells: { length: cells.mean.length, ...cells },
  };
}

function packPath({ knots, values, slopes, curvature }: Path, low: number, high: number) {
  const origin = values.indexOf(0);
  // The last knot at or below the low end, and the first one at or above the high end; the origin stays.
  const from = Math.min(
    origin,
    Math.max(
      0,
      knots.findLastIndex((knot) => knot <= low),
    ),
  );
  const beyond = knots.findIndex((knot) => knot >= high);
  const to = Math.max(origin, beyond === -1 ? knots.length - 1 : beyond);
  return {
    knots: knots.slice(from, to + 1),
    origin: at(knots, origin),
    slope: at(slopes, origin),
    curvature: curvature.slice(from, to),
  };
}

function unpackBend(bend: PackedBend): Bend {
  return Object.fromEntries(Object.entries(bend).map(([axis, course]) => [axis, integratePath(course)]));
}

/** In place of a number that differs. */
const HOLE = '#';

/** Values of few shapes: each shape once, with what all of its values share, and the other numbers in columns (base64 of floats). */
function packAlike(values: readonly unknown[]) {
  const shapes = new Map<string, { readonly place: number; readonly lists: number[][] }>();
  const order = values.map((value) => {
    const numbers: number[] = [];
    const shape = JSON.stringify(value, (_, one) => {
      if (typeof one !== 'number') return one;
      numbers.push(one);
      return HOLE;
    });
    const known = shapes.get(shape) ?? { place: shapes.size, lists: [] };
    shapes.set(shape, known);
    known.lists.push(numbers);
    return known.place;
  });
  const packed = [...shapes].map(([shape, { lists }]) => {
    const first = at(lists, 0);
    const differing = first.map((one, index) => lists.some((numbers) => at(numbers, index) !== one));
    const varying = [...differing.keys()].filter((index) => at(differing, index));
    let next = 0;
    const value: unknown = JSON.parse(shape, (_, one) => {
      if (one !== HOLE) return one;
      const index = next++;
      return at(differing, index) ? HOLE : at(first, index);
    });
    const floats = Float32Array.from(lists.flatMap((numbers) => varying.map((index) => at(numbers, index))));
    return { value, count: lists.length, floats: toBase64(floats) };
  });
  return { order, shapes: packed };
}

function unpackAlike({ order, shapes }: ReturnType<typeof packAlike>): unknown[] {
  const made = shapes.map(({ value, floats }) => {
    const [numbers, text] = [fromBase64(floats), JSON.stringify(value)];
    let next = 0;
    return (): unknown => JSON.parse(text, (_, one) => (one === HOLE ? numbers[next++] : one));
  });
  return order.map((place) => at(made, place)());
}

function toBase64({ buffer }: Float32Array): string {
  return btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): Float32Array {
  return new Float32Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}
