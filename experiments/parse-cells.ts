import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { badInput, messageOf } from '../base/errors.ts';
import { field } from '../base/yaml/yaml-fields.ts';
import { sizeSchema } from './records.ts';

/** One cell to measure, named by its setting and the number of its repetition. */
export const chosenCellSchema = z.strictObject({
  nodes: z.int().positive(),
  scale: sizeSchema,
  bw: z.number().positive().max(100),
  rep: z.int().positive(),
});
export type ChosenCell = z.infer<typeof chosenCellSchema>;

const adviceSchema = z.object({ cells: z.array(z.object(chosenCellSchema.shape)) });

/** Cells of flags or of a campaign file in that folder. */
export function cellsField(folder = '') {
  const entry = z.union([z.string(), chosenCellSchema]);
  return field(z.union([z.string(), z.array(entry).min(1)]), (value) => parseCells(value, folder));
}

/** `NODES:SCALE:BW[:REP],...`, a list of such texts and of cells, or a JSON file with `cells`, such as an advice, seen from the folder. */
export function parseCells(written: string | readonly (string | ChosenCell)[], folder = ''): ChosenCell[] {
  const cells = [written].flat().flatMap((part: string | ChosenCell) => {
    if (typeof part !== 'string') return part;
    const path = resolve(folder, part);
    return existsSync(path) ? cellsOfFile(path) : part.split(',').map(cellOf);
  });
  const seen = new Set<string>();
  for (const { nodes, scale, bw, rep } of cells) {
    const key = `${nodes}:${scale}:${bw}:${rep}`;
    if (seen.has(key)) throw badInput(`The cell ${key} occurs twice: give the second one its own repetition number.`);
    seen.add(key);
  }
  return cells;
}

function cellOf(part: string): ChosenCell {
  const fields = part.split(':').map((field) => (field.trim() === '' ? Number.NaN : Number(field)));
  const [nodes, scale, bw, rep = 1] = fields;
  const parsed = chosenCellSchema.safeParse({ nodes, scale, bw, rep });
  if (parsed.success && fields.length <= 4) return parsed.data;
  throw badInput(
    `'${part}' is not a cell. Write NODES:SCALE:BW or NODES:SCALE:BW:REP, such as 25:20:10:2, or name a file of 'predict model --target ... --json'.`,
  );
}

function cellsOfFile(path: string): ChosenCell[] {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw badInput(
      `${path} is not a JSON file (${messageOf(error)}): give the JSON that predict model --target printed.`,
      error,
    );
  }
  const parsed = adviceSchema.safeParse(data);
  if (!parsed.success || parsed.data.cells.length === 0) {
    throw badInput(
      `${path} names no cells (nodes, scale, bw, rep): give the JSON that predict model --target printed.`,
    );
  }
  return parsed.data.cells;
}
