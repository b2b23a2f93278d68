import { z } from 'zod';

/** `mpi`: what its ranks do in MPI, and between, is recorded (agents/mpi-trace). */
export const recorderSchema = z
  .literal('mpi')
  .optional()
  .describe('mpi: what its ranks do in MPI, and between, is recorded');

const NAME = 'MPI_[A-Z][A-Za-z_]*';
const callSchema = z
  .string()
  .regex(
    new RegExp(`^${NAME}( ([1-9]\\d{0,8}|last))?$`),
    'name a call and which one of it: MPI_Barrier 1, MPI_Reduce last',
  );

/** The part of a run that its user timed, between two recorded calls that every rank counts by itself. */
export const partSchema = z
  .strictObject({
    from: callSchema
      .optional()
      .describe('the part begins with the end of this call: MPI_Barrier 1; MPI_Init without it'),
    to: callSchema
      .optional()
      .describe('the part ends with the start of this call: MPI_Reduce last; MPI_Finalize without it'),
  })
  .refine(({ from, to }) => from !== undefined || to !== undefined, { message: 'name from, to, or both' })
  .meta({ anyOf: [{ required: ['from'] }, { required: ['to'] }] })
  .optional()
  .describe('with trace: mpi, what is explained: the part between two calls');
export type RecordedPart = NonNullable<z.infer<typeof partSchema>>;

/** How many iterations a printed time is the mean of: a number, or as many as a rank makes calls of one name. */
export const iterationsSchema = z.union([
  z.int().positive(),
  z.strictObject({
    call: z
      .string()
      .regex(new RegExp(`^${NAME}$`), 'name a call: MPI_Barrier')
      .describe('a call that each iteration makes once'),
  }),
]);

/** One call of a rank: the n-th of its name, from 1, or the last one. */
export interface NamedCall {
  readonly name: string;
  readonly which: number | 'last';
}

/** `MPI_Barrier 3`, `MPI_Reduce last`; a name alone is the first call where a part begins, the last where it ends. */
export function parseCall(text: string, without: NamedCall['which']): NamedCall {
  const [name = '', which] = text.split(' ');
  return { name, which: which === undefined ? without : which === 'last' ? which : Number(which) };
}
