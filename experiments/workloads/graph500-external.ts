import { GRAPH500, parseGraph500Run } from './graph500.ts';
import { fillTemplate } from './template.ts';
import { ofUsers, type Workload } from './workload.ts';
import type { Graph500ExternalDefinition } from './workload-schema.ts';

/** A Graph500 program of the user, in any dialect that `parseGraph500` reads. */
export function graph500ExternalWorkload(definition: Graph500ExternalDefinition): Workload {
  return {
    ...GRAPH500,
    ...ofUsers(definition, definition.args),
    invocation: (cell, { seed, outputFolder, hosts }) => ({
      argv: [
        definition.binary,
        ...definition.args.map((text) => fillTemplate(text, { cell, seed, outputFolder, hosts })),
      ],
      outputs: {},
    }),
    parse: parseGraph500Run,
  };
}
