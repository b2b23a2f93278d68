import { readFile } from 'node:fs/promises';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { badInput, messageOf } from '../../base/index.ts';
import { workloadOf } from './adapters.ts';
import { workloadSchema } from './schema.ts';
import type { Workload } from './workload.ts';

/**
 * `graph500` (with its options), or the path of a YAML file. Errors are `badInput` naming the file, the line and the key.
 */
export async function loadWorkload(
  nameOrFile: string,
  options: { readonly validate?: number } = {},
): Promise<Workload> {
  if (nameOrFile === 'graph500') return workloadOf({ kind: 'graph500', name: 'graph500', ...options });
  let text: string;
  try {
    text = await readFile(nameOrFile, 'utf8');
  } catch (error) {
    const help = "write 'graph500' or the path of a workload's YAML file";
    throw badInput(`workload '${nameOrFile}' cannot be read (${messageOf(error)}): ${help}.`, error);
  }
  return workloadOf(parseWorkload(text, nameOrFile));
}

function parseWorkload(text: string, file: string): z.infer<typeof workloadSchema> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors[0];
  if (broken) throw badInput(`${file}, line ${lines.linePos(broken.pos[0]).line}: ${broken.message}.`, broken);
  const parsed = workloadSchema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  const sentences = parsed.error.issues.map((issue) => {
    const offset = offsetOf(document, issue);
    const where = offset === null ? file : `${file}, line ${lines.linePos(offset).line}`;
    const key = issue.path.join('.');
    return `${where}: ${key === '' ? '' : `${key}: `}${issue.message}`;
  });
  throw badInput(`${sentences.join('; ')}.`, parsed.error);
}

/** Where an issue is in the text: its unknown key, its value, or the nearest part around a missing one. */
function offsetOf(document: Document, issue: z.core.$ZodIssue): number | null {
  const keys = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  for (let depth = keys.length; depth >= 0; depth -= 1) {
    const node: unknown = depth === 0 ? document.contents : document.getIn(keys.slice(0, depth), true);
    if (depth === keys.length && issue.code === 'unrecognized_keys' && isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && issue.keys.includes(String(key.value)));
      if (isScalar(pair?.key) && pair.key.range) return pair.key.range[0];
    }
    if (isNode(node) && node.range) return node.range[0];
  }
  return null;
}
