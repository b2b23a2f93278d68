import type { Command } from 'commander';
import { z } from 'zod';
import { badInput } from '../../base/errors.ts';
import { own } from '../../base/lists.ts';
import { joinWords, shortened } from '../../base/text.ts';
import { workloadSchema } from '../../experiments/workloads/workload-schema.ts';
import { writtenInventorySchema } from '../../inventory/inventory-schema.ts';
import { answersSchema } from '../../report/answers/answers-schema.ts';
import { printExactly } from './print.ts';
import { ASKED_DEFAULTS, askedSchema } from './sweep-asked.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Prints the JSON Schema of a kind of file, for editors, or of the answers. Errors: `badInput` for another kind. */
export async function schemaCommand(kind: string, _: object, command: Command): Promise<void> {
  const sweep = command.parent?.commands.find((each) => each.name() === 'sweep');
  printExactly(JSON.stringify(fileSchema(kind, sweep ?? command), null, 2));
}

/**
 * What a file of that kind may hold, as far as JSON Schema can say it (draft 2020-12); the same schemas read the files. `sweep` is the
 * command whose flags a campaign file has as keys.
 */
export function fileSchema(kind: string, sweep: Command): JsonSchema {
  const kinds: Readonly<Record<string, () => JsonSchema>> = {
    answers: () => z.toJSONSchema(answersSchema),
    campaign: () => withFlags(written(askedSchema), sweep),
    inventory: () => written(writtenInventorySchema),
    workload: () => written(workloadSchema),
  };
  const found = own(kinds, kind);
  if (found) return found();
  throw badInput(`'${shortened(kind)}' is not a kind of file: write ${joinWords(Object.keys(kinds))}.`);
}

function written(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input' });
}

/** With what --help says of each key, and the values of those that are left out. */
function withFlags(schema: JsonSchema, sweep: Command): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const description = sweep.options.find((option) => option.attributeName() === key)?.description;
    const usual: unknown = own<unknown>(ASKED_DEFAULTS, key);
    return [key, { ...Object(value), description, ...(usual === undefined ? {} : { default: usual }) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
