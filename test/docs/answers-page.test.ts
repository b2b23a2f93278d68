import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { projectRoot } from '../../base/paths.ts';
import { answersSchema } from '../../report/answers/answers-schema.ts';

/** What of JSON Schema a schema of answers uses. */
interface Node {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly description?: string;
}

/** A line of the table for each field, with its path (`[]`: of each of a list), its kind and what it means. */
function fields(node: Node, path: string): readonly string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, own]) => {
    const one = inside(own);
    const at = `${path}${name}`;
    const below = fields(
      one.type === 'array' ? inside(one.items ?? {}) : one,
      one.type === 'array' ? `${at}[].` : `${at}.`,
    );
    // What every answer and every estimate has is told once.
    const rest = SAME.has(Object.keys(one.properties ?? {}).join()) ? [] : below;
    if (LINE.includes(name) && path.split('.').length === 2) return rest;
    const meaning = own.description ?? one.description;
    if (meaning === undefined && kindOf(own).startsWith('object')) return rest;
    return [`| \`${at}\` | ${kindOf(own)} | ${meaning ?? ''} |`, ...rest];
  });
}

const LINE = ['question', 'short', 'sentence', 'detail'];
const SAME = new Set(['value,low,high']);

function inside(node: Node): Node {
  return node.anyOf?.find(({ type }) => type !== 'null') ?? node;
}

function kindOf(node: Node): string {
  const one = inside(node);
  const or = node.anyOf === undefined ? '' : ' or null';
  if (one.enum) return one.enum.map((value) => `\`${value}\``).join(', ') + or;
  if (one.const !== undefined) return `${one.const}`;
  if (Object.keys(one.properties ?? {}).join() === 'value,low,high') return `estimate${or}`;
  if (one.type === 'array')
    return `list${inside(one.items ?? {}).properties ? '' : ` of ${inside(one.items ?? {}).type}s`}${or}`;
  return `${[one.type].flat().join(' or ')}${or}`;
}

test('the page about answers has the fields of their schema', () => {
  const table = fields(z.toJSONSchema(answersSchema) as Node, '').join('\n');
  const page = readFileSync(join(projectRoot(), 'docs/answers.md'), 'utf8');
  expect(page).toContain(`\n| field | what it is | meaning |\n|---|---|---|\n${table}\n`);
});
