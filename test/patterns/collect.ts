import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'vitest/node';
import { projectRoot } from '../../base/paths.ts';

/** A regular expression of the program. */
export interface Pattern {
  /** `FILE:LINE` */
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

export interface Collected {
  readonly patterns: readonly Pattern[];
  /** Where a pattern is compiled of which the program's text says nothing. */
  readonly given: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const ROOMS = [
  ...['agents', 'analysis', 'base', 'experiments', 'inventory', 'modeling', 'orchestrator', 'report', 'throttle'],
];
/** Stands for what is not known before the program runs. */
const WORD = 'word';

/** Every regular expression of the production code, found in its syntax trees: literals, and what `RegExp` is called with. */
export function collectPatterns(): Collected {
  const [patterns, given]: [Pattern[], string[]] = [[], []];
  for (const room of ROOMS) {
    for (const entry of readdirSync(join(projectRoot(), room), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const path = join(entry.parentPath, entry.name);
      collectFrom(readFileSync(path, 'utf8'), relative(projectRoot(), path), { patterns, given });
    }
  }
  return { patterns, given };
}

function collectFrom(text: string, file: string, to: { readonly patterns: Pattern[]; readonly given: string[] }): void {
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node;
  const nodes = nodesOf(program);
  const constants = new Map(nodes.flatMap((node) => constantOf(node)));
  for (const node of nodes) {
    const literal = regexOf(node);
    if (literal === null && !isRegExpCall(node)) continue;
    const where = `${file}:${text.slice(0, node.start).split('\n').length}`;
    if (literal !== null) to.patterns.push({ where, source: literal.pattern, flags: literal.flags });
    if (!isRegExpCall(node)) continue;
    const [what, flags] = node.arguments as readonly (Node | undefined)[];
    const source = textOf(what, constants);
    if (source === null) to.given.push(where);
    else to.patterns.push({ where, source, flags: textOf(flags, constants) ?? '' });
  }
}

/** A node and all below it. */
function nodesOf(value: unknown, found: Node[] = []): Node[] {
  if (typeof value !== 'object' || value === null) return found;
  if (Array.isArray(value)) {
    for (const each of value) nodesOf(each, found);
    return found;
  }
  if (isNode(value)) found.push(value);
  for (const key in value) if (key !== 'regex') nodesOf((value as Readonly<Record<string, unknown>>)[key], found);
  return found;
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string' && 'start' in value;
}

function regexOf(node: Node | undefined): { readonly pattern: string; readonly flags: string } | null {
  return (node?.regex as { readonly pattern: string; readonly flags: string } | undefined) ?? null;
}

function isRegExpCall({ type, callee }: Node): boolean {
  return (type === 'NewExpression' || type === 'CallExpression') && (callee as Node).name === 'RegExp';
}

function constantOf({ type, id, init }: Node): [string, Node][] {
  const name = (id as Node | undefined)?.name;
  return type === 'VariableDeclarator' && typeof name === 'string' && init ? [[name, init as Node]] : [];
}

/** The text that an expression has, with a word in the place of what only a run knows; null where that is all of it. */
function textOf(node: Node | undefined, constants: ReadonlyMap<string, Node>): string | null {
  const inner = (each: unknown): string | null => textOf(each as Node, constants);
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : null;
    case 'Identifier':
      return inner(constants.get(node.name as string));
    case 'TSAsExpression':
      return inner(node.expression);
    case 'TemplateLiteral':
      return joined(node, 'cooked', inner);
    case 'TaggedTemplateExpression':
      // String.raw
      return joined(node.quasi as Node, 'raw', inner);
    case 'MemberExpression':
      return sourceOf(node, constants);
    case 'CallExpression':
      return joinedList(node, constants);
    default:
      return null;
  }
}

function joined(
  { quasis, expressions }: Node,
  kind: 'cooked' | 'raw',
  textOf: (node: unknown) => string | null,
): string {
  const parts = (quasis as readonly { readonly value: Record<'cooked' | 'raw', string> }[]).map(
    ({ value }) => value[kind],
  );
  const between = (expressions as readonly unknown[]).map((each) => textOf(each) ?? WORD);
  return parts.map((part, at) => part + (between[at] ?? '')).join('');
}

/** `PATTERN.source` of a constant. */
function sourceOf({ object, property }: Node, constants: ReadonlyMap<string, Node>): string | null {
  if ((property as Node).name !== 'source') return null;
  return regexOf(constants.get((object as Node).name as string))?.pattern ?? null;
}

/** `LIST.join('|')` of a constant list. */
function joinedList({ callee, arguments: args }: Node, constants: ReadonlyMap<string, Node>): string | null {
  const { object, property } = callee as { readonly object?: Node; readonly property?: Node };
  if (property?.name !== 'join' || object === undefined) return null;
  const list = constants.get(object.name as string);
  const elements = list?.type === 'TSAsExpression' ? (list.expression as Node).elements : list?.elements;
  const between = textOf((args as readonly Node[])[0], constants) ?? ',';
  return (
    (elements as readonly Node[] | undefined)?.map((each) => textOf(each, constants) ?? WORD).join(between) ?? null
  );
}
